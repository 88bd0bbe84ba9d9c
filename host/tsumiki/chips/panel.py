"""A virtual ILI9342C: it takes the bytes of an SPI bus and the levels of its pins, and shows 320x240 pixels.

It does what the chip does with right use, and keeps in `faults` what a real panel would drop, garble or show as noise.
Registers and times: hardware.md 1.5, and the chip's data sheet where that is silent (reset and sleep-out, orders).
Time is what `wait` tells it, so that nothing depends on the speed of a machine.
"""

import struct
from collections import deque

from .pixels import pack, png, swapped, unpack

WIDTH = 320
HEIGHT = 240
_TRACE = 4096
_FAULTS = 100
_RESET_MS = 5  # no command before
_WAKE_MS = 120  # from reset to sleep-out, and from sleep-out to pixels and display-on
_RGB565 = 0x55
_MY, _MX, _MV, _BGR = 0x80, 0x40, 0x20, 0x08

# Commands that only set registers which do not show here: (name, lengths of the parameters).
_PLAIN = {
    0x38: ("IDMOFF", (0,)),
    0xB0: ("IFMODE", (1,)),
    0xB6: ("DISCTRL", (3, 4)),
    0xC0: ("PWCTR1", (1, 2)),
    0xC1: ("PWCTR2", (1,)),
    0xC5: ("VMCTR1", (1, 2)),
    0xE0: ("GMCTRP1", (15,)),
    0xE1: ("GMCTRN1", (15,)),
    0xF6: ("IFCTL", (3,)),
}
_EXTENDED = 0xB0  # from here on a command needs SETEXTC


