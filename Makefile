# Everything a person runs. `make` alone lists it; tools are installed into .venv when first needed.

PYTHON ?= python3
VENV := .venv
RUN := $(PYTHON) host/interpreter.py
INSTALL := $(PYTHON) host/install.py
TOOL := $(VENV)/bin

# `tsumiki COMMAND`, and an option of it where the variable is set: $(call option,BOARD,board).
TSUMIKI := PYTHONPATH=host $(TOOL)/python -m tsumiki
option = $(if $($(1)),--$(2) '$($(1))')
ON_BOARD = $(call option,BOARD,board) $(call option,PORT,port) $(call option,BAUD,baud) $(if $(filter 1,$(ERASE)),--erase)

# make test ARGS='-k name' runs some tests in one process; without ARGS all run, a process a core.
ARGS ?=
WORKERS ?= auto

export MICROPYTHON_DIR

.NOTPARALLEL:
.PHONY: help sim chat demo serve test lint conformance bench size frozen mpy romfs flash image firmware deploy provision device-test viper goldens page package clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 20

sim: ## run the simulated robot until Ctrl-C: make sim ARGS='--port 8080', ARGS=--stdio or ARGS='--board m5stack_core2'
	@$(PYTHON) host/sim.py $(ARGS)

chat: ## talk with the simulated robot: make chat ARGS='--url http://127.0.0.1:11434/v1 --model qwen3', ARGS=--help
	@$(PYTHON) host/chat.py $(ARGS)

demo: ## run the dummy server and a client of it: six steps, then what goes wrong
	@$(RUN) examples/demo.py $(ARGS)

serve: ## run the dummy server until Ctrl-C, for people who write MCP clients
	@$(RUN) examples/dummy_server.py $(ARGS)

test: ## run all tests, or some: make test ARGS='-k name'
	@$(INSTALL) test npm
	@$(RUN)
	@$(TOOL)/python -m pytest $(if $(ARGS),$(ARGS),-n $(WORKERS) --dist loadscope)

lint: ## check style, format and spelling
	@$(INSTALL) lint
	@failed=; \
	$(TOOL)/ruff check . || failed=1; \
	$(TOOL)/ruff format --check . || failed=1; \
	git ls-files -z | xargs -0 $(TOOL)/codespell || failed=1; \
	test -z "$$failed"

conformance: ## run the official conformance suite against our server and our client
	@$(INSTALL) test npm
	@$(RUN)
	@$(TOOL)/python host_tests/conformance/run.py $(ARGS)

bench: ## measure speed against the floor and the peers
	@$(INSTALL) test npm
	@$(RUN)
	@$(TOOL)/python host_tests/bench/run.py $(ARGS)

size: ## print bytes and RAM per module
	@$(INSTALL) mpy
	@$(TOOL)/python host/size.py

frozen: ## print what the frozen firmware takes of RAM: make frozen MICROPYTHON_DIR=a-checkout-of-micropython
	@$(PYTHON) host/frozen.py $(ARGS)

mpy: ## compile every module into build/mpy
	@$(INSTALL) mpy
	@$(PYTHON) host/mpy.py

romfs: ## put the firmware into an image for a board's flash, build/tsumiki-xtensawin.romfs
	@$(INSTALL) mpy
	@$(TOOL)/python host/romfs.py $(ARGS)

flash: ## put MicroPython on a board: make flash BOARD=m5stack_core2 [PORT=] [FIRMWARE=file] [FIRMWARE_SHA256=] [ERASE=1]
	@$(INSTALL) host
	@$(TSUMIKI) flash $(ON_BOARD) $(call option,FIRMWARE,firmware) $(call option,FIRMWARE_SHA256,sha256) \
		$(call option,RELEASE,release) $(call option,BACKUP,backup) $(ARGS)

image: ## put the whole robot into one file system for a board: make image BOARD=m5stack_core2 [PORT=] [CONFIG=file] [ERASE=1]
	@$(INSTALL) mpy host
	@$(TSUMIKI) image $(ON_BOARD) $(call option,FIRMWARE,firmware) $(call option,CONFIG,config) $(ARGS)

firmware: ## build MicroPython with the robot frozen in: make firmware BOARD=m5stack_core2 MICROPYTHON_DIR=a-checkout
	@$(INSTALL) host
	@$(TSUMIKI) firmware $(call option,BOARD,board) $(ARGS)

deploy: ## bring the firmware onto a board that has MicroPython: make deploy BOARD=m5stack_core2 [PORT=] [ARGS=--replace]
	@$(INSTALL) mpy host
	@$(TSUMIKI) deploy $(call option,BOARD,board) $(call option,PORT,port) $(ARGS)

provision: ## set a robot's Wi-Fi, token and other preferences over USB: make provision [PORT=] [WIFI=name] [ARGS='--token new']
	@$(INSTALL) host
	@$(TSUMIKI) provision $(call option,PORT,port) $(call option,WIFI,wifi) $(ARGS)

device-test: ## test a robot on a serial port, and measure it: make device-test [PORT=] [HOST=address]
	@$(INSTALL) host
	@$(TSUMIKI) device-test $(call option,PORT,port) $(if $(findstring command,$(origin HOST)),--host '$(HOST)') $(ARGS)

viper: ## write the native twins of the scanners anew
	@$(PYTHON) host/viper.py

goldens: ## write the golden pictures of the face anew, on purpose only
	@$(RUN) host_tests/robot/write_goldens.py $(ARGS)

page: ## write the page that the robot serves anew
	@$(PYTHON) host/page.py

package: ## write the file list of package.json anew
	@$(PYTHON) host/package.py

clean: ## remove what was installed and built
	rm -rf $(VENV) host_tests/js/node_modules build .coverage .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
