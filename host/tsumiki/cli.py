"""The host command: tsumiki COMMAND ...

The module of a command has `add_arguments(parser)` and `run(options)`, which returns the exit status, or raises
`tsumiki.errors.Failed`, whose `status` is the exit status then. Only the module of the command that is asked for is
imported: what another one needs may be missing.

What follows a lone `--` is a command line to start: `options.command`, a list of str, or None. A module that wants one
says `TAKES_COMMAND = True`.
"""

import argparse
import os
import sys
from importlib import import_module
from pathlib import Path

from .errors import Failed
from .people import note

# name, one line of help, module
COMMANDS = (
    (
        "bridge",
        "give a robot on a cable or the network to a client that starts its servers",
        "tsumiki.bridge",
    ),
    ("sim", "run the simulated robot, and servers beside it", "tsumiki.sim"),
    ("flash", "put MicroPython on a board", "tsumiki.flash"),
    ("image", "put the whole robot into one file system for a board", "tsumiki.image"),
    ("firmware", "build MicroPython with the robot frozen into it", "tsumiki.firmware"),
    ("deploy", "bring the firmware onto a board that has MicroPython", "tsumiki.deploy"),
    ("serve", "serve a fixture or a cassette as an MCP server", "tsumiki.serve"),
    ("check", "tell what is wrong with a fixture or a cassette", "tsumiki.check"),
    ("from", "make a fixture of what a server offers", "tsumiki.fixture_from"),
    ("contract", "check that a server still does what somebody relies on", "tsumiki.contract"),
    ("diff", "tell what has changed between two servers, and whom it breaks", "tsumiki.diff"),
    ("verify", "ask a live server what a cassette has, and compare", "tsumiki.verify"),
    ("record", "write down what a client and a server say to each other", "tsumiki.record"),
    ("proxy", "stand between a client and a server, and break what is to be broken", "tsumiki.proxy"),
    ("article", "record or replay as the environment says: MODE, CASSETTE, UPSTREAM_BIN", "tsumiki.article"),
    ("inspect", "list what a cassette holds", "tsumiki.inspect"),
    ("redact", "take the secrets out of a cassette", "tsumiki.redact"),
    ("score", "score the choice of tools in recorded decisions", "tsumiki.score"),
    ("budget", "count the tokens and bytes of tool definitions", "tsumiki.budget"),
    ("provision", "set a robot's Wi-Fi, token and other preferences over USB", "tsumiki.provision"),
    ("device-test", "test a robot on a serial port, and measure it", "tsumiki.device_test"),
    ("ca", "write the certificate that a robot needs for a server with TLS", "tsumiki.ca"),
)
_INTERRUPTED = 130  # 128 + SIGINT, as shells say it
_BROKEN_PIPE = 141  # 128 + SIGPIPE: nobody reads on, as behind `| head`


def main(arguments=None):
    """arguments: list of str, or None for those of the process.  Returns the exit status, or raises SystemExit."""
    _find_firmware()
    arguments, command = _apart(sys.argv[1:] if arguments is None else arguments)
    named = next((a for a in arguments if not a.startswith("-")), None)
    parser, module = _parser(named)
    options = parser.parse_args(arguments)
    if module is None:
        parser.print_help()
        return 2
    if command is not None and not getattr(module, "TAKES_COMMAND", False):
        parser.error("%s starts no command: there is nothing to write behind --" % named)
    options.command = command
    try:
        status = module.run(options)
        sys.stdout.flush()
        return status
    except Failed as e:
        note("tsumiki %s: %s" % (named, e))
        return e.status
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        _let_go_of_stdout()
        return _BROKEN_PIPE


# What is left in its buffer would fail again when Python ends.
def _let_go_of_stdout():
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


# argparse knows `--`, but not which of two positional arguments the rest belongs to.
def _apart(arguments):
    if "--" not in arguments:
        return arguments, None
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]


# In a clone the modules shared with the robot lie in firmware/; the wheel has them beside this package.
def _find_firmware():
    folder = Path(__file__).resolve().parents[2] / "firmware"
    if (folder / "umcp").is_dir() and str(folder) not in sys.path:
        sys.path.append(str(folder))


# (parser, module of the command that is named or None). Only that one's arguments are known.
def _parser(named):
    parser = argparse.ArgumentParser(prog="tsumiki", description="The host command of a Tsumiki robot.")
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(metavar="COMMAND")
    found = None
    for name, text, module in COMMANDS:
        command = commands.add_parser(name, help=text, description=text)
        if name == named:
            found = _module(name, module)
            found.add_arguments(command)
    return parser, found


def _module(name, module):
    try:
        return import_module(module)
    except ModuleNotFoundError as e:
        sys.exit("tsumiki %s: %s is missing: pip install 'tsumiki[host]'" % (name, e.name))


class _Version(argparse.Action):
    def __call__(self, parser, *_):
        from umcp import VERSION

        print("tsumiki " + VERSION)
        parser.exit()
