"""The speaker behind I2S: what goes out, measured; when the amplifier is on; and what a stream of PCM becomes."""

from array import array

from micropython import heap_lock, heap_unlock

from drivers.aw88298 import AW88298
from drivers.i2s_speaker import I2SSpeaker
from harness import eq, raises
from tsumiki.chips.aw88298 import AW88298 as Chip
from tsumiki.chips.i2c import I2CBus
from tsumiki.chips.i2s_sink import I2SSink, frequency, peak


class Rig:
    """A speaker, what it has opened, and what its amplifier was told."""

    def __init__(self, rate=16000, **more):
        self.sinks = []
        self.told = []
        self.fails = 0
        self.now_ms = 0
        self.speaker = I2SSpeaker(
            self.open, self.amplifier, rate=rate, sleep_ms=self.wait, ticks_ms=lambda: self.now_ms, **more
        )

    def open(self, rate):
        if self.sinks:
            assert not self.sink.open, "I2S is opened twice"
        self.sinks.append(I2SSink(rate))
        return self.sink

    def amplifier(self, rate):
        if self.fails:
            self.fails -= 1
            raise OSError(19)
        self.told.append(rate)

    def wait(self, ms):
        self.now_ms += ms
        self.sink.wait(ms)

    @property
    def sink(self):
        return self.sinks[-1]

    def heard(self, ms):
        """The samples of so much time from now on."""
        start = len(self.sink.samples)
        self.wait(ms)
        return self.sink.samples[start:]

    def faults(self):
        return [fault for sink in self.sinks for fault in sink.faults]


def near(value, wanted, percent):
    assert abs(value - wanted) * 100 <= wanted * percent, (value, wanted)


def test_the_pitch_is_right_at_any_rate():
    for rate in (8000, 16000, 22050, 24000, 44100):
        for hz in (63, 131, 262, 440, 523, 880, 1047, 1234, 2000, 4000):
            if hz <= rate // 4:
                rig = Rig(rate)
                rig.speaker.tone(hz, 50)
                near(frequency(rig.heard(300), rate), hz, 0.5)
                eq(rig.faults(), [])


def test_the_pitch_is_clamped():
    for rate, hz, wanted in (
        (16000, 1, 40),
        (16000, 9000, 4000),
        (48000, 40, 48000 / 762),
        (8000, 4000, 2000),
    ):
        rig = Rig(rate)
        rig.speaker.tone(hz, 100)
        near(frequency(rig.heard(500), rate), wanted, 1)


def test_the_level_is_the_amplitude():
    rig = Rig()
    for level, wanted in ((100, 32511), (50, 16256), (25, 8128), (1, 325), (300, 32511)):
        rig.speaker.tone(440, level)
        rig.wait(200)
        near(peak(rig.heard(100)), wanted, 2)
    eq(rig.faults(), [])


def test_a_new_level_keeps_the_pitch():
    rig = Rig()
    rig.speaker.tone(440, 10)
    rig.wait(200)
    rig.speaker.tone(440, 80)
    rig.wait(200)
    near(frequency(rig.heard(300), 16000), 440, 0.5)


def test_a_new_pitch_comes_without_a_click():
    rig = Rig()
    rig.speaker.tone(440, 100)
    rig.wait(100)
    rig.speaker.tone(700, 100)
    samples = rig.heard(300)
    steepest = max(abs(samples[i] - samples[i - 1]) for i in range(1, len(samples)))
    assert steepest < 32767 * 6.3 * 700 / 16000 * 1.3, steepest
    near(frequency(samples[-1600:], 16000), 700, 2)


def test_silence_ends_in_zero_at_zero():
    rig = Rig()
    rig.speaker.tone(440, 100)
    rig.wait(100)
    rig.speaker.silence()
    samples = rig.heard(200)
    last = max(i for i in range(len(samples)) if samples[i])
    assert last < 16 * 100, last
    assert abs(samples[last]) < 7000, samples[last]
    eq(any(rig.heard(400)), False)


def test_a_short_pause_is_heard_and_leaves_the_amplifier_on():
    rig = Rig()
    rig.speaker.tone(440, 100)
    rig.wait(100)
    rig.speaker.silence()
    samples = rig.heard(20)
    rig.speaker.tone(440, 100)
    samples.extend(rig.heard(200))
    zeros = longest = 0
    for sample in samples:
        zeros = 0 if sample else zeros + 1
        longest = max(longest, zeros)
    assert longest >= 16 * 12, longest
    eq(rig.told, [16000])


