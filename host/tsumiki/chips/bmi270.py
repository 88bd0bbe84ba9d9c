"""A virtual BMI270: what it wants before it measures, at the level of its registers. Runs on CPython and MicroPython.

After a reset: power save off (0x7C bit 0), 0x59 = 0, the firmware through 0x5E, each burst at the word that 0x5B (low
4 bits) and 0x5C say, 0x59 = 1; 0x21 says 1 in its low bits when it runs (Bosch BMI270, data sheet: Device
Initialization). The firmware is not looked into, but it must be whole.
"""

from .i2c import Registers

_IDENTITY = 0x00
_DATA = 0x0C
_DATA_END = 0x18
_EVENT = 0x1B
_STATUS = 0x21
_RANGE = 0x41
_LOADED = 0x59
_WORD_LOW = 0x5B
_WORD_HIGH = 0x5C
_FIRMWARE = 0x5E
_SAVES = 0x7C
_SENSORS = 0x7D
_COMMAND = 0x7E
_SOFT_RESET = 0xB6
_ACCELEROMETER = 0x04
_RESET = {_IDENTITY: 0x24, _EVENT: 1, 0x40: 0xA8, _RANGE: 2, 0x42: 0xA9, _SAVES: 3}
_COMMANDS = (0x02, 0xA0, 0xB0, _SOFT_RESET)
_ROOM = 8192
# Bosch has one of all features, and one that only measures.
_WHOLE = (_ROOM, 328)


class BMI270(Registers):
    """address: 0x68 or 0x69."""

    def __init__(self, address=0x68):
        self.address = address
        self._mg = (0, 0, 1000)
        self._loaded = bytearray(_ROOM)
        Registers.__init__(self)
        self._restart()

    def accelerate(self, x_mg, y_mg, z_mg):
        """What it feels along its own axes, int; more than its range is as much as its range."""
        self._mg = (x_mg, y_mg, z_mg)

    def fail(self):
        """Its power goes for a moment, and its firmware with it."""
        self._restart()

    def write(self, data):
        if len(data) > 1 and data[0] == _FIRMWARE:
            self._load(len(data) - 1)
        else:
            Registers.write(self, data)

    def wrote(self, register, value):
        if register < 0x40:
            self.faults.append("write to 0x%02x, which is to be read" % register)
        elif register == _COMMAND:
            self._command(value)
        elif register == _LOADED and value & 1:
            self._start()
        else:
            self.values[register] = value

    def reads(self, register):
        if _DATA <= register < _DATA_END:
            return self._sample(register - _DATA)
        value = self.values[register]
        if register == _STATUS:
            self.values[register] = self._status
        if register == _EVENT:
            self.values[register] = 0
        return value

    def _restart(self):
        for i in range(256):
            self.values[i] = _RESET.get(i, 0)
        for i in range(_ROOM):
            self._loaded[i] = 0
        self._status = 0

    def _command(self, value):
        if value not in _COMMANDS:
            self.faults.append("no such command: 0x%02x" % value)
        elif value == _SOFT_RESET:
            self._restart()

    def _load(self, count):
        at = 2 * (self.values[_WORD_HIGH] << 4 | self.values[_WORD_LOW] & 0x0F)
        if self.values[_SAVES] & 1:
            self.faults.append("firmware while it saves power")
        elif self.values[_LOADED] & 1:
            self.faults.append("firmware while it runs")
        elif at + count > _ROOM:
            self.faults.append("more firmware than it has room for: %d at %d" % (count, at))
        else:
            for i in range(at, at + count):
                self._loaded[i] = 1

    # It takes a moment: the first look at the status is too early.
    def _start(self):
        self.values[_LOADED] = 1
        whole = sum(self._loaded)
        self._status = 1 if whole in _WHOLE and all(self._loaded[i] for i in range(whole)) else 2
        if self._status == 2:
            self.faults.append("started with %d bytes of firmware" % whole)

    def _sample(self, at):
        if self.values[_STATUS] & 0x0F != 1 or not self.values[_SENSORS] & _ACCELEROMETER:
            self.faults.append("asked for samples before it measures")
            return 0
        if at >= 6:
            return 0  # gyroscope
        scale = 16384 >> (self.values[_RANGE] & 3)  # counts of 1 g
        count = max(-32768, min(32767, self._mg[at >> 1] * scale // 1000)) & 0xFFFF
        return count >> 8 if at & 1 else count & 0xFF
