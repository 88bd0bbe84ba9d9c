"""Streams of PCM through the speaker behind I2S, beside its tones, and with the amplifier of CoreS3."""

from array import array

from i2s_rig import Rig, Silent, near
from micropython import heap_lock, heap_unlock

from drivers.aw88298 import AW88298
from drivers.i2s_speaker import I2SSpeaker
from harness import eq, raises
from tsumiki.chips.aw88298 import AW88298 as Chip
from tsumiki.chips.i2c import I2CBus
from tsumiki.chips.i2s_sink import I2SSink, frequency


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
