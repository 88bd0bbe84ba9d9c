"""What a robot's device does besides: it counts its boots, joins Wi-Fi, sets the clock, and watches its memory.

    device.main()

Where it has no network it opens one, for its setup. Nothing here may stop the REPL, the server or what else goes on:
each thing is a task, and tries again. After three boots that did not last a minute, or with a button held, the robot
starts safely: without servos, with setup only; after five without any part.
"""

import asyncio
import gc
import os

from micropython import const

import soc
from app import NAME, PORT, App, log, make_board
from config import KEYS, Preferences
from umcp import VERSION

_BOOTS = "boots.txt"
_MOST_BOOTS = const(3)
_MOST_SAFE_BOOTS = const(5)
_WELL_S = const(60)
_GREETING_MS = const(6_000)
_SHOWN_MS = const(15_000)
_SECRET_MS = const(60_000)
_FIRST_S = const(1)
_LONGEST_S = const(60)
_LOOK_S = const(2)
# What Wi-Fi and lwIP need to live (hardware.md 10), and where it is too late.
_LOW = const(40_000)
_ENOUGH = const(48_000)
_LOST = const(8_000)
_LOST_LOOKS = const(15)
_CLOCK_S = const(60)
_DAY_S = const(86_400)
_LATER_S = const(3_600)
_PASSWORD = const(8)  # digits
_HOSTNAME = const(32)  # what MicroPython takes, and an access point


class Boots:
    """Counts the boots that did not last.  path: str, of a small file."""

    def __init__(self, path=_BOOTS):
        self._path = path

    def begin(self):
        """How many before this one did not last: int."""
        try:
            with open(self._path) as f:
                count = int(f.read(4))
        except (OSError, ValueError):
            count = 0
        self._write(min(count + 1, 999))
        return count

    def lasted(self):
        """This one has."""
        self._write(0)

    def _write(self, count):
        try:
            with open(self._path + ".new", "w") as f:
                f.write(str(count))
            os.rename(self._path + ".new", self._path)
        except OSError:
            pass  # A full or broken file system must not keep the robot from starting.


