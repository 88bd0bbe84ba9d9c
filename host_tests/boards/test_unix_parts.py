"""The simulated parts: what they tell the world, and what they feel."""

from boards.unix.outside import Outside
from boards.unix.parts import Imu, Inputs, Power, Speaker, Strip, System
from boards.unix.pipe_uart import PipeUART

from harness import eq, raises


def test_a_speaker():
    outside = Outside()
    speaker = Speaker(outside)
    speaker.tone(440, 50)
    speaker.silence()
    eq(outside.said, ["speaker 440 50", "speaker off"])


def test_a_speaker_of_pcm_tells_how_loud_it_is():
    now = [5]
    outside = Outside()
    speaker = Speaker(outside, lambda: now[0])
    eq((speaker.write(bytes(10)), speaker.queued), (0, 0))
    speaker.play(16000)
    loud = b"\xff\x3f\x01\xc0" * 400  # 50 ms of half of the full level
    eq(
        (speaker.write(loud), speaker.write(loud), speaker.write(loud), speaker.queued),
        (1600, 1600, 384, 3584),
    )
    eq(speaker.write(loud), 0)
    now[0] += 20
    eq((speaker.queued, speaker.write(loud[:641])), (3584 - 640, 640))
    now[0] += 500
    eq((speaker.queued, speaker.write(bytes(3200)), speaker.write(b"x")), (0, 3200, 0))
    speaker.silence()
    eq((speaker.queued, speaker.write(loud)), (0, 0))
    eq(outside.said, ["speaker play 16000", "speaker pcm 28 232", "speaker off"])
    speaker.play(48000)
    speaker.write(loud)
    speaker.tone(440, 10)
    eq(outside.said[3:], ["speaker play 48000", "speaker pcm 49 16", "speaker 440 10"])
    for rate in (0, 7999, 48001):
        raises(ValueError, speaker.play, rate)


def test_a_strip_tells_what_it_shows_once():
    outside = Outside()
    strip = Strip(outside, "left", 3)
    strip.fill(255, 0, 16)
    strip.set(1, 0, 1, 2)
    eq(outside.said, [])
    strip.show()
    strip.set(1, 0, 1, 2)
    strip.show()
    eq(outside.said, ["leds left ff0010 000102 ff0010"])
    strip.fill(0, 0, 0)
    strip.show()
    eq(outside.said[1:], ["leds left 000000 000000 000000"])


def test_lights_and_colours_that_there_are_not():
    strip = Strip(Outside(), "left", 3)
    for i in (-1, 3):
        raises(IndexError, strip.set, i, 0, 0, 0)
    for colour in ((-1, 0, 0), (0, 256, 0), (0, 0, 999)):
        raises(ValueError, strip.fill, *colour)


def test_events_are_taken_once():
    outside = Outside()
    inputs = Inputs(outside)
    eq(inputs.poll(0), ())
    outside.hear("button a 1")
    outside.hear("touch head_left 0")
    eq(inputs.poll(0), [("button", "a", 1), ("touch", "head_left", 0)])
    eq(inputs.poll(0), ())


def test_events_that_nobody_takes_are_bounded():
    outside = Outside()
    for i in range(100):
        outside.hear("button a %d" % i)
    eq(len(Inputs(outside).poll(0)), 32)


def test_what_is_said_is_bounded():
    outside = Outside()
    for i in range(100):
        outside.say("speaker %d 1" % i)
    eq((len(outside.said), outside.said[0]), (64, "speaker 36 1"))


def test_motion_and_power():
    outside = Outside()
    imu, power = Imu(outside), Power(outside)
    eq(imu.read(), (0, 0, 1000))
    eq(power.read(), {"battery_percent": 100, "charging": False, "usb": True})
    outside.hear("imu -20 30 990")
    outside.hear("power 7 1 0")
    eq(imu.read(), (-20, 30, 990))
    eq(power.read(), {"battery_percent": 7, "charging": True, "usb": False})
    outside.hear("power 400 0 0")
    eq(power.read()["battery_percent"], 100)


def test_lines_that_are_none_change_nothing():
    outside = Outside()
    for line in ("", "  ", "button", "button a", "button a x", "button a 1 2", "imu 1 2", "imu 1 2 x", "power 1",
                 "power 1 0 x", "reboot", "touch a 1.5"):  # fmt: skip
        outside.hear(line)
    eq((outside.events, outside.acceleration, outside.power), ([], (0, 0, 1000), (100, False, True)))


def test_the_system():
    seen = System().read()
    assert seen["heap_free"] > 0 and seen["uptime_ms"] >= 0 and seen["rssi"] is None


class Pipe:
    """A stream that does not wait.  come: list of bytes to be received.  gone: the other side has closed it."""

    def __init__(self, *come):
        self.come = list(come)
        self.written = b""
        self.gone = False

    def setblocking(self, flag):
        eq(flag, False)

    def write(self, buf):
        if self.gone:
            raise OSError(32)
        self.written += bytes(buf)
        return len(buf)

    def readinto(self, buf):
        if self.gone:
            raise OSError(104)
        if not self.come:
            return None
        data = self.come.pop(0)
        buf[: len(data)] = data
        return len(data)


def test_a_uart():
    pipe = Pipe(b"abc", b"d")
    uart = PipeUART(pipe)
    uart.write(b"xy")
    eq(pipe.written, b"xy")
    buf = bytearray(8)
    eq((uart.any(), uart.readinto(buf, 2), bytes(buf[:3])), (3, 2, b"ab\0"))
    eq((uart.any(), uart.readinto(buf), bytes(buf[:1])), (1, 1, b"c"))
    eq((uart.readinto(bytearray(0)), uart.any()), (None, 1))
    eq((uart.readinto(buf, 5), bytes(buf[:1]), uart.any(), uart.readinto(buf, 5)), (1, b"d", 0, None))


def test_a_line_whose_other_side_has_gone():
    pipe = Pipe()
    uart = PipeUART(pipe)
    pipe.gone = True
    eq((uart.write(b"a"), uart.any(), uart.readinto(bytearray(1))), (None, 0, None))
