"""A speaker behind I2S: that of Core2 (NS4168) and CoreS3 (AW88298).  Tones are made here; PCM can be streamed.

    def open_i2s(rate):
        return I2S(0, sck=Pin(12), ws=Pin(0), sd=Pin(2), mode=I2S.TX, bits=16, format=I2S.MONO, rate=rate, ibuf=2048)

    speaker = I2SSpeaker(open_i2s, lambda rate: pmic.amplifier(rate > 0))

Nothing waits for the sound (hardware.md 4.5): each buffer is left to I2S, whose handler gives it the next. `machine`
runs handlers between two bytecodes of whatever runs then, so a picture that is being drawn does not interrupt a tone.
"""

from array import array
from time import sleep_ms, ticks_diff, ticks_ms

from micropython import const

_LEAST = const(128)  # samples that are given at once, 8 ms at 16 kHz
_ROOM = const(768)  # samples: one period of 40 Hz at 30 kHz
_LOWEST_HZ = const(40)
_LOUDEST = const(32767)
_SLOT = const(512)  # bytes of PCM that are given at once
_SLOTS = const(8)
_QUIET_MS = const(300)  # of silence, and the amplifier is off
_LOST_MS = const(500)  # A handler that has not been called for so long will not be.
_STEPS = const(64)
_SINE = (
    b"\x80\x8c\x99\xa5\xb1\xbc\xc7\xd1\xda\xe2\xea\xf0\xf5\xfa\xfd\xfe\xff\xfe\xfd\xfa\xf5\xf0\xea\xe2\xda\xd1\xc7\xbc"
    b"\xb1\xa5\x99\x8c\x80tg[OD9/&\x1e\x16\x10\x0b\x06\x03\x02\x01\x02\x03\x06\x0b\x10\x16\x1e&/9DO[gt"
)


