"""Stands in for MicroPython's `network`: a station that is connected as soon as it is asked to be.

The sockets are those of the computer below; here is only what the order of a board's start depends on.
"""

from board_pipe import call

STA_IF = 0
AP_IF = 1
STAT_IDLE = 1000
STAT_CONNECTING = 1001
STAT_GOT_IP = 1010


class WLAN:
    PM_NONE = 0
    PM_PERFORMANCE = 1
    PM_POWERSAVE = 2
    IF_STA = 0
    IF_AP = 1

    def __init__(self, interface=STA_IF):
        self._on = self._connected = False

    def active(self, on=None):
        if on is not None:
            self._on = bool(on)
            call(0, "radio", {"on": self._on})
        return self._on

    def connect(self, *credentials):
        self._connected = self._on

    def disconnect(self):
        self._connected = False

    def isconnected(self):
        return self._connected

    def status(self, what=None):
        if what == "rssi":
            return -50
        return STAT_GOT_IP if self._connected else STAT_IDLE

    # (name, bssid, channel, rssi, security, hidden)
    def scan(self):
        return [(b"home", bytes(6), 6, -50, 3, False)]

    def config(self, *what, **values):
        return None

    def ifconfig(self):
        return ("127.0.0.1", "255.0.0.0", "127.0.0.1", "127.0.0.1")


def hostname(name=None):
    return "tsumiki"
