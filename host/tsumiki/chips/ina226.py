"""A virtual INA226 battery monitor, whose registers are of 16 bits. Runs on CPython and on MicroPython."""

from .i2c import Nack

_CONFIGURATION = 0x00
_BUS_VOLTAGE = 0x02
_RESETS = 0x8000
_AT_RESET = {_CONFIGURATION: 0x4127, 0xFE: 0x5449, 0xFF: 0x2260}
_REGISTERS = (0, 1, 2, 3, 4, 5, 6, 7, 0xFE, 0xFF)
_WRITABLE = (_CONFIGURATION, 5, 6, 7)
# Modes of the configuration's low 3 bits that measure the bus.
_MEASURES = (2, 3, 6, 7)


class INA226:
    """trace: list of (register, value), what was written.  faults: list of str."""

    address = 0x41

    def __init__(self):
        self.values = dict(_AT_RESET)
        self.trace = []
        self.faults = []
        self._at = _CONFIGURATION
        self._mv = 0

    def battery(self, mv):
        """The voltage at its pin, int, 0-36000.  Raises ValueError for what would destroy it."""
        if not 0 <= mv <= 36000:
            raise ValueError("no such voltage: %r mV" % mv)
        self._mv = mv

    def write(self, data):
        if not data:
            return
        if data[0] not in _REGISTERS:
            self.faults.append("there is no register 0x%02x" % data[0])
            raise Nack
        self._at = data[0]
        if len(data) == 1:
            return
        if len(data) != 3:
            self.faults.append("a register has 2 bytes, not %d" % (len(data) - 1))
            raise Nack
        self._wrote(self._at, data[1] << 8 | data[2])

    def read(self, count):
        """Two bytes of the register that was last named, again and again."""
        value = self._reads(self._at)
        pair = bytes((value >> 8, value & 0xFF))
        return (pair * (count // 2 + 1))[:count]

    def _wrote(self, register, value):
        self.trace.append((register, value))
        if register not in _WRITABLE:
            self.faults.append("write to 0x%02x, which is to be read" % register)
        elif register == _CONFIGURATION and value & _RESETS:
            self.values = dict(_AT_RESET)
        else:
            self.values[register] = value
        if register == 5:
            self.faults.append("calibrated for a resistor that is not known")

    def _reads(self, register):
        if register != _BUS_VOLTAGE:
            return self.values.get(register, 0)
        if self.values[_CONFIGURATION] & 7 not in _MEASURES:
            self.faults.append("asked for a voltage that it does not measure")
            return 0
        return self._mv * 4 // 5
