"""What a voice tells its speaker and its mouth, tone by tone."""

from heap import dice, without_heap
from sounds import Still, Stream, Trace

from harness import eq, raises
from robot.voice import Voice
from umcp.errors import ToolError


def _voice(rng=None):
    trace = Trace()
    return Voice(trace, trace.mouth, rng), trace


def test_a_tone_sounds_for_its_time():
    voice, trace = _voice()
    voice.tone(440, 100)
    eq((voice.busy, voice.left_ms, trace.lines), (True, 100, []))
    eq(voice.state(), {"busy": True, "left_ms": 100, "volume": 100})
    eq(trace.play(voice, 60).take(), [(0, 440, 100)])
    eq((voice.busy, voice.left_ms), (True, 60))
    eq(trace.play(voice, 100).take(), [(100, 0)])
    eq((voice.busy, voice.left_ms), (False, 0))
    eq(trace.play(voice, 100).take(), [])


def test_what_is_out_of_range_is_clamped():
    voice, trace = _voice()
    for hz, ms, level, wanted in (
        (1, 1, 500, [(0, 40, 100), (40, 0)]),
        (9999, 9999, 50, [(0, 4000, 50), (2000, 0)]),
        (440, 40, -1, []),
    ):
        voice, trace = _voice()
        voice.tone(hz, ms, level)
        eq(trace.play(voice, 3000).take(), wanted)


def test_a_melody_note_by_note():
    voice, trace = _voice()
    report = voice.melody(["C4:100", "E4:100", "R:60", "G4:40", "x"], 80)
    eq(report, {"played": 3, "rests": 1, "skipped": 1, "truncated": 0, "duration_ms": 300})
    eq(
        trace.play(voice, 400).take(),
        [(0, 262, 80), (100, 330, 80), (200, 0), (260, 392, 80), (300, 0)],
    )


def test_notes_of_one_pitch_are_told_apart():
    voice, trace = _voice()
    voice.melody(["A4:100", "A4:60", "B4:60"])
    eq(trace.play(voice, 300).take(), [(0, 440, 100), (80, 0), (100, 440, 100), (160, 494, 100), (220, 0)])


def test_a_late_step_skips_and_does_not_drift():
    voice, trace = _voice()
    voice.melody(["C4:100", "D4:100", "E4:100", "F4:100"])
    voice.step(1000)
    voice.step(1235)
    eq(voice.left_ms, 165)
    voice.step(1301)
    voice.step(1399)
    eq((voice.busy, voice.left_ms), (True, 1))
    voice.step(1400)
    eq((voice.busy, trace.take()), (False, [(0, 262, 100), (0, 330, 100), (0, 349, 100), (0, 0)]))


def test_ticks_may_wrap_in_a_note():
    plain, wrapped = _voice(), _voice()
    for from_ms, (voice, trace) in ((0, plain), (0x3FFFFFFF - 130, wrapped)):
        voice.melody(["C4:100", "D4:100", "E4:100"])
        trace.play(voice, 400, from_ms=from_ms)
    eq(wrapped[1].lines, plain[1].lines)
    eq(len(plain[1].lines), 4)


def test_a_melody_of_nothing_is_silent_and_over():
    voice, trace = _voice()
    eq(voice.melody(["x", "?"])["played"], 0)
    trace.play(voice, 20)
    eq((voice.busy, trace.lines), (False, []))


def test_a_melody_of_rests_takes_its_time():
    voice, trace = _voice()
    voice.melody(["R:100", "R:100"])
    eq((trace.play(voice, 200).take(), voice.busy), ([], True))
    eq((trace.play(voice, 20).take(), voice.busy), ([], False))


def test_the_volume_is_of_what_sounds_too():
    voice, trace = _voice()
    eq(voice.volume(50), 50)
    voice.tone(440, 200, 80)
    trace.play(voice, 60)
    eq(voice.volume(100), 100)
    eq(voice.volume(100), 100)
    trace.play(voice, 40)
    eq(voice.volume(0), 0)
    trace.play(voice, 40)
    eq((voice.volume(101), voice.volume(-1), voice.volume(10)), (100, 0, 10))
    trace.play(voice, 100)
    eq(
        trace.lines,
        [(0, 440, 40), (60, 440, 80), (100, 0), (140, 440, 80), (140, 0), (140, 440, 8), (200, 0)],
    )


def test_the_owners_limit_bounds_the_volume_and_may_be_lifted():
    voice, trace = _voice()
    voice.set_limit(30)
    eq((voice.limit, voice.volume_level), (30, 100))
    eq(voice.state(), {"busy": False, "left_ms": 0, "volume": 30})
    voice.tone(440, 100)
    trace.play(voice, 20)
    voice.set_limit(100)
    eq(trace.take(), [(0, 440, 30), (20, 440, 100)])
    voice.set_limit(20)
    eq(voice.volume(90), 20)
    voice.set_limit(900)
    eq((voice.limit, voice.volume_level), (100, 20))


def test_no_volume_is_silence_and_takes_as_long():
    voice, trace = _voice()
    voice.volume(0)
    voice.melody(["C4:100", "D4:100"])
    eq((trace.play(voice, 200).take(), voice.busy), ([], True))
    trace.play(voice, 20)
    eq(voice.busy, False)


