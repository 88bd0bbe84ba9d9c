"""A virtual MPU6886 accelerometer. Runs on CPython and on MicroPython."""

from .i2c import Registers

_DATA = 0x3B
_DATA_END = 0x49
_POWER = 0x6B
_ASLEEP = 0x40
_RESETS = 0x80
_RANGE = 0x1C
_IDENTITY = 0x75
_RESET = {_POWER: 0x41, _IDENTITY: 0x19}
_RESET_MS = 10


class MPU6886(Registers):
    """It sleeps until it is woken, and hears nothing for 10 ms after a reset: `wait(ms)` lets time go by."""

    address = 0x68

    def __init__(self):
        Registers.__init__(self, _RESET)
        self._mg = (0, 0, 1000)
        self._resets_ms = 0

    def wait(self, ms):
        self._resets_ms = max(0, self._resets_ms - ms)

    def accelerate(self, x_mg, y_mg, z_mg):
        """What it feels along its own axes, int; more than its range is as much as its range."""
        self._mg = (x_mg, y_mg, z_mg)

    def fail(self):
        """Its power goes for a moment, and its set-up with it."""
        Registers.__init__(self, _RESET)

    def wrote(self, register, value):
        if self._resets_ms:
            self.faults.append("write to 0x%02x within %d ms of a reset" % (register, _RESET_MS))
        elif register == _IDENTITY or _DATA <= register < _DATA_END:
            self.faults.append("write to 0x%02x, which is to be read" % register)
        elif register == _POWER and value & _RESETS:
            for i in range(256):
                self.values[i] = _RESET.get(i, 0)
            self._resets_ms = _RESET_MS
        else:
            self.values[register] = value

    def reads(self, register):
        if not _DATA <= register < _DATA_END:
            return self.values[register]
        if self.values[_POWER] & _ASLEEP:
            self.faults.append("asked for samples asleep")
            return 0
        at = register - _DATA
        if at >= 6:
            return 0  # temperature, gyroscope
        scale = 16384 >> (self.values[_RANGE] >> 3 & 3)  # counts of 1 g
        count = max(-32768, min(32767, self._mg[at >> 1] * scale // 1000)) & 0xFFFF
        return count & 0xFF if at & 1 else count >> 8
