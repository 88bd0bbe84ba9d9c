"""WAV files in pieces: where the sound begins and ends, and what is refused."""

from wavs import le, wav

from harness import eq, raises, splits
from robot.wav import Wav

PCM = bytes(range(1, 41))


def read(pieces):
    """(the reader, all PCM) of pieces."""
    reader = Wav()
    pcm = b"".join([reader.feed(piece) for piece in pieces])
    return reader, pcm


def refused(*pieces):
    return str(raises(ValueError, read, pieces))


def test_a_plain_file_however_it_is_cut():
    for pieces in splits(wav(PCM, 24000)):
        reader, pcm = read(pieces)
        eq((reader.rate, reader.size, reader.whole, pcm), (24000, 40, True, PCM))


def test_chunks_before_the_sound_and_behind_it():
    before = b"LIST" + le(5, 4) + b"data!\0" + b"fact" + le(4, 4) + b"data" + b"JUNK" + le(0, 4)
    behind = b"LIST" + le(4, 4) + b"abcd"
    for pieces in splits(wav(PCM, chunks=before) + behind):
        reader, pcm = read(pieces)
        eq((reader.rate, reader.whole, pcm), (16000, True, PCM))


def test_a_format_of_18_and_of_40_bytes():
    for more in (b"\0\0", b"\x16\0\x10\0\x04\0\0\0" + b"\x01\0" + bytes(14)):
        kind = 1 if len(more) == 2 else 0xFFFE
        reader, pcm = read([wav(PCM, kind=kind, more=more)])
        eq((reader.rate, pcm), (16000, PCM))


def test_a_size_that_nobody_knew():
    for size in (0, 0xFFFFFFFF, 0x7FFFFFFF, 0x7FFFF024):
        for pieces in splits(wav(PCM, size=size)):
            reader, pcm = read(pieces)
            eq((reader.size, reader.whole, pcm), (None, True, PCM))


def test_a_file_that_is_cut_is_not_whole():
    file = wav(PCM)
    for end in range(len(file)):
        reader, pcm = read([file[:end]])
        eq((reader.whole, pcm), (False, PCM[: max(0, end - 44)]))


def test_what_a_speaker_does_not_play():
    for given, said in (
        ({"bits": 8}, "8 bits, 1 channels, coding 1"),
        ({"bits": 24}, "24 bits"),
        ({"channels": 2}, "16 bits, 2 channels"),
        ({"kind": 3, "bits": 32}, "coding 3"),
        ({"kind": 7, "bits": 8}, "coding 7"),
        ({"rate": 7999}, "7999 samples a second; 8000 to 48000"),
        ({"rate": 96000}, "96000 samples"),
        ({"rate": 0}, "0 samples"),
    ):
        text = refused(wav(PCM, **given))
        assert said in text, text
        for pieces in splits(wav(PCM, **given)):
            refused(*pieces)


def test_each_rate_that_is_played():
    for rate in (8000, 11025, 16000, 22050, 24000, 44100, 48000):
        eq(read([wav(PCM, rate)])[0].rate, rate)


def test_what_is_no_wav_file():
    for data in (
        b"ID3\4",
        b"\xff\xfb\x90\x44",
        b'{"detail":"no"}',
        b"<html>",
        b"RIFX" + bytes(8),
        b"RIFF" + bytes(4) + b"AVI ",
        b"RI\0",
    ):
        eq(refused(data), "no WAV file")
        refused(*[data[i : i + 1] for i in range(len(data))])
    eq(refused(wav(PCM)[:12] + b"data" + le(40, 4) + PCM), "its sound comes before its format")
    for size in (0, 15, 65, 0xFFFFFFFF):
        eq(refused(b"RIFF\0\0\0\0WAVEfmt " + le(size, 4)), "its format is unknown")


def test_a_head_is_bounded():
    head = wav(PCM)[:36]
    junk = b"JUNK" + le(60000, 4) + bytes(60000)
    eq(read([head, junk, b"data" + le(40, 4) + PCM])[1], PCM)
    for chunks in (
        junk + junk,
        b"JUNK" + le(65536, 4),
        b"JUNK" + le(0xFFFFFFFF, 4),
        (b"JUNK" + le(0, 4)) * 9000,
    ):
        eq(refused(head, chunks), "no sound in its first 65536 bytes")


def test_nothing_of_a_chunk_that_is_passed_over_is_kept():
    reader = Wav()
    reader.feed(wav(PCM)[:36] + b"JUNK" + le(60000, 4))
    for _ in range(60):
        eq(reader.feed(bytes(1000)), b"")
        assert len(reader._held) <= 8
    eq(reader.feed(b"data" + le(40, 4) + PCM), PCM)
