"""Run the simulated robot: the virtual chips here, and the firmware under unix MicroPython beside them.

    python3 host/sim.py [options of examples/sim.py]

What is typed happens to the robot: `button a 1`, `touch head 1`, `imu 0 0 1000`, `power 40 0 0`, a line each (see
boards/unix/outside.py), unless stdin carries MCP (--stdio).
"""

import signal
import socketserver
import subprocess
import sys
import threading
from collections import deque

import interpreter
from install import ROOT, Failed

_HEARD = 1000
SCRIPT = ROOT / "examples" / "sim.py"


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


def start(servers):
    """Serve all in threads; returns the environment for the firmware."""
    env = interpreter.environment()
    for name, server in servers.items():
        threading.Thread(target=server.serve_forever, daemon=True).start()
        env[name] = "%s:%d" % server.server_address
    return env


def _listen_to(typed, world):
    for line in typed:
        world.say(line.strip())


def main(arguments):
    path = interpreter.need()
    servers = chips()
    env = start(servers)
    stdio = "--stdio" in arguments
    firmware = subprocess.Popen(
        [path, SCRIPT, *arguments], env=env, stdin=None if stdio else subprocess.DEVNULL
    )
    signal.signal(signal.SIGTERM, lambda *_: firmware.terminate())
    if not stdio:
        threading.Thread(target=_listen_to, args=(sys.stdin, servers["TSUMIKI_WORLD"]), daemon=True).start()
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
