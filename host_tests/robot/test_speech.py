"""Recorded speech from the first byte to the last: what the speaker and the mouth are told, and what is heard."""

from array import array

from heap import used, without_heap
from sounds import Trace
from wavs import PcmSpeaker, square

from harness import eq, raises
from robot import pcm
from robot.speech import MAX_MS, Speech
from robot.voice import Voice

_STEP_MS = 34


class Rig:
    """A voice that speaks, and whoever brings the sound: `bring(data)` as far as there is room."""

    def __init__(self, expected_ms=1000, **options):
        self.speaker = PcmSpeaker(**options)
        self.mouth = Trace()
        self.voice = Voice(self.speaker, self.mouth.mouth)
        self.speech = self.add(expected_ms)
        self.now_ms = 0x3FFFFFFF - 700

    def add(self, expected_ms=1000):
        self.abandoned = 0
        speech = Speech(self.speaker, expected_ms)
        speech.abandon = self.abandon
        self.voice.play(speech)
        return speech

    def abandon(self):
        self.abandoned += 1

    def steps(self, ms):
        for _ in range(ms // _STEP_MS):
            self.voice.step(self.now_ms)
            self.wait(_STEP_MS)

    def wait(self, ms):
        self.speaker.wait(ms)
        self.mouth.now_ms += ms
        self.now_ms = self.now_ms + ms & 0x3FFFFFFF

    def say(self, data, rate=16000, piece=1000, **more):
        """Begin, bring it all as it is taken, end, and let it sound out."""
        self.speech.begin(rate, **more)
        self.bring(data, piece)
        self.speech.end()
        self.finish()

    def bring(self, data, piece=1000):
        for at in range(0, len(data), piece):
            part = data[at : at + piece]
            taken = 0
            while taken < len(part):
                count = self.speech.write(part, taken)
                taken += count
                if not count:
                    self.steps(_STEP_MS)

    def finish(self, within_ms=20000):
        while self.voice.busy and within_ms > 0:
            self.steps(_STEP_MS)
            within_ms -= _STEP_MS
        assert not self.voice.busy, "it does not end"


def sound(count):
    """So many samples, bytes."""
    return bytes(array("h", [(i * 7919 & 0x7FFF) - 0x7FFF for i in range(count)]))


def test_all_of_it_is_heard_as_it_came():
    for rate in (8000, 16000, 24000, 44100):
        for piece in (7, 1000, 1024, 20000):
            rig = Rig()
            data = sound(30000)
            rig.say(data, rate, piece)
            heard = bytes(rig.speaker.heard)
            eq(heard[: len(data)] == data, True)
            eq((rig.speaker.told, rig.speaker.dry_ms), ([("play", rate), "silence"], rig.speaker.dry_ms))
            eq(rig.speech.gaps, 0)
            eq(rig.speech.report, {"duration_ms": 30000 * 1000 // rate, "complete": True})
            eq(rig.abandoned, 1)


def test_it_does_not_begin_before_there_is_enough():
    rig = Rig()
    rig.speech.begin(16000)
    rig.steps(200)
    rig.bring(sound(4095))
    rig.steps(200)
    eq((rig.speaker.told, rig.speech.sounds, rig.voice.busy, rig.mouth.lines), ([], False, True, []))
    rig.bring(sound(1))
    rig.steps(_STEP_MS)
    eq((rig.speaker.told, rig.speech.sounds), ([("play", 16000)], True))


def test_a_short_one_is_said_when_it_is_whole():
    for count in (1, 255, 256, 257, 1000):
        rig = Rig()
        rig.say(sound(count))
        eq(bytes(rig.speaker.heard[: 2 * count]) == sound(count), True)
        eq(rig.speech.report["complete"], True)
    rig = Rig()
    rig.say(b"")
    eq((rig.speaker.told, rig.speech.sounds), ([], False))


def test_half_a_sample_at_the_end_is_not_played():
    rig = Rig()
    rig.say(sound(300) + b"x")
    eq(bytes(rig.speaker.heard[:600]) == sound(300), True)
    eq(sum(rig.speaker.heard[600:]), 0)


def test_where_nothing_comes_it_is_silent_and_then_goes_on():
    rig = Rig()
    rig.speech.begin(16000)
    rig.bring(square(400, 3000))
    rig.steps(1500)
    eq((rig.voice.busy, rig.speech.gaps, rig.speech.level, rig.voice.turn), (True, 1, 0, 1))
    assert rig.speaker.dry_ms > 900, rig.speaker.dry_ms
    rig.bring(square(100, 3000))
    rig.steps(300)
    eq(len(rig.speaker.heard) <= 2 * 16 * 400, True)
    rig.bring(square(400, 3000))
    rig.speech.end()
    rig.finish()
    eq(bytes(rig.speaker.heard[: 32 * 800]), square(400, 3000) + square(100, 3000) + square(300, 3000))
    eq((rig.speech.report["complete"], rig.speaker.told[-1]), (True, "silence"))


def test_no_more_is_taken_than_there_is_room_for():
    rig = Rig()
    rig.speech.begin(16000)
    eq((rig.speech.write(sound(20000)), rig.speech.write(sound(10), 4)), (16384, 0))
    rig.steps(_STEP_MS)
    eq(rig.speech.write(sound(20000), 16384), 3584)


def test_the_level_drives_the_mouth():
    rig = Rig()
    data = b"".join([square(200, level) for level in (400, 4000, 1600, 0, 2800, 20000)])
    rig.say(data, 16000, 1024)
    eq(
        rig.mouth.lines,
        [
            (34, "mouth", 10),
            (238, "mouth", 77),
            (272, "mouth", 100),
            (442, "mouth", 40),
            (612, "mouth", 30),
            (646, "mouth", 0),
            (816, "mouth", 23),
            (850, "mouth", 70),
            (1020, "mouth", 85),
            (1054, "mouth", 100),
            (1224, "mouth", 0),
        ],
    )


def test_the_mouth_follows_what_is_heard_and_not_what_is_queued():
    for room in (2048, 3584, 12288):
        rig = Rig(room=room)
        rig.say(square(500, 0) + square(500, 4000))
        opens = next(ms for ms, _, level in rig.mouth.lines if level > 50)
        assert 500 <= opens <= 500 + 2 * _STEP_MS, (room, opens)


def test_the_volume_makes_it_softer_and_the_mouth_stays():
    rig = Rig()
    rig.voice.set_limit(50)
    rig.say(square(500, 4000))
    eq(max(array("h", bytes(rig.speaker.heard))), 2000)
    eq(min(array("h", bytes(rig.speaker.heard))), -2000)
    eq(max([level for _, _, level in rig.mouth.lines]), 100)
    rig = Rig()
    rig.speech.begin(16000)
    rig.bring(square(500, 4000))
    rig.steps(200)
    rig.voice.volume(10)
    rig.bring(square(300, 4000))
    rig.speech.end()
    rig.finish()
    samples = array("h", bytes(rig.speaker.heard))
    eq((max(samples[:3000]), max(samples[-2000:])), (4000, 4000 * 25 >> 8))
    rig = Rig()
    rig.voice.volume(0)
    rig.say(square(500, 4000))
    eq((max(rig.speaker.heard), rig.speech.report["duration_ms"]), (0, 500))


def test_what_was_softened_is_not_softened_again():
    rig = Rig(room=700)
    rig.voice.volume(50)
    rig.say(square(1000, 20000))
    heard = array("h", bytes(rig.speaker.heard))[:16000]
    eq({abs(sample) for sample in heard}, {10000})


def test_loudness_and_softness_sample_by_sample():
    values = (0, 1, -1, 100, -100, 32767, -32768, 12345)
    raw = bytearray(bytes(array("h", values)))
    for part in (0, 1, 128, 255, 256):
        copy = bytearray(raw)
        pcm.soften(copy, 2, 14, part)
        wanted = [0] + [value * part >> 8 for value in values[1:7]] + [12345]
        eq(list(array("h", bytes(copy))), wanted)
    eq(pcm.loudness(raw, 0, 16), 50)
    eq(pcm.loudness(raw, 12, 14), 32768)
    eq(pcm.loudness(raw, 4, 4), 0)
    eq(pcm.loudness(bytearray(b"\0\x80" * 32768), 0, 65536), 32768)


def test_the_native_twin_agrees():
    try:
        from robot import pcm_viper as native
    except (ImportError, SyntaxError, AttributeError):
        native = pcm  # CPython, WebAssembly
    raw = bytearray(sound(600))
    for part in (0, 77, 256):
        one, other = bytearray(raw), bytearray(raw)
        pcm.soften(one, 2, 1100, part)
        native.soften(other, 2, 1100, part)
        eq(one == other, True)
        eq(pcm.loudness(one, 6, 1000), native.loudness(other, 6, 1000))


def test_another_sound_ends_it():
    rig = Rig()
    rig.speech.begin(16000)
    rig.bring(square(500, 4000))
    rig.steps(200)
    rig.voice.tone(440, 100)
    eq((rig.abandoned, rig.speech.report["complete"]), (1, False))
    rig.steps(_STEP_MS)
    eq(rig.speaker.told, [("play", 16000), "silence", ("tone", 440, 100)])
    eq(rig.mouth.lines[-1][2], 0)


def test_before_it_begins_it_can_be_stopped_and_says_nothing():
    rig = Rig()
    rig.steps(100)
    eq((rig.voice.busy, rig.voice.left_ms), (True, 1000))
    rig.voice.stop()
    eq((rig.abandoned, rig.speaker.told, rig.mouth.lines), (1, [], []))


def test_a_cut_one_ends_where_it_ends():
    rig = Rig()
    rig.speech.begin(16000, 64000)
    rig.bring(square(500, 4000))
    rig.steps(100)
    eq(rig.voice.left_ms > 1800, True)
    rig.speech.end(False)
    rig.finish()
    eq(rig.speech.report, {"duration_ms": 500, "complete": False})


def test_beeps_in_its_place_are_the_same_sound():
    rig = Rig()
    rig.voice.volume(60)
    turn = rig.voice.turn
    rig.steps(300)
    notes, whole = rig.voice.beeps("aa, a")
    rig.speech.fall_back(notes, whole)
    eq(rig.speech.report, {"duration_ms": 340, "complete": True})
    eq((rig.voice.left_ms, rig.voice.turn), (340, turn))
    rig.steps(100)
    rig.voice.volume(30)
    rig.finish()
    tones = [line for line in rig.speaker.told if line != "silence"]
    eq([tone[2] for tone in tones], [60, 30, 30])
    assert max([level for _, _, level in rig.mouth.lines]) == 100
    eq((rig.mouth.lines[-1][2], rig.abandoned, rig.speaker.told[-1]), (0, 1, "silence"))


def test_beeps_in_its_place_can_be_stopped():
    rig = Rig()
    rig.speech.fall_back(*rig.voice.beeps("aaaa aaaa"))
    rig.steps(100)
    rig.voice.stop()
    eq((rig.speaker.told[-1], rig.voice.busy, rig.abandoned), ("silence", False, 1))


def test_how_long_it_takes_is_guessed_until_it_is_known():
    rig = Rig(3000)
    eq(rig.voice.left_ms, 3000)
    rig.speech.begin(16000, 64000, 500)
    eq(rig.voice.left_ms, 2500)
    rig.bring(sound(8000))
    rig.steps(300)
    left_ms = rig.voice.left_ms
    eq(2000 < left_ms < 2300, True)
    rig.speech.begin(16000, 32000)
    eq(1100 < rig.voice.left_ms < 1300, True)


def test_parts_follow_each_other_at_one_rate():
    rig = Rig()
    rig.speech.begin(16000)
    rig.bring(sound(5000))
    rig.speech.begin(16000)
    rig.bring(sound(5000))
    eq(str(raises(ValueError, rig.speech.begin, 24000)), "24000 samples a second after 16000")
    rig.speech.end()
    rig.finish()
    eq(bytes(rig.speaker.heard[:20000]) == sound(5000) * 2, True)


def test_a_rate_that_no_speaker_has():
    for rate in (0, 7999, 48001):
        raises(ValueError, Rig().speech.begin, rate)


def test_it_does_not_sound_for_ever():
    rig = Rig(keeps=False)
    rig.speech.begin(8000)
    second = square(1000, 4000, 8000)
    for _ in range(MAX_MS // 1000):
        rig.bring(second)
    eq(str(raises(ValueError, rig.bring, second)), "longer than 120 s")


def test_a_speaker_that_takes_nothing_is_an_error():
    rig = Rig()
    rig.speech.begin(16000)
    rig.bring(sound(8000))
    rig.steps(200)
    rig.speaker.stuck = True
    raises(OSError, rig.steps, 3000)
    eq((rig.voice.busy, rig.abandoned, rig.speaker.told[-1]), (False, 1, "silence"))
    # Silence for want of sound is none.
    rig = Rig()
    rig.speech.begin(16000)
    rig.bring(sound(4096))
    rig.steps(9000)
    eq(rig.voice.busy, True)


class Hole:
    """A speaker that takes everything and keeps nothing."""

    queued = 0

    def play(self, rate):
        pass

    def write(self, buf):
        return len(buf)


def test_what_it_takes_of_the_heap():
    second = bytes(16000)
    before = used()
    speech = Speech(Hole(), 1000)
    waiting = used() - before
    speech.begin(16000)
    begun = used() - before
    most = 0
    for now_ms in range(200):  # 3.2 MB
        eq(speech.write(second), 16000)
        speech.step(now_ms)
        if now_ms % 20 == 0:
            most = max(most, used() - before)
    assert waiting <= 800, waiting
    assert begun <= 16384 + 1200, begun
    assert most <= begun + 200, (begun, most)


def test_steps_that_wait_allocate_nothing():
    rig = Rig()
    rig.voice.step(0)

    def run():
        now_ms = 0x3FFFFFFF - 500
        for _ in range(300):
            now_ms = now_ms + 13 if now_ms < 0x3FFFFFF0 else 0
            rig.voice.step(now_ms)

    without_heap(run)
