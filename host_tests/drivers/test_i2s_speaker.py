"""The tones of the speaker behind I2S: what goes out, measured; and when the amplifier is on."""

from i2s_rig import Rig, Silent, near
from micropython import heap_lock, heap_unlock

from drivers.i2s_speaker import I2SSpeaker
from harness import eq, raises
from tsumiki.chips.i2s_sink import I2SSink, frequency, peak


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


def test_a_rate_that_no_amplifier_has():
    rig = Rig()
    for rate in (0, 7999, 48001):
        raises(ValueError, rig.speaker.play, rate)
    eq(rig.sinks, [])