class Device:
    """app: `app.App`.  preferences: `config.Preferences`.  safe: bool, setup only.  soc: what is like that module."""

    def __init__(self, app, preferences, safe=False, boots=None, soc=soc):
        self.app = app
        self.safe = safe
        self._preferences = preferences
        self._boots = boots or Boots()
        self._log = app.log
        self._soc = soc
        self._tasks = []
        self.wifi = None

    async def run(self):
        """For ever."""
        app = self.app
        app.start_stepping()
        self._start(self._greet)
        self._start(self._last)
        self._start(self._watch_memory)
        if not self.safe:
            self._start(self._listen)
        if not self._soc.has_radio():
            self._log("info", "there is no radio")
        elif self.safe or not self._preferences.get("wifi.names"):
            self._start(self._set_up)
        else:
            self._start(self._join)
            self._start(self._keep_time)
        while True:
            await asyncio.sleep(3600)

    def stop(self):
        """End what `run` has started."""
        for task in self._tasks:
            task.cancel()
        self._tasks = []

    def _start(self, work):
        self._tasks.append(asyncio.create_task(self._guarded(work)))

    # What ends by an error must neither end in silence nor for good.
    async def _guarded(self, work):
        wait_s = _FIRST_S
        while True:
            try:
                return await work()
            except Exception as e:
                self._log("error", "the device failed", e)
            gc.collect()
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, _LONGEST_S)

    async def _greet(self):
        self.app.tell(self._greeting(), _GREETING_MS)

    def _greeting(self):
        ports = self.app.robot.ports
        lines = ["%s %s%s" % (NAME, VERSION, ", safe mode" if self.safe else "")]
        if hasattr(ports, "found"):
            lines.append("found: %s" % (", ".join(sorted(ports.found())) or "nothing"))
        for part, why in sorted(getattr(ports, "missing", {}).items()):
            lines.append("missing: %s, %s" % (part, why))
        return lines

    async def _last(self):
        await asyncio.sleep(_WELL_S)
        self._boots.lasted()

    # Somebody wants it, and it is no boot that failed.
    def _restart(self):
        self._boots.lasted()
        self._soc.reset()

    ####################################################################################################
    # The network

    # Listen, and again whenever the listener has died.
    async def _listen(self):
        server = self.app.server
        wait_s = _FIRST_S
        while True:
            if server.listening:
                wait_s = _FIRST_S
                await asyncio.sleep(_LOOK_S)
                continue
            await server.close()
            gc.collect()  # The socket of a listener that died.
            if not await server.start():
                await asyncio.sleep(wait_s)
                wait_s = min(2 * wait_s, _LONGEST_S)

    async def _join(self):
        from net.wifi import Wifi  # late (RAM)

        get = self._preferences.get
        wlan = self._soc.station(self._hostname())
        system = self.app.robot.ports.system
        if system is not None:
            system.wlan = wlan
        passwords = tuple(get("wifi.passwords")) + ("",) * len(get("wifi.names"))
        self.wifi = Wifi(wlan, tuple(zip(get("wifi.names"), passwords)), self._log, self._moved)
        await self.wifi.run()

    # A name that is none must not cost the robot its network.
    def _hostname(self):
        name = self._preferences.get("wifi.hostname")
        if 0 < len(name) <= _HOSTNAME and all([_fits(c) for c in name.encode()]):
            return name
        self._log("warning", "wifi.hostname is none: 1 to 32 letters, digits and hyphens")
        return KEYS["wifi.hostname"][1]

    # The robot has another address, or none.
    def _moved(self, address):
        if address is None:
            return
        self._serve_as(address)
        if self.app.chat is not None:
            self.app.chat.servers.hurry()
        self._show(address, [self.wifi.name])

    def _serve_as(self, address):
        allowed = tuple(self._preferences.get("net.allowed_hosts"))
        name = self._hostname()
        self.app.server.allow_hosts(allowed + (address, name, name + ".local"))

    # The token is shown once in its life, for whoever has made the robot: where there is an address, for a minute.
    def _show(self, address, more):
        app = self.app
        lines = ["http://%s:%d/" % (address, PORT)] + more
        if app.token_is_new:
            app.say("\n".join(lines) + "\ntoken: " + app.token)
            app.tell(lines, _SECRET_MS, "token: " + app.token)
            self._start(self._shown)
        else:
            app.say("\n".join(lines))
            app.tell(lines, _SHOWN_MS)

    async def _shown(self):
        await asyncio.sleep(_SECRET_MS // 1000)
        if self.app.token_is_new:
            self.app.token_told()

    # TLS needs the date, and quiet hours the time. A time server that does not answer blocks for a second, a DNS
    # server for longer: not while the head turns, and ever more seldom.
    async def _keep_time(self):
        wait_s = _CLOCK_S
        while True:
            if self.wifi is None or self.wifi.address is None or self.app.robot.moving:
                await asyncio.sleep(1)
                continue
            try:
                self._soc.set_clock()
                wait_s = _CLOCK_S
                await asyncio.sleep(_DAY_S)
            except Exception as e:  # An answer that is none is no OSError.
                self._log("warning", "the clock cannot be set: %s" % e)
                await asyncio.sleep(wait_s)
                wait_s = min(2 * wait_s, _LATER_S)

    async def _set_up(self):
        from setup import Setup  # late (RAM)

        end = "-" + self._soc.unique(4)
        name = self._hostname()[: _HOSTNAME - len(end)] + end
        password = self._soc.digits(_PASSWORD)
        try:
            networks = self._soc.names_in_reach(self._soc.station(name))
        except Exception as e:  # Then their owner types the name.
            self._log("warning", "no networks are heard: %s" % e)
            networks = []
        address = self._soc.access_point(name, password)
        if not self.safe:
            self._serve_as(address)
        lines = ["Setup: join the Wi-Fi", name, "password " + password, "then open", "http://%s/" % address]
        app = self.app
        app.say("\n".join(lines) + ("\ntoken: " + app.token if app.token_is_new and not self.safe else ""))
        app.tell(lines[:2] + lines[3:], 24 * 3600 * 1000, lines[2])
        missing = getattr(app.robot.ports, "missing", {})
        await Setup(self._preferences, address, networks, missing, self._restart, self._log).run()

    ####################################################################################################
    # Memory

    # What Python's heap takes from the network does not come back: new work is refused before the network dies.
    async def _watch_memory(self):
        lost = 0
        while True:
            await asyncio.sleep(_LOOK_S)
            free = self._soc.network_free()
            if free is None:
                return
            if free < _LOW:
                gc.collect()
                self.app.starve(True)
            elif free > _ENOUGH:
                self.app.starve(False)
            lost = lost + 1 if free < _LOST else 0
            if lost == _LOST_LOOKS:
                self._log("error", "the network has no memory left: the robot starts again")
                self._soc.reset()


def main():
    """Run on the board that this image is made for, for ever."""
    soc.collect_often()
    preferences = Preferences(log=log)
    boots = Boots()
    failed = boots.begin()
    safe = failed >= _MOST_BOOTS or _held()
    app = App(_board(preferences, safe, failed), preferences, serial=True)
    try:
        asyncio.run(Device(app, preferences, safe, boots).run())
    except KeyboardInterrupt:
        boots.lasted()  # Somebody wants the REPL, and it is no boot that failed.
        raise


# A letter, a digit or a hyphen of ASCII.
def _fits(c):
    return c == 45 or 48 <= c <= 57 or 97 <= c | 32 <= 122


# The screen shows the access point's password, so a safe start tries to have one: a board as it is by itself, whatever
# its owner has set.
def _board(preferences, safe, failed):
    if failed >= _MOST_SAFE_BOOTS:
        from robot.ports import Ports

        board = Ports()
        board.lacks("board", "safe mode: its parts are left alone")
        return board
    return make_board(_Defaults if safe else preferences)


class _Defaults:
    @staticmethod
    def get(key):
        return KEYS[key][1]


# A button that is held while the robot starts, on boards that have one.
def _held():
    try:
        import board

        return board.held()
    except Exception:  # There is no board, or no such button, or it fails as it is made: as good as not held.
        return False
