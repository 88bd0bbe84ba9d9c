"""Which IMU is there, by its identity; the BMI270 through a package that has its API; and the virtual BMI270."""

import sys

from drivers import imu
from drivers.bmi270_imu import BMI270Imu
from harness import eq, raises
from tsumiki.chips.bmi270 import BMI270 as Chip
from tsumiki.chips.i2c import I2CBus
from tsumiki.chips.mpu6886 import MPU6886
from tsumiki.chips.si12t import Si12T


class Sensor:
    """Has what is used of micropython-lib's `bmi270.BMI270`."""

    def __init__(self, i2c=None, address=0x68):
        self.made_with = (i2c, address)
        self.g = (0.0, 0.0, 1.0)

    def accel(self):
        return self.g


class Package:
    BMI270 = Sensor


def write(bus, *pairs):
    for register, value in pairs:
        bus.writeto_mem(0x68, register, value if isinstance(value, bytes) else bytes((value,)))


def load(bus, size, chunk=32):
    """Load a firmware as the data sheet says."""
    write(bus, (0x7E, 0xB6), (0x7C, 0), (0x59, 0))
    for at in range(0, size, chunk):
        word = at // 2
        write(bus, (0x5B, word & 15), (0x5C, word >> 4), (0x5E, bytes(min(chunk, size - at))))
    write(bus, (0x59, 1))


def status(bus):
    """What it says when it has had its moment."""
    bus.readfrom_mem(0x68, 0x21, 1)
    return bus.readfrom_mem(0x68, 0x21, 1)[0]


def made():
    chip = Chip()
    return chip, I2CBus((chip,))


def test_each_by_its_identity():
    for chips, found in (
        ((MPU6886(),), ("mpu6886", 0x68)),
        ((Chip(0x68),), ("bmi270", 0x68)),
        ((Chip(0x69),), ("bmi270", 0x69)),
        ((Si12T(), Chip(0x69)), ("bmi270", 0x69)),
        ((Si12T(),), None),
        ((), None),
    ):
        eq(imu.find(I2CBus(chips)), found)
        for chip in chips:
            eq((chip.trace, chip.faults), ([], []))
    eq(imu.find(I2CBus((Chip(0x69),)), (0x68,)), None)


def test_a_touched_strip_is_no_imu_either():
    strip = Si12T()
    for zone in range(3):
        for strength in range(4):
            strip.touch(zone, strength)
            eq(imu.find(I2CBus((strip,))), None)


def test_a_bus_that_is_held_has_none():
    bus = I2CBus((MPU6886(),))
    bus.stuck = True
    eq(imu.find(bus), None)


def test_attach_an_mpu6886():
    chip = MPU6886()
    port = imu.attach(I2CBus((chip,)), chip.wait, axes=(2, -1, 3))
    chip.accelerate(100, 200, 1000)
    eq([round(mg / 10) for mg in port.read()], [20, -10, 100])
    eq(imu.attach(I2CBus(()), int), None)
    eq(imu.attach(I2CBus((Si12T(),)), int), None)


def test_attach_a_bmi270_with_the_package_and_without():
    bus = I2CBus((Si12T(), Chip(0x69)))
    said = str(raises(OSError, imu.attach, bus, int))
    eq(said, "there is a BMI270, but the package bmi270 is not installed")
    sys.modules["bmi270"] = Package
    try:
        port = imu.attach(bus, int, axes=imu.ATOMS3R_AXES)
        eq(port._sensor.made_with, (bus, 0x69))
        port._sensor.g = (0.1, 0.2, 1.0)
        eq(port.read(), [200, -100, 1000])
    finally:
        del sys.modules["bmi270"]


def test_the_package_is_not_wanted_without_a_bmi270():
    chip = MPU6886()
    assert "bmi270" not in sys.modules
    imu.attach(I2CBus((chip,)), chip.wait)
    assert "bmi270" not in sys.modules


def test_g_become_mg():
    sensor = Sensor()
    port = BMI270Imu(sensor)
    for g, mg in (
        ((0.0, 0.0, 1.0), [0, 0, 1000]),
        ((-0.5006, 1.9996, -0.0004), [-501, 2000, 0]),
        ((0.9996, -0.0006, 0.0004), [1000, -1, 0]),
    ):
        sensor.g = g
        seen = port.read()
        eq(seen, mg)
        eq([type(one) for one in seen], [int, int, int])
    assert port.read() is seen
    raises(ValueError, BMI270Imu, sensor, (1, 1, 1))


def test_a_bmi270_that_measures_nothing():
    sensor = Sensor()
    sensor.g = (0.0, 0.0, 0.0)
    eq(str(raises(OSError, BMI270Imu(sensor).read)), "the IMU measures nothing")


def test_the_virtual_bmi270_measures_once_it_has_its_firmware():
    for size in (8192, 328):
        chip, bus = made()
        load(bus, size)
        eq(bus.readfrom_mem(0x68, 0x21, 1), b"\0")  # It takes a moment.
        eq(bus.readfrom_mem(0x68, 0x21, 1), b"\1")
        write(bus, (0x7D, 0x0E), (0x41, 1))
        chip.accelerate(1000, -1000, 9000)
        eq(bus.readfrom_mem(0x68, 0x0C, 6), b"\x00\x20\x00\xe0\xff\x7f")
        eq(chip.faults, [])


def test_the_virtual_bmi270_refuses_a_firmware_that_is_not_whole():
    for size, chunk in ((8192 - 32, 32), (300, 32), (0, 32)):
        chip, bus = made()
        load(bus, size, chunk)
        eq(status(bus), 2)
        eq(chip.faults, ["started with %d bytes of firmware" % size])
        write(bus, (0x7D, 0x0E))
        eq(bus.readfrom_mem(0x68, 0x0C, 1), b"\0")
        eq(chip.faults[1:], ["asked for samples before it measures"])
    # As many bytes, but not from the start on.
    chip, bus = made()
    write(bus, (0x7C, 0), (0x5B, 1), (0x5E, bytes(328)), (0x59, 1))
    eq(status(bus), 2)


def test_the_virtual_bmi270_wants_it_at_the_right_time():
    chip, bus = made()
    write(bus, (0x5E, bytes(32)))
    write(bus, (0x7C, 0), (0x5C, 0xFF), (0x5B, 0x0F), (0x5E, bytes(32)))
    load(bus, 328)
    write(bus, (0x5E, bytes(32)))
    eq(
        chip.faults,
        [
            "firmware while it saves power",
            "more firmware than it has room for: 32 at 8190",
            "firmware while it runs",
        ],
    )


def test_the_virtual_bmi270_refuses_other_misuse():
    chip, bus = made()
    bus.readfrom_mem(0x68, 0x0C, 1)
    load(bus, 328)
    status(bus)
    bus.readfrom_mem(0x68, 0x0C, 1)  # It runs, but its accelerometer is off.
    write(bus, (0x00, 1), (0x7E, 0x77))
    measures = "asked for samples before it measures"
    eq(chip.faults, [measures, measures, "write to 0x00, which is to be read", "no such command: 0x77"])
    eq(bus.readfrom_mem(0x68, 0, 1), b"\x24")


def test_the_virtual_bmi270_tells_once_that_its_power_went():
    chip, bus = made()
    eq(bus.readfrom_mem(0x68, 0x1B, 1), b"\1")
    eq(bus.readfrom_mem(0x68, 0x1B, 1), b"\0")
    load(bus, 328)
    eq(status(bus), 1)
    chip.fail()
    eq(status(bus), 0)
    eq(bus.readfrom_mem(0x68, 0x1B, 1), b"\1")
