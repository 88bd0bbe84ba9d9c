"""A board's Wi-Fi: join one of the networks that its owner named, and join again whenever it is lost.

    wifi = Wifi(network.WLAN(network.WLAN.IF_STA), (("home", "password"),), log)
    asyncio.create_task(wifi.run())

Each network is tried in turn; between rounds that failed it waits 1 s, then 2, up to 60. Power save is off: it costs
50-300 ms a round trip (hardware.md 0.8).
"""

import asyncio

from micropython import const

_TURN_MS = const(200)
_JOIN_MS = const(15_000)  # for one network, its address included
_LOST_MS = const(3_000)  # The radio joins the same network again by itself, mostly within that time.
_FIRST_MS = const(1_000)
_LONGEST_MS = const(60_000)


class Wifi:
    """wlan: `network.WLAN` of a station.  networks: tuple of (name, password), the best first; "" for an open one.

    log: log(level, text, exception=None); it never gets a password.
    changed: called with the address, or None once it is lost.
    address: str, of this robot, or None.  name: str, of the network it is in, or None.
    """

    def __init__(self, wlan, networks, log, changed=None):
        self._wlan = wlan
        self._networks = networks
        self._log = log
        self._changed = changed
        self.address = self.name = None

    async def run(self):
        """Keep it joined, for ever. What the radio refuses is told, and tried again."""
        wait_ms = _FIRST_MS
        while True:
            try:
                if await self._join():
                    wait_ms = _FIRST_MS
                    await self._stay()
            except Exception as e:  # A radio raises RuntimeError too, for want of memory say.
                self._log("warning", "Wi-Fi: %s" % e)
            finally:
                self._tell(None, None)
            await asyncio.sleep_ms(wait_ms)
            wait_ms = min(2 * wait_ms, _LONGEST_MS)

    # True once one of the networks has given us an address.
    async def _join(self):
        wlan = self._wlan
        wlan.active(True)
        wlan.config(pm=wlan.PM_NONE)
        for name, password in self._networks:
            try:
                wlan.disconnect()
                wlan.connect(name, *((password,) if password else ()))
            except (
                Exception
            ) as e:  # It refuses this one, for a password that is none say: the next has its turn.
                self._log("warning", "Wi-Fi: cannot join %s: %s" % (name, e))
                continue
            for _ in range(_JOIN_MS // _TURN_MS):
                if wlan.isconnected():
                    self._tell(name, wlan.ifconfig()[0])
                    return True
                await asyncio.sleep_ms(_TURN_MS)
            self._log("warning", "Wi-Fi: cannot join %s (status %s)" % (name, wlan.status()))
        return False

    # Until it is lost for good, with an address that may change.
    async def _stay(self):
        lost_ms = 0
        while lost_ms < _LOST_MS:
            await asyncio.sleep_ms(_TURN_MS)
            if not self._wlan.isconnected():
                lost_ms += _TURN_MS
                continue
            lost_ms = 0
            address = self._wlan.ifconfig()[0]
            if address != self.address:
                self._tell(self.name, address)

    def _tell(self, name, address):
        if address == self.address:
            return
        self.name = name
        self.address = address
        if address is None:
            self._log("warning", "Wi-Fi: lost")
        else:
            self._log("info", "Wi-Fi: %s in %s" % (address, name))
        if self._changed is not None:
            self._changed(address)