def test_speech_beeps_with_the_mouth_in_step():
    voice, trace = _voice()
    eq(voice.speak("Hi, you!"), {"duration_ms": 340, "complete": True})
    eq(voice.left_ms, 340)
    eq(
        trace.play(voice, 400).take(),
        [
            (0, 740, 100),
            (0, "mouth", 40),
            (80, "mouth", 20),
            (100, 0),
            (100, "mouth", 0),
            (240, 720, 100),
            (240, "mouth", 40),
            (320, "mouth", 20),
            (340, "mouth", 0),
            (340, 0),
        ],
    )


def test_chance_changes_the_pitch_and_not_the_mouth():
    one, other = _voice(dice(1)), _voice(dice(9))
    for voice, trace in (one, other):
        voice.speak("Good morning")
        trace.play(voice, 1000)
    mouths = [[line for line in trace.lines if line[1] == "mouth"] for _, trace in (one, other)]
    eq(mouths[0], mouths[1])
    assert one[1].lines != other[1].lines
    eq(len(one[1].lines), len(other[1].lines))


def test_tones_leave_the_mouth_alone():
    voice, trace = _voice()
    voice.melody(["C4:100"] * 3)
    trace.play(voice, 400)
    eq([line for line in trace.lines if line[1] == "mouth"], [])


def test_a_later_command_replaces_a_running_one():
    voice, trace = _voice()
    voice.speak("aaaa")
    first = voice.turn
    trace.play(voice, 40)
    voice.tone(440, 60)
    eq((voice.turn, voice.left_ms), (first + 1, 60))
    trace.play(voice, 100)
    eq(
        trace.lines,
        [(0, 620, 100), (0, "mouth", 100), (40, "mouth", 0), (40, 0), (40, 440, 100), (100, 0)],
    )


def test_stop_is_silent_and_shuts_the_mouth_once():
    voice, trace = _voice()
    voice.stop()
    voice.speak("aa, aa")
    voice.stop()
    eq((trace.lines, voice.busy), ([], False))
    voice.speak("aa, aa")
    trace.play(voice, 20)
    voice.stop()
    voice.stop()
    trace.play(voice, 100)
    eq(trace.lines, [(0, 620, 100), (0, "mouth", 100), (20, "mouth", 0), (20, 0)])


def test_a_voice_without_a_face():
    trace = Trace()
    voice = Voice(trace)
    voice.speak("a")
    eq(trace.play(voice, 200).take(), [(0, 620, 100), (100, 0)])


def test_how_much_can_be_said():
    voice = _voice()[0]
    for text in ("", "a" * 501, "\u3042" * 501):
        eq(raises(ToolError, voice.speak, text).code, "text_length")
    eq((voice.busy, voice.turn), (False, 0))
    said = voice.speak("\u3042" * 500)
    eq(said, {"duration_ms": 15000, "complete": False})


def test_a_streamer_is_a_source():
    voice, trace = _voice()
    voice.volume(50)
    stream = Stream((10, 90, 90, 0))
    voice.play(stream, 60)
    eq((voice.left_ms, stream.gains), (80, [30]))
    trace.play(voice, 40)
    voice.volume(100)
    eq((voice.left_ms, stream.gains), (40, [30, 60]))
    trace.play(voice, 60)
    eq(trace.lines, [(0, "mouth", 10), (20, "mouth", 90), (60, "mouth", 0)])
    eq((voice.busy, voice.left_ms, stream.stops), (False, 0, 1))


def test_a_streamer_is_stopped_by_what_comes_next():
    voice, trace = _voice()
    stream = Stream((10, 90))
    voice.play(stream)
    trace.play(voice, 40)
    voice.tone(440, 40)
    trace.play(voice, 60)
    eq((stream.stops, trace.lines[-3:]), (1, [(40, "mouth", 0), (40, 440, 100), (80, 0)]))


def test_a_source_that_fails_is_over_and_the_next_one_sounds():
    voice, trace = _voice()
    stream = Stream((90,), fails=True)
    voice.play(stream)
    trace.play(voice, 20)
    eq(raises(OSError, voice.step, 40).args, (5,))
    eq((voice.busy, stream.stops, trace.take()[-1]), (False, 1, (20, "mouth", 0)))
    voice.step(60)
    voice.tone(440, 60)
    eq(trace.play(voice, 20).take(), [(20, 440, 100)])


def test_a_speaker_that_fails_leaves_nothing_behind():
    class Broken(Trace):
        def tone(self, hz, level):
            raise OSError(19)

    trace = Broken()
    voice = Voice(trace, trace.mouth)
    for _ in range(3):
        voice.speak("aa")
        raises(OSError, voice.step, 0)
        eq(voice.busy, False)


def test_steps_allocate_nothing():
    still = Still()
    voice = Voice(still, still.mouth, dice())

    def run():
        now_ms = 0x3FFFFFFF - 500
        for _ in range(300):
            now_ms = now_ms + 13 if now_ms < 0x3FFFFFF0 else 0
            voice.step(now_ms)

    voice.step(0)
    for command in (
        lambda: voice.speak("Hello there. \u3053\u3093\u306b\u3061\u306f\u6f22\u5b57?"),
        lambda: voice.melody(["C4:100", "C4:100", "R:100", "440:300"]),
        lambda: voice.tone(4000, 2000),
    ):
        command()
        tones = still.tones
        without_heap(run)
        assert still.tones > tones
        eq((voice.busy, still.sounding, still.open), (False, False, 0))
