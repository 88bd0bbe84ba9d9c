"""The processor's own: what is asked of a radio, and what it answers, on one that is made up."""

import sys

import soc
from harness import eq
from m5stack.system import System


class Point:
    """An access point.  early: bool, it takes its settings before it is on."""

    def __init__(self, early):
        self.early = early
        self.on = False
        self.settings = {}
        self.said = []

    def config(self, **settings):
        self.said.append("config")
        if not (self.early or self.on):
            raise OSError("Wifi Invalid Mode")
        self.settings = settings

    def active(self, on):
        self.said.append("active")
        self.on = on

    def ifconfig(self):
        return ("192.168.4.1", "255.255.255.0", "192.168.4.1", "0.0.0.0")


class Station:
    """A station that hears `rows`, or raises them."""

    def __init__(self, rows):
        self.rows = rows
        self.on = False

    def active(self, on):
        self.on = on

    def scan(self):
        assert self.on
        if isinstance(self.rows, Exception):
            raise self.rows
        return self.rows


class Network:
    AP_IF = 1

    def __init__(self, wlan):
        self._wlan = wlan

    def WLAN(self, kind):
        return self._wlan


def test_an_access_point_has_its_password_from_the_start_and_after_it_on_all_versions():
    for early in (True, False):
        point = Point(early)
        sys.modules["network"] = Network(point)
        try:
            eq(soc.access_point("tsumiki-beef", "12345678"), "192.168.4.1")
        finally:
            del sys.modules["network"]
        eq(point.said, ["config", "active", "config"])
        eq(point.settings, {"ssid": "tsumiki-beef", "security": 3, "key": "12345678", "max_clients": 4})


def row(name, rssi):
    return (name, bytes(6), 6, rssi, 3, False)


def test_what_is_in_reach_the_strongest_first_and_the_station_off_again():
    station = Station(
        [row(b"cafe", -80), row(b"home", -40), row(b"", -30), row(b"\xff", -20), row(b"cafe", -50)]
    )
    eq((soc.names_in_reach(station), station.on), (["home", "cafe"], False))
    station = Station(RuntimeError("Wifi Unknown Error 0x0101"))
    try:
        soc.names_in_reach(station)
        raise AssertionError("it is told")
    except RuntimeError:
        eq(station.on, False)


def test_how_well_it_hears_is_not_known_once_the_network_is_lost():
    class Lost:
        def isconnected(self):
            return True

        def status(self, what):
            raise RuntimeError("Wifi Unknown Error 0x3099")

    system = System()
    system.wlan = Lost()
    eq(system.read()["rssi"], None)
