"""MPU6886 accelerometer of the M5Stack Fire, Core2, AtomS3: an imu port. The gyroscope is not read.

Registers and their values as M5Unified sets them (MPU6886_Class); counts are of 8 g in 32768, the high byte first. Not
yet run on hardware.
"""

from .imu import AXES, Turned, find, nothing

try:
    from micropython import const
except ImportError:
    const = int

_ACCELERATION = const(0x3B)
_RESET = (0x6B, b"\x80")
_RESET_MS = const(10)
_SET_UP = (
    (0x6B, b"\x01"),  # awake
    (0x1C, b"\x10"),  # 8 g
    (0x1B, b"\x18"),  # 2000 degrees a second
    (0x1A, b"\x01"),  # filter
    (0x19, b"\x03"),  # a sample each 4 ms
    (0x37, b"\xc0"),
    (0x38, b"\0"),  # no interrupts
)


class MPU6886(Turned):
    """i2c: has `writeto_mem`, `readfrom_mem`, `readfrom_mem_into`.  sleep_ms: `sleep_ms(ms)`.  axes: see `imu.attach`.

    Raises OSError, as `read` does, if it does not answer, or another chip does: that is not written to.
    """

    def __init__(self, i2c, sleep_ms, address=0x68, axes=AXES):
        Turned.__init__(self, axes)
        if find(i2c, (address,)) != ("mpu6886", address):
            raise OSError("no MPU6886 at 0x%02x" % address)
        self._i2c = i2c
        self._address = address
        self._in = bytearray(6)
        i2c.writeto_mem(address, _RESET[0], _RESET[1])
        sleep_ms(_RESET_MS)
        for register, value in _SET_UP:
            i2c.writeto_mem(address, register, value)
            sleep_ms(_RESET_MS)

    def read(self):
        """[x, y, z] in mg: int. The list is the same each time."""
        self._i2c.readfrom_mem_into(self._address, _ACCELERATION, self._in)
        x, y, z = self._count(0), self._count(2), self._count(4)
        if not (x or y or z):
            nothing()
        return self._turned(_mg(x), _mg(y), _mg(z))

    def _count(self, at):
        count = self._in[at] << 8 | self._in[at + 1]
        return count - 0x10000 if count & 0x8000 else count


def _mg(count):
    return (count * 125 + 256) >> 9