def test_the_amplifier_goes_off_after_a_while():
    rig = Rig()
    eq((rig.told, rig.sinks), ([], []))
    rig.speaker.tone(440, 50)
    rig.wait(1000)
    rig.speaker.silence()
    rig.wait(250)
    eq(rig.told, [16000])
    rig.wait(250)
    eq(rig.told, [16000, 0])
    rig.wait(1000)
    rig.speaker.tone(440, 50)
    eq(rig.told, [16000, 0, 16000])
    near(frequency(rig.heard(200), 16000), 440, 2)
    eq((rig.faults(), len(rig.sinks)), ([], 1))


def test_a_tone_of_no_level_is_silence():
    rig = Rig()
    rig.speaker.tone(440, 0)
    rig.speaker.silence()
    eq((rig.told, rig.sinks), ([], []))


def test_an_amplifier_that_does_not_answer():
    rig = Rig()
    rig.fails = 1
    raises(OSError, rig.speaker.tone, 440, 50)
    rig.speaker.tone(440, 50)
    eq(rig.told, [16000])
    rig.wait(50)
    rig.speaker.silence()
    rig.fails = 1
    rig.wait(500)
    eq(rig.told, [16000])
    rig.wait(400)
    eq(rig.told, [16000, 0])


def test_without_a_switch():
    sinks = []

    def opened(rate):
        sinks.append(I2SSink(rate))
        return sinks[-1]

    speaker = I2SSpeaker(opened)
    speaker.tone(500, 50)
    sinks[0].wait(100)
    near(frequency(sinks[0].samples, 16000), 500, 2)


def test_a_handler_that_is_never_called_is_not_waited_for():
    rig = Rig()
    rig.speaker.tone(440, 50)
    rig.wait(50)
    rig.sink._jobs = []
    rig.wait(300)
    rig.speaker.tone(550, 50)
    eq(any(rig.heard(100)), False)
    rig.wait(200)
    rig.speaker.tone(550, 50)
    near(frequency(rig.heard(100), 16000), 550, 2)


class Silent:
    """An I2S that keeps its handler."""

    def irq(self, handler):
        self.handler = handler

    def write(self, buf):
        pass


def test_nothing_is_allocated_while_it_sounds():
    i2s = Silent()
    speaker = I2SSpeaker(lambda rate: i2s)
    speaker.tone(440, 50)
    heap_lock()
    try:
        for _ in range(20):
            i2s.handler(i2s)
        speaker.tone(440, 80)
        i2s.handler(i2s)
        speaker.silence()
        speaker.tone(440, 80)
        i2s.handler(i2s)
    finally:
        heap_unlock()


def test_a_tone_is_made_once():
    i2s = Silent()
    speaker = I2SSpeaker(lambda rate: i2s)
    speaker.tone(440, 50)
    speaker._samples[5] = 12345
    i2s.handler(i2s)
    eq(speaker._samples[5], 12345)
    speaker.tone(440, 51)
    i2s.handler(i2s)
    assert speaker._samples[5] != 12345


def test_nothing_is_allocated_while_a_stream_is_sent():
    i2s = Silent()
    speaker = I2SSpeaker(lambda rate: i2s)
    speaker.play(16000)
    eq(speaker.write(bytes(2000)), 2000)
    heap_lock()
    try:
        for _ in range(8):
            i2s.handler(i2s)
    finally:
        heap_unlock()
    eq(speaker.queued, 0)


def noise(count):
    """So many samples, none of them 0."""
    return array("h", ((i * 7919 & 0x7FFF) + 1 for i in range(count)))


def stream(rig, data, rate, most=700):
    """Play bytes, in pieces of up to `most`, and what was heard."""
    rig.speaker.play(rate)
    start = len(rig.sink.samples)
    at = 0
    while at < len(data):
        taken = rig.speaker.write(data[at : at + most])
        at += taken
        if not taken:
            rig.wait(5)
    while rig.speaker.queued:
        rig.wait(5)
    rig.wait(150)
    return rig.sink.samples[start:]


def test_a_stream_comes_out_as_it_went_in():
    for most in (2, 511, 700, 5000):
        rig = Rig()
        samples = noise(6000)
        heard = stream(rig, bytes(samples), 16000, most)
        heard = array("h", (s for s in heard if s))
        eq(len(heard), 6000)
        eq(heard == samples, True)
        eq(rig.faults(), [])


def test_a_stream_has_its_own_rate_and_tones_go_on_at_it():
    rig = Rig()
    rig.speaker.tone(440, 50)
    rig.wait(50)
    stream(rig, bytes(noise(2000)), 24000)
    rig.speaker.tone(440, 50)
    eq([sink.rate for sink in rig.sinks], [16000, 24000])
    eq(rig.told, [16000, 0, 24000])
    rig.wait(100)
    near(frequency(rig.heard(200), 24000), 440, 0.5)
    eq(rig.faults(), [])