class Panel:
    """One panel.  inverts: True for the glass of Core2, CoreS3 and newer Basics, which shows true colours after INVON.

    faults: list of str, the first hundred.  trace: the last commands, each [code, parameters (hex), pixels written].
    backlight: 0-100, or None if nothing was said of it.
    """

    def __init__(self, inverts=True):
        self._inverts = inverts
        self.faults = []
        self.trace = deque(maxlen=_TRACE)
        self.backlight = None
        self.memory = bytearray(b"\x5a\xc3" * (WIDTH * HEIGHT))  # noise, as after power-up
        self._clock_ms = 0
        self._held = False
        self._held_ms = None
        self._restart()
        self._reset_ms = -_WAKE_MS  # it has been powered for long

    def _restart(self):
        self.asleep = True
        self.on = False
        self.inverted = False
        self.madctl = 0
        self._format = 0x66
        self._extended = False
        self._columns = (0, WIDTH - 1)
        self._rows = (0, HEIGHT - 1)
        self._code = None
        self._args = b""
        self._at = 0
        self._reset_ms = self._clock_ms
        self._awake_ms = None

    # ---- the pins and the bus

    def wait(self, ms):
        """That much time passes."""
        self._clock_ms += ms

    def reset(self, level):
        """The reset pin: low holds the chip, and the edge to high starts it."""
        if self._held and level and self._clock_ms == self._held_ms:
            self._fault("a reset pulse of no length")
        if not level:
            self._held_ms = self._clock_ms
        self._held = not level
        self._restart()

    def transfer(self, is_data, selected, data):
        """Bytes on the bus.  is_data: the level of D/C.  selected: True while CS is low."""
        if not selected:
            self._fault("%d bytes while not selected" % len(data))
        elif self._held:
            self._fault("%d bytes while in reset" % len(data))
        elif is_data:
            self._data(data)
        else:
            for code in data:
                self._command(code)

    def _fault(self, text):
        if len(self.faults) < _FAULTS:
            self.faults.append(text)

    def _command(self, code):
        self._finish()
        self._code = None
        if self._clock_ms - self._reset_ms < _RESET_MS:
            self._fault("0x%02X within 5 ms of the reset" % code)
        elif code not in _COMMANDS:
            self._fault("0x%02X is no command" % code)
        elif code >= _EXTENDED and code != 0xC8 and not self._extended:
            self._fault("0x%02X before SETEXTC" % code)
        else:
            self._code = code
            self._args = b""
            self._at = 0
            self.trace.append([code, "", 0])
            if 0 in _COMMANDS[code][1]:
                _COMMANDS[code][2](self, b"")

    # What the last command leaves undone.
    def _finish(self):
        if self._code is None:
            return
        name, lengths, _ = _COMMANDS[self._code]
        if self._code == 0x2C:
            if self._args:
                self._fault("RAMWR ends within a pixel")
        elif len(self._args) not in lengths:
            self._fault("%s with %d parameters" % (name, len(self._args)))

    def _data(self, data):
        if self._code is None:
            self._fault("%d bytes of data for no command" % len(data))
        elif self._code == 0x2C:
            self._pixels(data)
        else:
            _, lengths, act = _COMMANDS[self._code]
            self._args += data[: 32 - len(self._args)]
            self.trace[-1][1] = self._args.hex()
            if len(self._args) in lengths:
                act(self, self._args)

    # ---- the commands

    def _swreset(self, args):
        self._restart()
        self._code = 0x01

    def _slpout(self, args):
        if self._clock_ms - self._reset_ms < _WAKE_MS:
            self._fault("SLPOUT within 120 ms of the reset")
        self.asleep = False
        self._awake_ms = self._clock_ms

    def _slpin(self, args):
        self.asleep = True
        self._awake_ms = None

    def _dispon(self, args):
        self._need_awake("DISPON")
        self.on = True

    def _dispoff(self, args):
        self.on = False

    def _invoff(self, args):
        self.inverted = False

    def _invon(self, args):
        self.inverted = True

    def _set_madctl(self, args):
        self.madctl = args[0]

    def _colmod(self, args):
        self._format = args[0]
        if self._format != _RGB565:
            self._fault("COLMOD 0x%02X: only 16 bits a pixel are known here" % self._format)

    def _setextc(self, args):
        self._extended = args == b"\xff\x93\x42"
        if not self._extended:
            self._fault("SETEXTC with %s" % args.hex())

    def _caset(self, args):
        self._columns = self._range("CASET", args, HEIGHT if self.madctl & _MV else WIDTH) or self._columns

    def _raset(self, args):
        self._rows = self._range("RASET", args, WIDTH if self.madctl & _MV else HEIGHT) or self._rows

    def _range(self, name, args, size):
        first, last = struct.unpack(">HH", args)
        if first <= last < size:
            return first, last
        self._fault("%s %d-%d is outside the panel" % (name, first, last))
        return None

    def _ramwr(self, args):
        self._need_awake("RAMWR")

    def _plain(self, args):
        pass

    def _need_awake(self, name):
        if self.asleep:
            self._fault(name + " while asleep")
        elif self._clock_ms - self._awake_ms < _WAKE_MS:
            self._fault(name + " within 120 ms of SLPOUT")

    # ---- pixels

    def _pixels(self, data):
        if self.asleep or self._format != _RGB565:
            if not self.trace[-1][2]:
                self._fault("pixels are dropped: " + ("asleep" if self.asleep else "no 16-bit format set"))
            self.trace[-1][2] += len(data) // 2
            return
        data = self._args + data
        self._args = data[len(data) & ~1 :]
        room = self._size() - self._at
        count = min(len(data) // 2, room)
        if len(data) // 2 > room:
            self._fault("%d pixels past the end of the window" % (len(data) // 2 - room))
        self.trace[-1][2] += count
        self._store(data[: 2 * count])

    def _size(self):
        return (self._columns[1] - self._columns[0] + 1) * (self._rows[1] - self._rows[0] + 1)

    # Row by row of the window.
    def _store(self, data):
        left, right = self._columns
        width = right - left + 1
        at = 0
        while at < len(data):
            row, column = divmod(self._at, width)
            count = min(width - column, (len(data) - at) // 2)
            self._line(left + column, self._rows[0] + row, data[at : at + 2 * count])
            self._at += count
            at += 2 * count

    # Pixels side by side, from (x, y) as the bus counts.
    def _line(self, x, y, data):
        if not self.madctl & (_MX | _MY | _MV):
            start = 2 * (y * WIDTH + x)
            self.memory[start : start + len(data)] = data
            return
        for i in range(len(data) // 2):
            column, row = (y, x + i) if self.madctl & _MV else (x + i, y)
            column = WIDTH - 1 - column if self.madctl & _MX else column
            row = HEIGHT - 1 - row if self.madctl & _MY else row
            start = 2 * (row * WIDTH + column)
            self.memory[start : start + 2] = data[2 * i : 2 * i + 2]

    # ---- what it shows

    def frame(self):
        """What a person sees with the backlight on: bytes, RGB565, high byte first; black while it is off."""
        return self._seen(self.memory)

    def row(self, y):
        """Row `y` (0-239) of the same."""
        return self._seen(self.memory[y * WIDTH * 2 : (y + 1) * WIDTH * 2])

    def _seen(self, stored):
        if self.asleep or not self.on or self._held:
            return bytes(len(stored))
        invert = 0xFFFF if self.inverted != self._inverts else 0
        swap = not self.madctl & _BGR
        if not invert and not swap:
            return bytes(stored)
        return pack([swapped(p) ^ invert if swap else p ^ invert for p in unpack(stored)])

    def png(self):
        """The same as a PNG of 8 bits a colour."""
        return png(WIDTH, HEIGHT, self.frame())

    def state(self):
        """Dict for JSON: faults, trace and registers."""
        return {
            "faults": self.faults,
            "trace": list(self.trace),
            "asleep": self.asleep,
            "on": self.on,
            "inverted": self.inverted,
            "madctl": self.madctl,
            "backlight": self.backlight,
        }


# Code to (name, lengths of the parameters, method).
_COMMANDS = {
    0x01: ("SWRESET", (0,), Panel._swreset),
    0x10: ("SLPIN", (0,), Panel._slpin),
    0x11: ("SLPOUT", (0,), Panel._slpout),
    0x20: ("INVOFF", (0,), Panel._invoff),
    0x21: ("INVON", (0,), Panel._invon),
    0x28: ("DISPOFF", (0,), Panel._dispoff),
    0x29: ("DISPON", (0,), Panel._dispon),
    0x2A: ("CASET", (4,), Panel._caset),
    0x2B: ("RASET", (4,), Panel._raset),
    0x2C: ("RAMWR", (0,), Panel._ramwr),
    0x36: ("MADCTL", (1,), Panel._set_madctl),
    0x3A: ("COLMOD", (1,), Panel._colmod),
    0xC8: ("SETEXTC", (3,), Panel._setextc),
    **{code: (name, lengths, Panel._plain) for code, (name, lengths) in _PLAIN.items()},
}
