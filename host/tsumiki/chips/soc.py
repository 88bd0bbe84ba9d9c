"""A virtual ESP32 or ESP32-S3: its pins and the units behind them, wired to the virtual chips of a board.

It raises `Refusal` for what MicroPython's `machine` refuses, and keeps in `faults` what a real board would suffer from:
a pin that the flash, the PSRAM or another unit has; an SPI whose MISO is not given, so that it takes a pin that it
should not have; a D/C pin that the SPI took back; a UART made while the radio is on, with PSRAM on an ESP32
(micropython#18544); a bus faster than a chip on it (hardware.md 0 and 1.2). All that happens is in `trace`, in order.
"""

import time
from collections import deque

from .i2c import I2CBus

_TRACED = 20000
_FAULTS = 200
_OUT, _OPEN_DRAIN = 3, 7

_FLASH = "the flash"
_PSRAM = "the PSRAM"
# Chip to (pins that there are, pins that can only be inputs, {pin: who has it}).
_PINS = {
    "esp32": (
        frozenset([*range(20), *range(21, 24), *range(25, 28), *range(32, 40)]),
        frozenset(range(34, 40)),
        dict.fromkeys(range(6, 12), _FLASH),
    ),
    "esp32s3": (
        frozenset([*range(22), *range(26, 49)]),
        frozenset(),
        dict.fromkeys(range(26, 33), _FLASH),
    ),
}
# What a kind of PSRAM takes besides.
_TAKEN = {None: (), "esp32": (16, 17), "quad": (26,), "octal": range(33, 38)}


class Refusal(Exception):
    """What MicroPython raises.  code: 1 for OSError, 2 for ValueError.  value: its argument."""

    def __init__(self, code, value):
        super().__init__(value)
        self.code = code
        self.value = value


class Wiring:
    """What is on the pins of a processor.  A board's is a subclass: see `boards`.

    i2c: {(sda, scl): I2CBus}.  slow: {address: the most hertz}.  panels: list of (sck, mosi, cs, dc, panel), `panel`
    with `transfer(is_data, selected, data)`.  uarts: {(tx, rx): (baud, device)}, with `feed(data)` -> bytes.
    outputs: {pin: function(level)}.  inputs: {pin: function(pull) -> level}.  pwm: {pin: function(hz, duty_ns)}, 0 ns
    when it ends.  dac: {pin: function(value)}.  strips: {pin: function(data)}.  i2s: {(sck, ws, sd): function(data,
    rate)}.  nvs: {`namespace/key`: value}.  chips: {name: chip}, for who looks on.
    """

    soc = "esp32"
    psram = None  # None, esp32, quad or octal

    def __init__(self):
        self.i2c = {}
        self.slow = {}
        self.panels = []
        self.uarts = {}
        self.outputs = {}
        self.inputs = {}
        self.pwm = {}
        self.dac = {}
        self.strips = {}
        self.i2s = {}
        self.nvs = {}
        self.chips = {}

    def wait(self, ms):
        """Time passes for all chips that know of it."""
        for chip in self.chips.values():
            if hasattr(chip, "wait"):
                chip.wait(ms)

    def settle(self):
        """What one chip does to another: called after each transfer."""