def test_another_rate_does_not_wait_for_long():
    rig = Rig()
    rig.speaker.tone(440, 50)
    rig.wait(200)
    start_ms = rig.now_ms
    rig.speaker.play(24000)
    assert rig.now_ms - start_ms <= 40, rig.now_ms - start_ms


def test_no_more_is_taken_than_there_is_room_for():
    rig = Rig()
    rig.speaker.play(16000)
    eq(rig.speaker.write(bytes(5000)), 3584)
    eq((rig.speaker.write(bytes(10)), rig.speaker.queued), (0, 3584))
    rig.wait(200)
    eq(rig.speaker.queued, 0)


def test_half_a_sample_is_not_taken():
    rig = Rig()
    rig.speaker.play(16000)
    eq((rig.speaker.write(b"abc"), rig.speaker.write(b"a"), rig.speaker.queued), (2, 0, 2))


def test_what_is_no_bytes_is_refused():
    rig = Rig()
    rig.speaker.play(16000)
    raises(ValueError, rig.speaker.write, array("h", (1, 2, 3, 4)))


def test_a_stream_that_runs_dry_is_silent_and_goes_on():
    rig = Rig()
    rig.speaker.play(16000)
    rig.speaker.write(bytes(noise(100)))
    rig.wait(1000)
    eq((rig.told, any(rig.heard(500))), ([16000], False))
    rig.speaker.write(bytes(noise(100)))
    eq(len([s for s in rig.heard(200) if s]), 100)
    eq(rig.faults(), [])


def test_silence_ends_a_stream():
    rig = Rig()
    rig.speaker.play(16000)
    rig.speaker.write(bytes(noise(1700)))
    rig.wait(10)
    rig.speaker.silence()
    eq((rig.speaker.queued, rig.speaker.write(b"ab")), (0, 0))
    rig.wait(200)
    eq(any(rig.heard(100)), False)
    rig.wait(200)
    eq(rig.told, [16000, 0])
    again = noise(300)
    heard = stream(rig, bytes(again), 16000)
    eq(array("h", (s for s in heard if s)) == again, True)


def test_a_piece_that_is_being_sent_is_not_written_over():
    rig = Rig()
    for _ in range(20):
        rig.speaker.play(16000)
        rig.speaker.write(bytes(noise(2500)))
        rig.wait(3)
        rig.speaker.silence()
    rig.wait(500)
    eq(rig.faults(), [])


def test_a_piece_that_is_being_filled_is_not_sent():
    rig = Rig()
    rig.speaker.play(16000)
    rig.speaker.write(b"ab" * 100)
    rig.speaker._filling = True
    eq(any(rig.heard(100)), False)
    rig.speaker._filling = False
    eq(any(rig.heard(100)), True)


def test_the_handler_of_an_i2s_that_was_closed_is_late():
    rig = Rig()
    rig.speaker.tone(440, 50)
    late = rig.sink._handler
    rig.wait(20)
    rig.speaker.play(24000)
    eq(len(rig.sink._jobs), 1)
    late(rig.sinks[0])
    eq(len(rig.sink._jobs), 1)


def test_a_tone_replaces_a_stream():
    rig = Rig()
    rig.speaker.play(16000)
    rig.speaker.write(bytes(noise(1700)))
    rig.speaker.tone(440, 50)
    rig.wait(150)
    near(frequency(rig.heard(200), 16000), 440, 0.5)


def test_a_rate_that_no_amplifier_has():
    rig = Rig()
    for rate in (0, 7999, 48001):
        raises(ValueError, rig.speaker.play, rate)
    eq(rig.sinks, [])


def test_with_the_amplifier_of_cores3():
    chip = Chip()
    sinks = []

    def opened(rate):
        sinks.append(I2SSink(rate, amplifier=chip))
        return sinks[-1]

    now = [0]

    def wait(ms):
        now[0] += ms
        sinks[-1].wait(ms)

    amplifier = AW88298(I2CBus((chip,)), chip.reset)
    speaker = I2SSpeaker(opened, amplifier.sound, sleep_ms=wait, ticks_ms=lambda: now[0])
    speaker.tone(440, 50)
    wait(100)
    eq(chip.on, True)
    speaker.play(24000)
    speaker.write(bytes(noise(1000)))
    wait(100)
    eq((chip.on, chip.words[0x06]), (True, 0x14C5))
    speaker.silence()
    wait(600)
    eq((chip.on, chip.held, chip.faults, sinks[0].faults, sinks[1].faults), (False, True, [], [], []))
