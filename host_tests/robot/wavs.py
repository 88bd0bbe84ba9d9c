"""WAV files to speak with, and a speaker that plays them."""


def le(number, size):
    """bytes of a number, the lowest first."""
    return bytes([number >> 8 * i & 255 for i in range(size)])


def wav(pcm, rate=16000, channels=1, bits=16, chunks=b"", size=None, kind=1, more=b""):
    """A WAV file.  pcm: bytes.  chunks: more of them, before the sound.  size: of the sound, in place of the true one.

    kind: the coding, 1 is PCM.  more: bytes at the end of the format.
    """
    fmt = le(kind, 2) + le(channels, 2) + le(rate, 4) + le(rate * channels * bits // 8 & 0xFFFFFFFF, 4)
    fmt += le(channels * bits // 8, 2) + le(bits, 2) + more
    body = b"WAVEfmt " + le(len(fmt), 4) + fmt + chunks
    body += b"data" + le(len(pcm) if size is None else size, 4) + pcm
    return b"RIFF" + le(len(body) if size is None else size, 4) + body


def square(ms, loudness, rate=16000, hz=250):
    """PCM of a square wave: bytes.  loudness: 0-32767."""
    half = rate // hz // 2
    period = le(loudness, 2) * half + le(65536 - loudness & 65535, 2) * half
    count = rate * ms // 1000
    return (period * (count // (2 * half) + 1))[: 2 * count]


class PcmSpeaker:
    """A speaker port whose time is told: `wait(ms)`.  room: bytes that it takes ahead.

    told: list of what it was told: ("play", rate), ("tone", hz, level), "silence".  heard: bytearray, the sound.
    dry_ms: int, for how long it had none while a stream was on.
    """

    def __init__(self, room=3584, keeps=True):
        self._keeps = keeps
        self.room = room
        self.told = []
        self.heard = bytearray()
        self.dry_ms = 0
        self.stuck = False
        self._rate = 0
        self._queue = bytearray()

    def tone(self, hz, level):
        self._rate = 0
        self.told.append(("tone", hz, level))

    def silence(self):
        self._rate = 0
        self.told.append("silence")

    def play(self, rate):
        self.told.append(("play", rate))
        self._rate = rate
        self._queue = bytearray()

    def write(self, buf):
        taken = min(len(buf), self.room - len(self._queue)) & ~1 if self._rate else 0
        self._queue.extend(bytes(buf[:taken]))
        return taken

    @property
    def queued(self):
        return len(self._queue) if self._rate else 0

    def wait(self, ms):
        if not self._rate or self.stuck:
            return
        wanted = 2 * self._rate * ms // 1000 & ~1
        if self._keeps:
            self.heard.extend(self._queue[:wanted])
        self.dry_ms += (wanted - min(wanted, len(self._queue))) * 500 // self._rate
        self._queue = self._queue[wanted:]
