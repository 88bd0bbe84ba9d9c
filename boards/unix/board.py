"""The simulated board: the ports of a robot whose panel and servos are virtual chips behind byte pipes.

Where these listen is in the environment, as `HOST:PORT`: TSUMIKI_PANEL, TSUMIKI_SERVOS, and TSUMIKI_WORLD for the
rest (see `outside`). A chip that is not named, or not there, is a part that the robot lacks.
"""

import os
import time

from micropython import const

from robot.ports import Ports

from .outside import Outside
from .parts import Imu, Inputs, Power, Speaker, Strip, System
from .pipe_bus import PanelBus, connect

# The middle of the virtual servos; the kit's factory values.
_YAW_ZERO = const(460)
_PITCH_ZERO = const(620)
_LIGHTS = const(6)
# Another process answers, which may have to wait for its turn.
_SERVO_MS = const(200)


class Board(Ports):
    """The ports, of `robot.robot.Robot`; those that there are not are None.

    getenv: function of a name -> str or None.  outside: `Outside`.
    missing: dict of part to str, why it was named and is not there.
    """

    name = "unix"

    def __init__(self, getenv=os.getenv):
        super().__init__()
        world = self._named("world", "virtual", getenv("TSUMIKI_WORLD"), connect)
        self.outside = outside = Outside(world)
        self.display = self._named("display", "ILI9342C", getenv("TSUMIKI_PANEL"), _display)
        self.servos = self._named("servos", "scs0009", getenv("TSUMIKI_SERVOS"), _servos)
        self.speaker = self.part("speaker", "virtual", Speaker, outside)
        self.leds = self.part("leds", "virtual", _strips, outside)
        self.inputs = self.part("inputs", "virtual", Inputs, outside)
        self.imu = self.part("imu", "virtual", Imu, outside)
        self.power = self.part("power", "virtual", Power, outside)
        self.system = System()

    def _named(self, name, what, address, make):
        return self.part(name, what, _at, make, address) if address else None


def _at(make, address):
    try:
        return make(address)
    except (OSError, ValueError) as e:
        raise OSError("%s: %s" % (address, e))


def _strips(outside):
    return {name: Strip(outside, name, _LIGHTS) for name in ("left", "right")}


# The real driver; `row(y, buf)` besides, which only a virtual panel has.
def _display(address):
    from drivers.ili9342c import ILI9342C

    bus = PanelBus(connect(address))
    panel = ILI9342C(bus, bus.dc, bus.cs, bus.reset, bus.backlight, sleep_ms=bus.sleep_ms)
    panel.start()
    panel.row = bus.row
    return panel


def _servos(address):
    from drivers.scs0009 import Bus, Servos, kit
    from robot.errors import ServoFault

    from .pipe_uart import PipeUART

    bus = Bus(PipeUART(connect(address)), time.ticks_ms, timeout_ms=_SERVO_MS, error=ServoFault)
    return Servos(bus, kit(_YAW_ZERO, _PITCH_ZERO))
