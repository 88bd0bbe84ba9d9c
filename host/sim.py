"""Run the simulated robot: the virtual chips here, and the firmware under unix MicroPython beside them.

    python3 host/sim.py [options of examples/sim.py]

What is typed happens to the robot: `button a 1`, `touch head 1`, `imu 0 0 1000`, `power 40 0 0`, a line each (see
boards/unix/outside.py), unless stdin carries MCP (--stdio).

With `--board NAME` it is the code of a real board that runs, on virtual chips instead of its own: `m5stack_core`,
`m5stack_core2`, `m5stack_cores3`, `stackchan_kit`, `m5stack_atoms3r`. `--with OPTION` and `--without CHIP` are those of
host/tsumiki/chips/board_server.py.

`--with NAME='COMMAND'` starts a stdio server beside the robot, and tells the robot of it: see host/companions.py.
"""

import signal
import socketserver
import subprocess
import sys
import threading
from collections import deque
from contextlib import ExitStack
from pathlib import Path

import interpreter
from install import ROOT, Failed

_HEARD = 1000
_TERMINATED = 143  # 128 + SIGTERM
SCRIPT = ROOT / "examples" / "sim.py"
HOME = ROOT / "build" / "sim"
STAND_IN = ROOT / "host" / "tsumiki" / "chips" / "stand_in"


class World(socketserver.ThreadingTCPServer):
    """The world around the robot, on a port of its own: what is said to it is heard by the robot.

    heard: deque of str, the last lines that the robot said.  robots: list of the connections of robots.
    """

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Robot)
        self.robots = []
        self.heard = deque(maxlen=_HEARD)

    def say(self, line):
        """line: str, without its end."""
        for robot in list(self.robots):
            try:
                robot.wfile.write(line.encode() + b"\n")
            except OSError:
                pass  # It has just gone.


class _Robot(socketserver.StreamRequestHandler):
    def handle(self):
        self.server.robots.append(self)
        try:
            for line in self.rfile:
                self.server.heard.append(line.decode().strip())
        except OSError:
            pass
        finally:
            self.server.robots.remove(self)


def chips():
    """{name of the environment variable: server}, each of a virtual chip or of the world."""
    from tsumiki.chips.panel import Panel
    from tsumiki.chips.panel_server import Server as PanelServer
    from tsumiki.chips.scs_bus import ScsBus
    from tsumiki.chips.scs_server import Server as ServoServer

    return {
        "TSUMIKI_PANEL": PanelServer(Panel()),
        "TSUMIKI_SERVOS": ServoServer(ScsBus()),
        "TSUMIKI_WORLD": World(),
    }


class Hands:
    """A virtual board's surroundings: what is typed happens to its chips.  server: of `board_server`."""

    def __init__(self, server):
        self._server = server

    def say(self, line):
        """line: str; what is none is told on stderr."""
        try:
            with self._server.lock:
                self._server.wiring.feel(line)
        except (ValueError, IndexError, TypeError) as e:
            print("%s: %s" % (line, e), file=sys.stderr)


def board(name, without=(), options=()):
    """The same for a real board's code, which finds all its chips behind one pipe.  Raises `Failed`."""
    from tsumiki.chips.board_server import Server
    from tsumiki.chips.boards import BOARDS, wired

    if name not in BOARDS:
        raise Failed("no board is called %s: unix, %s" % (name, ", ".join(BOARDS)))
    try:
        return {"TSUMIKI_BOARD": Server(wired(name, without, options))}
    except ValueError as e:
        raise Failed(str(e)) from None


def board_environment(name):
    """The environment in which that code finds its `board.py`, and the stand-ins of MicroPython's modules."""
    env = interpreter.environment()
    env["MICROPYPATH"] = "%s:%s:%s" % (STAND_IN, ROOT / "boards" / name, env["MICROPYPATH"])
    return env


def start(servers, env=None):
    """Serve all in threads; returns the environment for the firmware.  env: dict, instead of the simulated board's."""
    env = dict(env or interpreter.environment())
    for name, server in servers.items():
        threading.Thread(target=server.serve_forever, daemon=True).start()
        env[name] = "%s:%d" % server.server_address
    return env


def _listen_to(typed, world):
    for line in typed:
        if line.strip():
            world.say(line.strip())


# The values of an option that may come more than once, which are taken out of the arguments.
def _taken(arguments, option):
    found = []
    while option in arguments[:-1]:
        at = arguments.index(option)
        found.append(arguments[at + 1])
        del arguments[at : at + 2]
    return found


def main(arguments):
    path = interpreter.need()
    arguments = list(arguments)
    without, given = _taken(arguments, "--without"), _taken(arguments, "--with")
    companions = [one for one in given if "=" in one]
    options = [one for one in given if one not in companions]
    name = ([*_taken(list(arguments), "--board"), "unix"])[0]
    if name == "unix":
        servers = chips()
        env = start(servers)
        world = servers["TSUMIKI_WORLD"]
    else:
        servers = board(name, without, options)
        env = start(servers, board_environment(name))
        world = Hands(servers["TSUMIKI_BOARD"])
    with ExitStack() as stack:
        _accompany(companions, arguments, stack)
        return _run([path, SCRIPT, *arguments], env, world, "--stdio" in arguments)


# Starts the servers beside the robot, and tells it and its owner.
def _accompany(given, arguments, stack):
    if not given:
        return
    from companions import Companion, Told

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(_TERMINATED))
    found = []
    for one in given:
        found.append(Companion(one))
        stack.callback(found[-1].close)
    home = Path(([*_taken(list(arguments), "--home")[-1:], HOME])[0])
    stack.callback(Told(home, found).close)
    for one in found:
        print("%s: %s, token %s" % (one.name, one.url, one.token), file=sys.stderr)


def _run(command, env, world, stdio):
    firmware = subprocess.Popen(command, env=env, stdin=None if stdio else subprocess.DEVNULL)
    signal.signal(signal.SIGTERM, lambda *_: firmware.terminate())
    if not stdio:
        threading.Thread(target=_listen_to, args=(sys.stdin, world), daemon=True).start()
    while True:
        try:
            return firmware.wait()
        except KeyboardInterrupt:
            pass  # The firmware has had it too.


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failed as e:
        sys.exit(str(e))
