"""What the panels of these boards have in common: the commands of MIPI DCS over SPI, and pixels in windows.

A panel's file is a subclass with its tables. Sleep-out comes first, and waits as long as the chips ask for.
"""

from time import sleep_ms

from micropython import const

_SWRESET = const(0x01)
_SLPOUT = const(0x11)
_INVOFF = const(0x20)
_DISPON = const(0x29)
_CASET = const(0x2A)
_RASET = const(0x2B)
_RAMWR = const(0x2C)
_MADCTL = const(0x36)
# What a DMA transfer of an ESP32 takes: an SPI write blocks everything else until it is done.
_CHUNK = const(4092)


class MIPIPanel:
    """A panel.  A display port: `width`, `height`, `blit`, `brightness`.

    spi: `write(buf)`, mode 0, nothing else on the bus during a call.  dc, cs, reset: a `machine.Pin`, or a function of
    the level 0 or 1; cs and reset may be None: always selected, and reset by the board or by command.
    backlight: function of the level 0-100, or None.  inverted: True if the glass needs INVON for true colours, None: as
    most of its kind.  upside_down: True turns the picture by 180 degrees.  sleep_ms: function that waits.
    """

    # Of a subclass: pixels; is the glass inverted; what sets it up (command, count, parameters, ...); and for each way
    # up, MADCTL and the column and row of the memory where the glass begins, counted as MADCTL says.
    width = height = 0
    inverted = False
    setup = b""
    upright = upside_down = (0, 0, 0)

    def __init__(self, spi, dc, cs=None, reset=None, backlight=None, inverted=None, upside_down=False,
                 sleep_ms=sleep_ms):  # fmt: skip
        self._write = spi.write
        self._dc = _setter(dc)
        self._cs = _setter(cs)
        self._reset = reset and _setter(reset)
        self._backlight = backlight
        self._inverted = bool(self.inverted if inverted is None else inverted)
        self._madctl, self._column, self._row = self.upside_down if upside_down else self.upright
        self._sleep_ms = sleep_ms
        self._code = bytearray(1)
        self._span = bytearray(4)

    def start(self):
        """Power up, clear, and switch on: 300 ms. The backlight stays as it is. It may be called again."""
        self._restart()
        self._command(_SLPOUT)
        self._sleep_ms(120)
        self._set_up()
        self._command(_MADCTL, bytes((self._madctl,)))
        self._command(_INVOFF + self._inverted)
        self._clear()
        self._command(_DISPON)

    def blit(self, x, y, w, h, buf):
        """Show a rectangle.  x, y, w, h: pixels.  buf: bytes-like, w * h * 2 bytes, RGB565, high byte first.

        Raises ValueError, and writes nothing, if it is empty or leaves the panel, or if buf is of another length.
        Allocates nothing up to 4,092 bytes, and a slice for each further 4,092.
        """
        if not (0 <= x < x + w <= self.width and 0 <= y < y + h <= self.height and len(buf) == w * h * 2):
            raise ValueError("not within the panel")
        self._window(_CASET, x + self._column, w)
        self._window(_RASET, y + self._row, h)
        self._command(_RAMWR, buf)

    def brightness(self, level):
        """Set the backlight, if the board has one.  level: 0-100; what is beyond is taken as the end."""
        if self._backlight:
            self._backlight(max(0, min(100, level)))

    def _restart(self):
        self._cs(1)
        if self._reset:
            self._reset(0)
            self._sleep_ms(10)
            self._reset(1)
        else:
            self._command(_SWRESET)
        self._sleep_ms(120)

    def _set_up(self):
        setup = self.setup
        at = 0
        while at < len(setup):
            end = at + 2 + setup[at + 1]
            self._command(setup[at], setup[at + 2 : end])
            at = end

    # The memory comes up as noise.
    def _clear(self):
        self._window(_CASET, self._column, self.width)
        band = bytearray(self.width * 2 * 4)
        for y in range(0, self.height, 4):
            self._window(_RASET, y + self._row, 4)
            self._command(_RAMWR, band)

    def _window(self, command, first, count):
        last = first + count - 1
        span = self._span
        span[0] = first >> 8
        span[1] = first & 0xFF
        span[2] = last >> 8
        span[3] = last & 0xFF
        self._command(command, span)

    # Selected for one command and all of its data, and for no longer, whatever the bus does: an SD card may share it.
    def _command(self, command, data=b""):
        self._cs(0)
        try:
            self._dc(0)
            self._code[0] = command
            self._write(self._code)
            self._dc(1)
            if len(data) <= _CHUNK:
                if data:
                    self._write(data)
            else:
                data = memoryview(data)
                for at in range(0, len(data), _CHUNK):
                    self._write(data[at : at + _CHUNK])
        finally:
            self._cs(1)


def _setter(pin):
    return getattr(pin, "value", pin) or _ignore


def _ignore(level):
    pass
