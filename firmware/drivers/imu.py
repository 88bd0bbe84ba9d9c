"""Which accelerometer is at 0x68 or 0x69, and it as an imu port. An address alone tells nothing: see `si12t`."""

try:
    from micropython import const
except ImportError:
    const = int

AXES = (1, 2, 3)
ATOMS3R_AXES = (2, -1, 3)  # as the chip lies in it: M5Unified, IMU_Class
_BMI270_ID = const(0x00)  # register, and what it holds (Bosch BMI270, data sheet, CHIP_ID)
_BMI270 = const(0x24)
_MPU6886_ID = const(0x75)  # (TDK MPU-6886, data sheet, WHO_AM_I)
_MPU6886 = const(0x19)


def find(i2c, addresses=(0x68, 0x69)):
    """(name, address) of the first that has the identity of one, or None.  name: "bmi270", "mpu6886".

    i2c: has `readfrom_mem(address, register, count)`. Nothing is written; who does not answer is passed over.
    """
    for address in addresses:
        try:
            if i2c.readfrom_mem(address, _BMI270_ID, 1)[0] == _BMI270:
                return "bmi270", address
            if i2c.readfrom_mem(address, _MPU6886_ID, 1)[0] == _MPU6886:
                return "mpu6886", address
        except OSError:
            pass
    return None


def attach(i2c, sleep_ms, addresses=(0x68, 0x69), axes=AXES):
    """The imu port of the IMU that is found, or None.

    sleep_ms: `sleep_ms(ms)`.  axes: which axes of the chip are x, y, z, counted from 1, negative if turned round.
    Raises OSError if it stops answering, or needs a package that is not installed.
    """
    found = find(i2c, addresses)
    if found is None:
        return None
    name, address = found
    if name == "mpu6886":
        from .mpu6886 import MPU6886  # late (RAM)

        return MPU6886(i2c, sleep_ms, address, axes)
    from .bmi270_imu import BMI270Imu  # late (RAM)

    try:
        from bmi270 import (
            BMI270,  # late (RAM), and of micropython-lib: it has the firmware that the chip needs.
        )
    except ImportError:
        raise OSError("there is a BMI270, but the package bmi270 is not installed")
    return BMI270Imu(BMI270(i2c, address=address), axes)


def nothing():
    """Whoever reads exactly 0 on all axes: not even one that falls is that still. It has lost its set-up."""
    raise OSError("the IMU measures nothing")


class Turned:
    """What each IMU has: the axes of the chip in the order and with the signs that the board needs.

    axes: see `attach`.  Raises ValueError if they are not three different ones.
    """

    def __init__(self, axes):
        if sorted(abs(axis) for axis in axes) != [1, 2, 3]:
            raise ValueError("axes: 1, 2, 3 in some order, not %r" % (axes,))
        self._axes = axes
        self._mg = [0, 0, 0]

    # The same list each time. x, y, z: mg along the axes of the chip.
    def _turned(self, x, y, z):
        mg = self._mg
        for i in range(3):
            axis = self._axes[i]
            value = x if axis in (1, -1) else y if axis in (2, -2) else z
            mg[i] = value if axis > 0 else -value
        return mg
