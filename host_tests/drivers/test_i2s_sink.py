"""The virtual I2S output: what goes out and when, and what it tells of wrong use."""

from array import array

from harness import eq
from tsumiki.chips.i2s_sink import I2SSink, frequency, peak


def counted(count):
    return array("h", range(1, count + 1))


def opened(handler=None, **more):
    sink = I2SSink(1000, **more)
    sink.irq(handler or (lambda i2s: None))
    return sink


def test_samples_go_out_at_the_rate_and_zeros_follow():
    sink = opened()
    eq(sink.write(counted(5)), 10)
    eq(sink.write(memoryview(counted(9))[5:7]), 4)
    sink.wait(3)
    eq(list(sink.samples), [1, 2, 3])
    sink.wait(6)
    eq((list(sink.samples), sink.faults), ([1, 2, 3, 4, 5, 6, 7, 0, 0], []))


def test_a_rate_that_is_no_whole_number_a_millisecond():
    sink = I2SSink(22050)
    sink.wait(200)
    eq(len(sink.samples), 4410)


def test_the_handler_is_called_when_a_buffer_has_been_copied():
    called = []
    sink = opened(called.append, ibuf=20)
    sink.write(counted(30))
    sink.wait(20)
    eq(called, [])
    sink.wait(1)
    eq((len(called), called[0] is sink), (1, True))


def test_a_handler_that_writes_again():
    data = counted(10)
    sink = opened(lambda i2s: i2s.write(data), ibuf=8)
    sink.write(data)
    sink.wait(25)
    eq((list(sink.samples), sink.faults), ((list(range(1, 11)) * 3)[:25], []))


def test_wrong_use():
    sink = opened(ibuf=4)
    data = counted(10)
    sink.write(data)
    sink.write(b"abc")
    sink.write(b"ab")
    sink.write(b"ab")
    sink.wait(1)
    data[9] = 0
    sink.wait(1)
    sink.deinit()
    sink.write(b"ab")
    eq(
        sink.faults,
        [
            "half of a sample",
            "a buffer is lost: 2 are waiting",
            "a buffer changes while it is being sent",
            "deinit while a buffer is being sent",
            "written to after deinit",
        ],
    )
    blocking = I2SSink(1000)
    blocking.write(b"ab")
    eq(blocking.faults, ["a write that blocks"])


def test_measures():
    square = array("h", [100] * 10 + [-120] * 10)
    for _ in range(3):
        square.extend(square)
    eq((frequency(square, 1000), peak(square)), (50.0, 120))
    eq((frequency(square[:20], 1000), frequency(array("h", [0] * 9), 1000), peak(array("h"))), (0, 0, 0))