class Soc:
    """The processor of a board.  wiring: `Wiring`.

    trace: deque of str.  faults: list of str.  units: list, the first is None.
    """

    def __init__(self, wiring):
        self.wiring = wiring
        self.trace = deque(maxlen=_TRACED)
        self.faults = []
        self.units = [None]
        self.roles = {}  # pin to who has it
        self.levels = {}  # pin to its level as an output
        self.radio = False
        self._pulls = {}
        self._hz = 160000000
        self._booted = None
        self._exists, self._inputs, taken = _PINS[wiring.soc]
        self._taken = {**taken, **dict.fromkeys(_TAKEN[wiring.psram], _PSRAM)}

    def note(self, text):
        """Keep what happens.  text: str, a line."""
        self.trace.append(text)

    def fault(self, text):
        """Keep what is wrong, once."""
        if text not in self.faults and len(self.faults) < _FAULTS:
            self.faults.append(text)

    def all_faults(self):
        """list of str: of the processor, and of the chips behind their name."""
        found = list(self.faults)
        for name, chip in self.wiring.chips.items():
            found += ["%s: %s" % (name, fault) for fault in getattr(chip, "faults", ())]
        return found

    # ---- time

    def sleep(self, us):
        """The processor waits, and the chips go on."""
        self._slept_us = getattr(self, "_slept_us", 0) + us
        ms, self._slept_us = divmod(self._slept_us, 1000)
        if ms:
            self.note("sleep %d" % ms)
            self.wiring.wait(ms)
            self.wiring.settle()

    def booted(self):
        """The board is up: from now on the chips have the time of the clock."""
        self.note("booted")
        self._booted = time.monotonic()

    def catch_up(self):
        """Let the chips have the time that went by, once the board is up."""
        if self._booted is not None:
            ms = int((time.monotonic() - self._booted) * 1000)
            if ms:
                self._booted += ms / 1000
                self.wiring.wait(ms)

    # ---- pins

    def claim(self, pin, role, output):
        """A unit takes a pin.  Raises `Refusal` for one that there is not, or that can only be an input."""
        if pin not in self._exists:
            raise Refusal(2, "invalid pin")
        if output and pin in self._inputs:
            raise Refusal(2, "pin can only be input")
        if pin in self._taken:
            self.fault("pin %d belongs to %s, and is taken for %s" % (pin, self._taken[pin], role))
        owner = self.roles.get(pin)
        if owner not in (None, role, "in", "out"):
            self.fault("pin %d is taken for %s and %s" % (pin, owner, role))
        self.roles[pin] = role
        if role != "out":
            self.levels.pop(pin, None)

    def release(self, role):
        """A unit gives up its pins."""
        for pin in [pin for pin, owner in self.roles.items() if owner.split(" ")[0] == role]:
            del self.roles[pin]

    def pin(self, pin, mode, pull, value, drive):
        """`machine.Pin`; a mode below 0 leaves the pin as it is."""
        if pin not in self._exists:
            raise Refusal(2, "invalid pin")
        if drive is not None:
            self.note("pin %d drive %d" % (pin, drive))
        if mode < 0 and value is None:
            return
        if mode < 0:
            return self.set_level(pin, value)
        output = mode in (_OUT, _OPEN_DRAIN)
        self.claim(pin, "out" if output else "in", output)
        self._pulls[pin] = pull
        self.note("pin %d %s%s" % (pin, "out" if output else "in", "" if value is None else " %d" % value))
        if output:
            self.levels.setdefault(pin, 0)
            if value is not None:
                self._drive(pin, value)

    def set_level(self, pin, level):
        """`Pin.value(level)`."""
        if self.roles.get(pin) != "out":
            return self.fault("pin %d is set to %d, and is no output" % (pin, level))
        if not any(pin in wires[2:4] for wires in self.wiring.panels):
            self.note("pin %d = %d" % (pin, level))
        self._drive(pin, level)

    def _drive(self, pin, level):
        self.levels[pin] = level
        if pin in self.wiring.outputs:
            self.wiring.outputs[pin](level)

    def level(self, pin):
        """`Pin.value()`: 0 or 1."""
        if self.roles.get(pin) == "out":
            return self.levels[pin]
        read = self.wiring.inputs.get(pin)
        pull = self._pulls.get(pin)
        return read(pull) if read else int(pull == 2)

    # ---- what is seldom done

    def freq(self, hz):
        if hz:
            self._hz = hz
            self.note("freq %d" % hz)
        return self._hz

    def set_radio(self, on):
        self.radio = on
        self.note("wifi %s" % ("on" if on else "off"))

    def bitstream(self, pin, timing, data):
        """`machine.bitstream`: what a strip of lights is sent."""
        if self.roles.get(pin) != "out":
            self.fault("lights on pin %d, which is no output" % pin)
        self.note("lights %d %s" % (pin, data.hex()))
        if pin in self.wiring.strips:
            self.wiring.strips[pin](data)

    def nvs(self, key):
        """Raises `Refusal` for what is not there."""
        if key not in self.wiring.nvs:
            raise Refusal(1, -0x1102)  # ESP_ERR_NVS_NOT_FOUND
        self.note("nvs %s" % key)
        return self.wiring.nvs[key]

    def nvs_set(self, key, value):
        self.note("nvs %s = %r" % (key, value))
        self.wiring.nvs[key] = value
        if value is None:
            del self.wiring.nvs[key]

    def heap(self):
        """As `esp32.idf_heap_info`."""
        regions = [[160000, 90000, 80000, 70000]]
        if self.wiring.psram:
            regions.append([4194264, 4190000, 4128768, 4190000])
        return regions

    def bus(self, sda, scl):
        """The I2CBus between two pins; one of nobody where nothing is wired."""
        return self.wiring.i2c.get((sda, scl)) or I2CBus()
