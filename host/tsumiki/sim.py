"""tsumiki sim: the simulated robot, and stdio servers beside it. It is in a clone of the repository alone.

    tsumiki sim --port 8080
    tsumiki sim --board m5stack_core2 --without imu
    tsumiki sim --with files='npx -y @modelcontextprotocol/server-filesystem .'

See host/sim.py: what is typed happens to the robot, `button a 1`, a line each.
"""

import sys
from pathlib import Path

from .errors import Failed

_PASSED = ("host", "port", "home", "board")


def add_arguments(parser):
    parser.epilog = "example: tsumiki sim --port 8080"
    parser.add_argument("--host", metavar="H", help="where it listens (127.0.0.1)")
    parser.add_argument("--port", metavar="N", help="(8080)")
    parser.add_argument(
        "--home", metavar="FOLDER", help="of its preferences, the token among them (build/sim)"
    )
    parser.add_argument("--board", metavar="NAME", help="the code of a real board, on virtual chips")
    parser.add_argument("--stdio", action="store_true", help="serve whoever started this")
    parser.add_argument(
        "--with", action="append", default=[], dest="more", metavar="NAME='COMMAND'|OPTION",
        help="a stdio server that the robot is told of; or, with --board, what the board has besides",
    )  # fmt: skip
    parser.add_argument(
        "--without", action="append", default=[], metavar="CHIP", help="with --board: it is missing"
    )


def run(options):
    """Returns the exit status.  Raises Failed."""
    host = Path(__file__).resolve().parents[1]
    if not (host / "sim.py").is_file():
        raise Failed("the simulated robot is in a clone of the repository alone")
    if str(host) not in sys.path:
        sys.path.insert(0, str(host))
    import install
    import sim

    try:
        return sim.main(arguments(options))
    except install.Failed as e:
        raise Failed(str(e)) from None


def arguments(options):
    """The same as arguments of host/sim.py: list of str."""
    found = ["--stdio"] if options.stdio else []
    for name in _PASSED:
        value = getattr(options, name)
        found += [] if value is None else ["--" + name, value]
    for name, values in (("--with", options.more), ("--without", options.without)):
        for value in values:
            found += [name, value]
    return found
