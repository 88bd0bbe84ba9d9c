"""A virtual panel, of a kind in `panel_kinds`: it takes the bytes of an SPI bus and the levels of its pins.

It does what the chip does with right use, and keeps in `faults` what a real panel would drop, garble or show as noise.
Registers and times: hardware.md 1.5, and the chips' data sheets where that is silent (reset and sleep-out, orders).
Time is what `wait` tells it, so that nothing depends on the speed of a machine.
"""

import struct
from collections import deque

from .panel_kinds import ILI9342C
from .pixels import pack, png, swapped, unpack

_TRACE = 4096
_FAULTS = 100
_RESET_MS = 5  # no command before
_WAKE_MS = 120  # from reset to sleep-out, and from sleep-out to pixels and display-on
_MY, _MX, _MV, _BGR = 0x80, 0x40, 0x20, 0x08


class Panel:
    """One panel.  inverts: True if its glass shows true colours after INVON, as that of Core2, CoreS3 and newer Basics;
    None: as most of its kind.  kind: `panel_kinds.Kind`.

    faults: list of str, the first hundred.  trace: the last commands, each [code, parameters (hex), pixels written].
    backlight: 0-100, or None if nothing was said of it.
    """

    def __init__(self, inverts=None, kind=ILI9342C):
        self.kind = kind
        self._inverts = kind.inverts if inverts is None else inverts
        self._commands = dict(_COMMANDS)
        self._commands.update(
            (code, (name, lengths, Panel._plain)) for code, (name, lengths) in kind.plain.items()
        )
        self._commands.update((code, (name, (len(data),), Panel._key)) for code, data, name in kind.keys)
        self.faults = []
        self.trace = deque(maxlen=_TRACE)
        self.backlight = None
        self.memory = bytearray(b"\x5a\xc3" * (kind.columns * kind.rows))  # noise, as after power-up
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
        self._keys = 0  # how many of the kind's have come
        self._columns = (0, self.kind.columns - 1)
        self._rows = (0, self.kind.rows - 1)
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
        elif code not in self._commands:
            self._fault("0x%02X is no command" % code)
        elif code in self.kind.locked and self._keys < len(self.kind.keys):
            self._fault("0x%02X before %s" % (code, self.kind.keys[-1][2]))
        else:
            self._code = code
            self._args = b""
            self._at = 0
            self.trace.append([code, "", 0])
            if 0 in self._commands[code][1]:
                self._commands[code][2](self, b"")

    # What the last command leaves undone.
    def _finish(self):
        if self._code is None:
            return
        name, lengths, _ = self._commands[self._code]
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
            _, lengths, act = self._commands[self._code]
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
        if self._format not in self.kind.formats:
            self._fault("COLMOD 0x%02X: only 16 bits a pixel are known here" % self._format)

    # The kind's keys count in their order; a wrong one locks again.
    def _key(self, args):
        keys = [key[:2] for key in self.kind.keys]
        if self._keys < len(keys) and keys[self._keys] == (self._code, args):
            self._keys += 1
        elif (self._code, args) not in keys[: self._keys]:
            self._keys = 0
            self._fault("%s with %s" % (self._commands[self._code][0], args.hex() or "nothing before it"))

    def _caset(self, args):
        self._columns = self._range("CASET", args, self._sizes()[0]) or self._columns

    def _raset(self, args):
        self._rows = self._range("RASET", args, self._sizes()[1]) or self._rows

    # Of the memory, as the bus counts.
    def _sizes(self):
        kind = self.kind
        return (kind.rows, kind.columns) if self.madctl & _MV else (kind.columns, kind.rows)

    def _range(self, name, args, size):
        first, last = struct.unpack(">HH", args)
        if first <= last < size:
            return first, last
        self._fault("%s %d-%d is outside the panel" % (name, first, last))
        return None

    def _ramwr(self, args):
        self._need_awake("RAMWR")
        corners = [self._place(x, y) for x in self._columns for y in self._rows]
        kind = self.kind
        if not all(0 <= x - kind.left < kind.width and 0 <= y - kind.top < kind.height for x, y in corners):
            self._fault("a window %d-%d, %d-%d that the glass does not show" % (self._columns + self._rows))

    def _plain(self, args):
        pass

    def _need_awake(self, name):
        if self.asleep:
            self._fault(name + " while asleep")
        elif self._clock_ms - self._awake_ms < _WAKE_MS:
            self._fault(name + " within 120 ms of SLPOUT")

    # ---- pixels

    def _pixels(self, data):
        if self.asleep or self._format not in self.kind.formats:
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
        step = 1 if self.madctl & (_MX | _MY | _MV) else len(data) // 2
        for i in range(0, len(data) // 2, step):
            column, row = self._place(x + i, y)
            start = 2 * (row * self.kind.columns + column)
            self.memory[start : start + 2 * step] = data[2 * i : 2 * (i + step)]

    # Where in the memory a pixel is, as the chip counts.
    def _place(self, x, y):
        column, row = (y, x) if self.madctl & _MV else (x, y)
        column = self.kind.columns - 1 - column if self.madctl & _MX else column
        row = self.kind.rows - 1 - row if self.madctl & _MY else row
        return column, row

    # ---- what it shows

    def frame(self):
        """What a person sees with the backlight on: bytes, RGB565, high byte first; black while it is off."""
        return self._seen(b"".join(self._glass(y) for y in range(self.kind.height)))

    def row(self, y):
        """Row `y` of the same, from 0."""
        return self._seen(self._glass(y))

    # A row of the memory as the glass has it.
    def _glass(self, y):
        kind = self.kind
        y = kind.top + (kind.height - 1 - y if kind.turned else y)
        start = 2 * (y * kind.columns + kind.left)
        row = self.memory[start : start + 2 * kind.width]
        return pack(unpack(row)[::-1]) if kind.turned else bytes(row)

    def _seen(self, stored):
        if self.asleep or not self.on or self._held:
            return bytes(len(stored))
        invert = 0xFFFF if self.inverted != self._inverts else 0
        swap = not self.madctl & _BGR
        if not invert and not swap:
            return stored
        return pack([swapped(p) ^ invert if swap else p ^ invert for p in unpack(stored)])

    def png(self):
        """The same as a PNG of 8 bits a colour."""
        return png(self.kind.width, self.kind.height, self.frame())

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


# Of every kind: code to (name, lengths of the parameters, method).
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
}
