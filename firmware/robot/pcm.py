"""PCM, 16 bits signed with the low byte first: how loud it is, and made softer.

Each sample that is heard passes here: `pcm_viper.py` is this file for the native emitter, written by `make viper`.
"""


# Under bytecode a buffer is its own pointer; `make viper` leaves this out of the twin.
def ptr8(buf):
    return buf


def loudness(buf, start: int, end: int) -> int:
    """The mean distance from zero of every fourth sample in buf[start:end], 0-32768; 0 of nothing.

    buf: bytearray, of 64 KB at most.  start, end: even.
    """
    p = ptr8(buf)
    total = 0
    count = 0
    i = start
    while i < end:
        sample = p[i] | p[i + 1] << 8
        if sample & 0x8000:
            sample = 0x10000 - sample
        total += sample
        count += 1
        i += 8
    return total // count if count else 0


def soften(buf, start: int, end: int, part: int):
    """Multiply the samples in buf[start:end] by part / 256, in place.  part: 0-256.  start, end: even."""
    p = ptr8(buf)
    i = start
    while i < end:
        sample = p[i] | p[i + 1] << 8
        if sample & 0x8000:
            sample -= 0x10000
        sample = sample * part >> 8
        p[i] = sample & 255
        p[i + 1] = sample >> 8 & 255
        i += 2
