"""Recorded speech through the speaker behind I2S: a WAV file goes in, and what the virtual I2S sends is its sound."""

import sys

sys.path.append(__file__.rsplit("/", 1)[0] + "/../robot")

from array import array

from i2s_rig import Rig, near
from sounds import Trace
from wavs import square, wav

from harness import eq
from robot.speech import Speech
from robot.voice import Voice
from robot.wav import Wav
from tsumiki.chips.i2s_sink import frequency, peak

_STEP_MS = 34


def speak(rig, file, level=100, piece=1000, late_ms=0):
    """Bring a WAV file to a voice, and step it to the end: the trace of its mouth, and the speech."""
    mouth = Trace()
    voice = Voice(rig.speaker, mouth.mouth)
    speech = Speech(rig.speaker, 1000)
    voice.play(speech, level)
    reader = Wav()
    pcm = reader.feed(file)
    speech.begin(reader.rate, reader.size)
    at = 0
    steps = 0
    while voice.busy:
        while at < len(pcm):
            count = speech.write(pcm[at : at + piece])
            at += count
            if not count:
                break
        if at == len(pcm):
            speech.end()
        voice.step(rig.now_ms)
        steps += 1
        # Now and then a picture is drawn in between.
        passed_ms = _STEP_MS + (late_ms if steps % 5 == 0 else 0)
        if rig.sinks:
            rig.wait(passed_ms)
        else:
            rig.now_ms += passed_ms
        mouth.now_ms += passed_ms
        assert steps < 1000, "it does not end"
    rig.wait(200)
    return mouth, speech


def sound_of(rig):
    """What the last I2S sent, from the first sample that is not 0 to the last."""
    samples = rig.sink.samples
    heard = [i for i in range(len(samples)) if samples[i]]
    return samples[heard[0] : heard[-1] + 1]


def noise(count):
    return array("h", [(i * 7919 & 0x7FFF) - 0x4000 | 1 for i in range(count)])


def test_every_sample_comes_out_once_and_in_order():
    for rate in (16000, 24000):
        for late_ms in (0, 30):
            rig = Rig()
            samples = noise(12000)
            _, speech = speak(rig, wav(bytes(samples), rate), late_ms=late_ms)
            eq((sound_of(rig) == samples, rig.sink.rate, rig.faults()), (True, rate, []))
            eq((speech.gaps, speech.report), (0, {"duration_ms": 12000000 // rate, "complete": True}))
            eq(rig.told, [rate])
            rig.wait(500)
            eq(rig.told, [rate, 0])


def test_the_volume_is_heard():
    rig = Rig()
    speak(rig, wav(square(400, 20000)), 40)
    near(peak(rig.sink.samples), 8000, 1)
    near(frequency(sound_of(rig), 16000), 250, 1)


def test_the_mouth_is_no_more_than_the_dma_ahead_of_the_sound():
    rig = Rig()
    mouth, _ = speak(rig, wav(square(500, 0) + square(500, 8000)))
    opens_ms = next(ms for ms, _, level in mouth.lines if level > 50)
    samples = rig.sink.samples
    loud_ms = next(i for i in range(len(samples)) if samples[i]) // 16
    # 2,048 bytes of it are 64 ms; a step is 34 ms.
    assert -64 - _STEP_MS <= opens_ms - loud_ms <= 2 * _STEP_MS, (opens_ms, loud_ms)


def test_a_tone_follows_a_speech_of_another_rate():
    rig = Rig()
    speak(rig, wav(square(300, 8000, 24000), 24000))
    rig.speaker.tone(440, 50)
    rig.wait(100)
    near(frequency(rig.heard(200), 24000), 440, 0.5)
    eq(rig.faults(), [])
