"""The MPU6886: its set-up, mg from counts, axes, and other chips at its address."""

from quiet_i2c import QuietI2C

from drivers.mpu6886 import MPU6886
from harness import eq, raises
from tsumiki.chips.i2c import I2CBus
from tsumiki.chips.mpu6886 import MPU6886 as Chip
from tsumiki.chips.si12t import Si12T


def made(**options):
    chip = Chip()
    return chip, MPU6886(I2CBus((chip,)), chip.wait, **options)


def test_the_set_up():
    chip, _ = made()
    eq(
        chip.trace,
        [(0x6B, 0x80), (0x6B, 1), (0x1C, 0x10), (0x1B, 0x18), (0x1A, 1), (0x19, 3), (0x37, 0xC0), (0x38, 0)],
    )
    eq(chip.faults, [])


def test_mg():
    chip, imu = made()
    for x, y, z in ((0, 0, 1000), (-1000, 500, -250), (7999, -8000, 3), (20000, -20000, 1)):
        chip.accelerate(x, y, z)
        seen = imu.read()
        for i, mg in enumerate((x, y, z)):
            assert abs(seen[i] - max(-8000, min(8000, mg))) <= 1, (seen, x, y, z)
            assert type(seen[i]) is int
    eq(chip.faults, [])


def test_counts_have_their_high_byte_first():
    bus = QuietI2C()
    bus.values[0x75] = 0x19
    imu = MPU6886(bus, int)
    bus.values[0x3B:0x41] = b"\x10\x00\xf0\x00\x00\x05"
    eq(imu.read(), [1000, -1000, 1])
    bus.values[0x3B:0x41] = b"\x7f\xff\x80\x00\xff\xff"
    eq(imu.read(), [8000, -8000, 0])


def test_axes():
    chip, imu = made(axes=(2, -1, 3))
    chip.accelerate(1000, 2000, 4000)
    eq(imu.read(), [2000, -1000, 4000])
    chip, imu = made(axes=(-3, 1, -2))
    chip.accelerate(1000, 2000, 4000)
    eq(imu.read(), [-4000, 1000, -2000])
    for axes in ((1, 2, 2), (0, 1, 2), (1, -1, 3), (1, 2)):
        raises(ValueError, made, axes=axes)


def test_another_chip_at_its_address_is_not_written_to():
    strip = Si12T()
    eq(str(raises(OSError, MPU6886, I2CBus((strip,)), int)), "no MPU6886 at 0x68")
    eq(strip.trace, [])
    raises(OSError, MPU6886, I2CBus(()), int)


def test_one_that_lost_its_power_does_not_say_nought():
    chip, imu = made()
    imu.read()
    chip.fail()
    eq(str(raises(OSError, imu.read)), "the IMU measures nothing")


def test_a_bus_that_is_held():
    _, imu = made()
    imu._i2c.stuck = True
    raises(OSError, imu.read)
    imu._i2c.stuck = False
    eq(imu.read(), [0, 0, 1000])


def test_reading_allocates_nothing():
    from micropython import heap_lock, heap_unlock

    bus = QuietI2C()
    bus.values[0x75] = 0x19
    imu = MPU6886(bus, int)
    bus.values[0x3B] = 0x90
    heap_lock()
    try:
        for _ in range(10):
            seen = imu.read()
    finally:
        heap_unlock()
    eq(seen, [-7000, 0, 0])
    assert imu.read() is seen


def test_the_virtual_chip_refuses():
    chip = Chip()
    bus = I2CBus((chip,))
    eq(bus.readfrom_mem(0x68, 0x3B, 1), b"\0")
    bus.writeto_mem(0x68, 0x75, b"\0")
    bus.writeto_mem(0x68, 0x6B, b"\x80")
    chip.wait(9)
    bus.writeto_mem(0x68, 0x6B, b"\1")
    eq(
        chip.faults,
        [
            "asked for samples asleep",
            "write to 0x75, which is to be read",
            "write to 0x6b within 10 ms of a reset",
        ],
    )
    eq(bus.readfrom_mem(0x68, 0x6B, 1), b"\x41")
    chip.wait(1)
    bus.writeto_mem(0x68, 0x6B, b"\1")
    eq(bus.readfrom_mem(0x68, 0x3F, 2), b"\x40\0")  # 2 g until it is told otherwise
