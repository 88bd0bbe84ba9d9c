"""The base of the virtual boards: chips by name, some of them left out, and hands that touch what there is.

wired("m5stack_core2", without=("imu",), options=("axp2101",))      # in `boards`
"""

from .board_parts import Servos
from .i2c import I2CBus
from .pwm_servos import PwmServos
from .rs30x_bus import RS30xBus
from .soc import Wiring
from .xl330_bus import XL330Bus

BAUD = 1000000
NECKS = ("pwm", "xl330", "rs30x")  # instead of the SCS0009 servos
_ZONES = ("back", "middle", "front")


class Board(Wiring):
    """without: names of chips that are not there.  options: what this one has or is, see each board."""

    OPTIONS = ()

    def __init__(self, without=(), options=()):
        super().__init__()
        self.clock_ms = 0
        self.buttons = {}
        self.levels = {}
        self._without = set(without)
        self.options = options
        unknown = set(options) - set(self.OPTIONS)
        if unknown:
            raise ValueError("no such option: %s" % ", ".join(sorted(unknown)))
        self.build()
        if self._without:
            raise ValueError("no such chip: %s" % ", ".join(sorted(self._without)))

    def build(self):
        """Put the chips in their places."""

    def wait(self, ms):
        self.clock_ms += ms
        super().wait(ms)

    def have(self, name, chip):
        """The chip, which is called that; None if the board is without."""
        if name in self._without:
            self._without.remove(name)
            return None
        self.chips[name] = chip
        return chip

    def screen(self, sck, mosi, cs, dc, panel):
        """A panel on its pins; returns it. One that is left out is not there to be told anything."""
        if self.have("panel", panel) is not None:
            self.panels.append((sck, mosi, cs, dc, panel))
        else:
            self.panels.append((sck, mosi, cs, dc, _Nobody()))
        return panel

    def bus(self, sda, scl, *chips):
        """An I2C bus with those of the chips that there are."""
        self.i2c[sda, scl] = I2CBus([chip for chip in chips if chip is not None])

    def wire(self, table, pins, chip, method):
        """Put a method of a chip, if there is one, on pins in one of the tables of `Wiring`."""
        if chip is not None:
            table[pins] = getattr(chip, method)

    def necks(self, line, pins):
        """The servos, which an option names.  line: (tx, rx) of serial ones.  pins: (yaw, pitch) of those by pulse."""
        kind = ([one for one in self.options if one in NECKS] or ["scs0009"])[0]
        if kind == "pwm":
            servos = self.have("servos", PwmServos())
            if servos is not None:
                for id, pin in enumerate(pins):
                    self.pwm[pin] = lambda hz, ns, id=id: servos.signal(id, hz, ns)
        elif kind == "xl330":
            self.uarts[line] = (BAUD, self.have("servos", XL330Bus({1: 2048, 2: 2048})))
        elif kind == "rs30x":
            self.uarts[line] = (115200, self.have("servos", RS30xBus({1: 0, 2: 0})))
        else:
            self.uarts[line] = (BAUD, self.have("servos", Servos(self)))

    def listen_to(self, chip, acts):
        """chip: has `on_change`, or None.  acts: dict of name to function(value)."""
        if chip is not None:
            chip.on_change = lambda name, value: acts.get(name, _nothing)(value)

    def feel(self, line):
        """Something happens to the robot; what this board has no chip for is passed over.

        line: str, as of boards/unix/outside.py: `button a 1`, `touch screen 1`, `touch front 0`, `imu X Y Z`,
        `power PERCENT CHARGING USB`.  Raises ValueError for what is none.
        """
        kind, *words = line.split()
        if kind in ("button", "touch"):
            self._press(kind, words[0], int(words[1]))
        elif kind == "imu" and "imu" in self.chips:
            self.chips["imu"].accelerate(*(int(word) for word in words))
        elif kind == "power" and "pmic" in self.chips:
            percent, charging, usb = (int(word) for word in words)
            pmic = self.chips["pmic"]
            pmic.battery_percent = percent
            pmic.battery_mv = 3300 + 9 * percent
            pmic.charging, pmic.usb, pmic.vbus = bool(charging), bool(usb), bool(usb)

    def _press(self, kind, name, value):
        touch = self.chips.get("touch")
        if kind == "button" and name in self.buttons:
            self.levels[self.buttons[name]] = 1 - value
        elif touch is not None and (name == "screen" or (kind == "button" and name in "abc")):
            if value:
                touch.press(*((160, 120) if name == "screen" else (53 + 107 * "abc".index(name), 260)))
            else:
                touch.lift()
        elif "head touch" in self.chips and name in _ZONES:
            self.chips["head touch"].touch(_ZONES.index(name), 3 * value)

    def button(self, name, pin):
        """A button between a pin and ground."""
        self.buttons[name] = pin
        self.levels[pin] = 1
        self.inputs[pin] = lambda pull: self.levels[pin]


class _Nobody:
    def transfer(self, is_data, selected, data):
        pass


def _nothing(value):
    pass


def setter(chip, name):
    """A function that sets an attribute."""
    return lambda value: setattr(chip, name, value)