class I2SSpeaker:
    """A speaker port, and a stream of PCM.

    open_i2s: function of a rate (samples a second) -> `machine.I2S` that sends 16-bit mono: `irq`, `write`, `deinit`.
    amplifier: function of the rate at which it shall sound, or 0: off. It is called in `tone` and `play`, and by the
    handler after a while of silence; OSError there is tried again. None: there is no switch.
    rate: of tones, until a stream has another.  sleep_ms, ticks_ms: functions.
    """

    def __init__(self, open_i2s, amplifier=None, rate=16000, sleep_ms=sleep_ms, ticks_ms=ticks_ms):
        self._make_i2s = open_i2s
        self._amplifier = amplifier or _ignore
        self.rate = rate
        self._sleep_ms = sleep_ms
        self._ticks_ms = ticks_ms
        self._i2s = None
        self._opened = 0  # how often: handlers of earlier ones are late
        self._closing = False
        self._busy = False  # I2S has a buffer, and its handler will be called
        self._since_ms = 0  # when it got it
        self._on = False  # the amplifier
        self._quiet = 0  # samples of silence
        self._hz = self._level = 0  # what shall sound
        self._made_hz = self._made_level = -1  # what `_out` holds
        self._samples = array("h", bytes(2 * _ROOM))
        self._all = memoryview(self._samples)
        self._out = self._all[:_LEAST]
        self._streams = False
        self._pcm = None  # made with the first stream
        self._slots = ()
        self._full = 0  # slots that have been filled, and that have been sent, since the start
        self._sent = 0
        self._fill = 0  # bytes in the slot after
        self._filling = False

    def tone(self, hz, level):
        """Sound until told otherwise, instead of a stream.

        hz: int, clamped to 40 (above 30 kHz: a 768th of the rate) and a quarter of the rate.
        level: 0-100, clamped: the amplitude.  Raises OSError if the amplifier does not answer.
        Allocates a slice for a new pitch, and nothing while it sounds.
        """
        self._streams = False
        self._level = max(0, min(100, level))
        self._hz = max(_LOWEST_HZ, self.rate // _ROOM + 1, min(self.rate // 4, hz)) if self._level else 0
        if self._hz:
            self._begin()

    def silence(self):
        """Sound no more: what is with I2S is heard to its end (`ibuf`), and a tone ends at zero."""
        self._streams = False
        self._hz = 0

    def play(self, rate):
        """Begin a stream of PCM: 16 bits signed, low byte first, mono.  rate: samples a second, 8000-48000.

        It replaces what sounds, and lasts until `silence`, `tone` or another `play`. Waits until I2S has
        sent its buffer if the rate is another, 0.5 s at most. Raises ValueError at a wrong rate, and as `tone` does.
        """
        if not 8000 <= rate <= 48000:
            raise ValueError("8000 to 48000 samples a second")
        self.silence()
        if rate != self.rate:
            self._close()
            self.rate = rate
        if self._pcm is None:
            self._pcm = memoryview(bytearray(_SLOT * _SLOTS))
            self._slots = [self._pcm[at : at + _SLOT] for at in range(0, _SLOT * _SLOTS, _SLOT)]
        self._full = self._sent
        self._fill = 0
        self._streams = True
        self._begin()

    def write(self, buf):
        """Add to the stream.  buf: bytes-like.  Returns how many bytes were taken: an even number, 0 if it is full.

        Up to 3,584 bytes wait here. Where they run out, zeros are sent: an end that is no full piece of 512 bytes is
        filled up with them. Without a stream nothing is taken.
        """
        if not self._streams:
            return 0
        taken = 0
        size = len(buf) & ~1
        buf = memoryview(buf)
        self._filling = True
        while taken < size and self._full - self._sent < _SLOTS - 1:
            at = self._full % _SLOTS * _SLOT + self._fill
            count = min(_SLOT - self._fill, size - taken)
            self._pcm[at : at + count] = buf[taken : taken + count]
            taken += count
            self._fill += count
            if self._fill == _SLOT:
                self._fill = 0
                self._full += 1
        self._filling = False
        self._begin()
        return taken

    @property
    def queued(self):
        """int: bytes of the stream that have not been given to I2S."""
        return (self._full - self._sent) * _SLOT + self._fill if self._streams else 0

    def _begin(self):
        if self._i2s is None:
            self._open()
        if not self._on:
            self._amplifier(self.rate)
            self._on = True
        if not self._busy or ticks_diff(self._ticks_ms(), self._since_ms) > _LOST_MS:
            self._next()

    def _open(self):
        self._i2s = self._make_i2s(self.rate)
        self._opened += 1
        number = self._opened
        self._i2s.irq(lambda i2s: number == self._opened and self._next())

    # I2S is not closed while it has a buffer of ours.
    def _close(self):
        if self._i2s is None:
            return
        self._closing = True
        while self._busy and ticks_diff(self._ticks_ms(), self._since_ms) <= _LOST_MS:
            self._sleep_ms(1)
        self._closing = self._busy = False
        self._turn_off()
        self._i2s.deinit()
        self._i2s = None

    # Give I2S the next buffer. It has none now.
    def _next(self):
        self._busy = False
        if self._closing:
            return
        if self._streams:
            out = self._piece()
            self._quiet = 0
        else:
            self._make(self._hz, self._level)
            out = self._out
            self._quiet = 0 if self._hz else self._quiet + _LEAST
            if self._quiet * 1000 > _QUIET_MS * self.rate and self._off_at_last():
                return
        self._busy = True
        self._since_ms = self._ticks_ms()
        self._i2s.write(out)

    def _off_at_last(self):
        try:
            self._turn_off()
        except OSError:
            self._quiet = 0
        return not self._on

    def _turn_off(self):
        if self._on:
            self._amplifier(0)
            self._on = False

    # The next piece of the stream; a slot that is not full only if there is no other and nobody fills it.
    def _piece(self):
        if self._full == self._sent and self._fill and not self._filling:
            at = self._full % _SLOTS * _SLOT
            for i in range(at + self._fill, at + _SLOT):
                self._pcm[i] = 0
            self._fill = 0
            self._full += 1
        if self._full == self._sent:
            self._make(0, 0)
            return self._out
        piece = self._slots[self._sent % _SLOTS]
        self._sent += 1
        return piece

    # Whole periods of a sine, from zero to zero: the same buffer is given again and again. 0.4 % off the pitch at most.
    def _make(self, hz, level):
        if hz == self._made_hz and level == self._made_level:
            return
        periods = (_LEAST * hz + self.rate - 1) // self.rate
        count = (periods * self.rate + hz // 2) // hz if hz else _LEAST
        loudest = _LOUDEST * level // 100
        samples = self._samples
        turn = 0
        for i in range(count):
            samples[i] = (_SINE[turn // count % _STEPS] - 128) * loudest >> 7
            turn += periods * _STEPS
        if hz != self._made_hz:
            self._out = self._all[:count]
        self._made_hz = hz
        self._made_level = level


def _ignore(rate):
    pass
