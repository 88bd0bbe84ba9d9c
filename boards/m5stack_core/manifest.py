# The whole firmware in an image of its own: make firmware BOARD=m5stack_core MICROPYTHON_DIR=...

include("$(PORT_DIR)/boards/manifest.py")
include("../../manifest.py")

module("board.py")
