# The whole firmware in an image of its own: make firmware BOARD=stackchan_kit MICROPYTHON_DIR=...

include("$(PORT_DIR)/boards/manifest.py")
include("../../manifest.py")
require("bmi270")

module("board.py")
