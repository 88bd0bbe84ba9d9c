"""A WAV file that comes in pieces (RIFF: chunks of a name, a size and so much data): its PCM, found chunk by chunk.

    wav = Wav()
    pcm = wav.feed(piece)       # b"" until the data begins

What a speaker port plays is taken and nothing else: 16 bits, mono, 8000-48000 samples a second.
"""

try:
    from micropython import const
except ImportError:
    const = int

RATES = (8000, 48000)
_HEAD = const(12)
_CHUNK = const(8)
_FORMAT = const(64)  # bytes that a format chunk may have; 16, 18 and 40 are usual
_PASSED = const(65536)  # bytes of other chunks before the data
_ENDLESS = const(
    0x7FFFF000
)  # Who streams does not know the size: 0, 0x7FFFFFFF, 0xFFFFFFFF and the like are in use.
_PCM = const(1)
_EXTENSIBLE = const(0xFFFE)


class Wav:
    """rate: int, samples a second; 0 until it is known, which is when the data begins.

    size: int, bytes of PCM as the head has it, or None where it does not say.
    """

    def __init__(self):
        self.rate = 0
        self.size = None
        self._format = 0  # the rate of the format chunk
        self._held = b""  # of a head that is not whole
        self._pass = 0  # bytes to pass over
        self._passed = 0
        self._left = 0  # bytes of PCM, once there is a rate

    @property
    def whole(self):
        """bool: all that was promised has come. Without a promise, nothing is missing."""
        return self.rate > 0 and (self.size is None or not self._left)

    def feed(self, data):
        """The PCM in the next piece, bytes; what is behind it is passed over.

        data: bytes.  Raises ValueError with what is wrong: no WAV file, or not what a speaker plays.
        """
        if not self.rate:
            data = self._head(data)
        if self.size is None or not data:
            return data
        data = data[: self._left]
        self._left -= len(data)
        return data

    # What follows the head of the data, b"" as long as that has not come.
    def _head(self, data):
        if self._held:
            data = self._held + data
        at = 0
        while not self.rate:
            if self._pass:
                step = min(self._pass, len(data) - at)
                self._pass -= step
            else:
                step = self._chunk(data, at)
            if not step:
                self._held = data[at:]
                return b""
            at += step
        self._held = b""
        return data[at:]

    # How many bytes were understood, 0 if there are too few.
    def _chunk(self, data, at):
        if self._passed == 0:
            return self._begin(data, at)
        if len(data) - at < _CHUNK:
            return 0
        name = data[at : at + 4]
        size = _number(data, at + 4, 4)
        if name == b"data":
            return self._data(size)
        if name == b"fmt ":
            if not 16 <= size <= _FORMAT:
                raise ValueError("its format is unknown")
            if len(data) - at < _CHUNK + size:
                return 0
            self._format = _rate(data, at + _CHUNK, size)
        self._pass = size + (size & 1)
        self._passed += self._pass + _CHUNK
        if self._passed > _PASSED:
            raise ValueError("no sound in its first %d bytes" % _PASSED)
        return _CHUNK

    def _begin(self, data, at):
        if len(data) - at < _HEAD:
            if not b"RIFF".startswith(data[at : at + 4]):
                raise ValueError("no WAV file")
            return 0
        if data[at : at + 4] != b"RIFF" or data[at + 8 : at + 12] != b"WAVE":
            raise ValueError("no WAV file")
        self._passed = _HEAD
        return _HEAD

    def _data(self, size):
        if not self._format:
            raise ValueError("its sound comes before its format")
        self.rate = self._format
        if 0 < size < _ENDLESS:
            self.size = self._left = size
        return _CHUNK


def check_rate(rate):
    """Raises ValueError for a rate that no speaker plays."""
    if not RATES[0] <= rate <= RATES[1]:
        raise ValueError("%d samples a second; %d to %d are played" % (rate, RATES[0], RATES[1]))


def _rate(data, at, size):
    kind = _number(data, at, 2)
    if kind == _EXTENSIBLE and size >= 26:
        kind = _number(data, at + 24, 2)
    channels = _number(data, at + 2, 2)
    bits = _number(data, at + 14, 2)
    if kind != _PCM or channels != 1 or bits != 16:
        raise ValueError(
            "%d bits, %d channels, coding %d; 16-bit mono PCM is played" % (bits, channels, kind)
        )
    rate = _number(data, at + 4, 4)
    check_rate(rate)
    return rate


def _number(data, at, size):
    number = 0
    for i in range(at + size - 1, at - 1, -1):
        number = number << 8 | data[i]
    return number
