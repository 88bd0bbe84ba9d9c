"""The speaker at GPIO25: a square wave of little duty, and a pin that is low when nothing sounds."""

from micropython import heap_lock, heap_unlock

from drivers.dac_speaker import DACSpeaker
from harness import eq


class PWM:
    """Records [(what, value)]."""

    def __init__(self):
        self.seen = []

    def freq(self, hz):
        self.seen.append(("freq", hz))

    def duty_u16(self, duty):
        self.seen.append(("duty", duty))


def made():
    pwm = PWM()
    return pwm, DACSpeaker(pwm)


def test_the_pin_is_low_from_the_start():
    eq(made()[0].seen, [("duty", 0)])


def test_a_tone_and_silence():
    pwm, speaker = made()
    speaker.tone(440, 100)
    speaker.silence()
    eq(pwm.seen[1:], [("freq", 440), ("duty", 6553), ("duty", 0)])


def test_only_what_changes_is_written():
    pwm, speaker = made()
    speaker.tone(440, 50)
    speaker.tone(440, 50)
    speaker.tone(440, 25)
    speaker.tone(880, 25)
    speaker.silence()
    speaker.silence()
    speaker.tone(880, 25)
    eq(
        pwm.seen[1:],
        [("freq", 440), ("duty", 3276), ("duty", 1638), ("freq", 880), ("duty", 0), ("duty", 1638)],
    )


def test_the_duty_goes_with_the_level_and_is_a_tenth_at_most():
    pwm, speaker = made()
    for level, duty in ((1, 65), (10, 655), (100, 6553), (200, 6553), (-5, 0)):
        speaker.tone(1000, level)
        eq(pwm.seen[-1], ("duty", duty))
        assert duty * 10 <= 65535


def test_the_pitch_is_clamped():
    pwm, speaker = made()
    for hz, wanted in ((0, 20), (-3, 20), (50000, 20000)):
        speaker.tone(hz, 0)
        eq(pwm.seen[-1], ("freq", wanted))


class Silent:
    def freq(self, hz):
        pass

    duty_u16 = freq


def test_a_tone_allocates_nothing():
    speaker = DACSpeaker(Silent())
    heap_lock()
    try:
        speaker.tone(440, 50)
        speaker.tone(660, 20)
        speaker.silence()
    finally:
        heap_unlock()
