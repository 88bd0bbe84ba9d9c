"""The robot's app on the simulated board. `make sim` runs it beside the virtual chips: see host/sim.py.

micropython examples/sim.py [--host H] [--port N] [--home FOLDER] [--board NAME]
micropython examples/sim.py --stdio [--home FOLDER] [--board NAME]
"""

import asyncio
import os
import sys

sys.path.insert(0, __file__.rsplit("/", 1)[0] + "/../firmware")
sys.path.insert(1, __file__.rsplit("/", 1)[0] + "/..")

from command_line import refuse

from app import NAME, App, log, make_board
from config import Preferences

_HOME = __file__.rsplit("/", 1)[0] + "/../build/sim"
# MicroPython keeps no docstrings.
_USAGE = """Run the robot on the simulated board until Ctrl-C.

    sim.py [--host 127.0.0.1] [--port 8080] [--home build/sim] [--board unix]
    sim.py --stdio [--home build/sim] [--board unix]

The folder --home keeps the robot's preferences, its token among them. With --stdio the robot serves the program that
started it, over stdin and stdout, until its input ends. With --board the code of a real board runs, on virtual chips:
m5stack_core, m5stack_core2, m5stack_cores3, stackchan_kit, m5stack_atoms3r (see host/sim.py).
"""


def options(arguments):
    """The command line as a dict; prints what is wrong and exits with 2 otherwise."""
    given = {"--host": "127.0.0.1", "--port": "8080", "--home": _HOME, "--board": "unix", "--stdio": False}
    arguments = list(arguments)
    while arguments:
        name = arguments.pop(0)
        if name in ("-h", "--help"):
            print(_USAGE.strip())
            sys.exit(0)
        if name == "--stdio":
            given[name] = True
        elif name in given and arguments:
            given[name] = arguments.pop(0)
        else:
            refuse("unknown or incomplete option %s; try --help" % name)
    if not given["--port"].isdigit() or not 0 < int(given["--port"]) < 65536:
        refuse("--port takes a number from 1 to 65535")
    return given


def make_folder(path):
    """Make a folder, and those above it, where they are not there yet."""
    done = ""
    for name in path.split("/"):
        done += name + "/"
        try:
            os.mkdir(done)
        except OSError:
            pass  # It is there, or the file in it cannot be written, which is told then.


def _tell(app, host, port):
    url = "http://%s:%s" % (host, port)
    print("listening on %s:%s" % (host, port))
    print("page:  %s/#%s" % (url, app.token))
    print("MCP:   %s/mcp" % url)
    print("token: " + app.token)
    print("To add it to Claude Code:")
    header = "Authorization: Bearer " + app.token
    print('  claude mcp add --transport http %s %s/mcp --header "%s"' % (NAME, url, header))


# A board's own `board.py` is on the path, as on the board, and so are the stand-ins of what it imports of MicroPython.
def _board(name, preferences):
    if name == "unix":
        from boards.unix.board import Board

        return Board()
    try:
        from board_pipe import call
    except ImportError:
        refuse("--board takes the virtual chips of a board beside it: see host/sim.py")

    board = make_board(preferences)
    call(0, "booted")
    return board


async def main():
    given = options(sys.argv[1:])
    make_folder(given["--home"])
    preferences = Preferences(given["--home"] + "/config.json", log)
    board = _board(given["--board"], preferences)
    for part, why in board.missing.items():
        log("error", "the robot has no %s: %s" % (part, why))
    app = App(board, preferences, host=given["--host"], port=int(given["--port"]))
    if given["--stdio"]:
        from net.stdio import stdio

        app.start_stepping()
        await app.server.serve_lines(*stdio(log))
        return
    if not await app.start():
        refuse(app.server.error + "; try --port" if " port " in app.server.error else app.server.error, 1)
    _tell(app, given["--host"], given["--port"])
    while True:
        await asyncio.sleep(3600)


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
