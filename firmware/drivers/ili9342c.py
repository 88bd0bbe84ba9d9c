"""ILI9342C: the 320x240 panel of M5Stack Basic, Gray, Fire, Core2 and CoreS3, written over SPI at up to 40 MHz.

Registers and order: M5GFX, in hardware.md 1.5; sleep-out comes first, and waits as long as the chip asks for.

    panel = ILI9342C(spi, dc=Pin(15, Pin.OUT), cs=Pin(5, Pin.OUT), backlight=pmic.backlight)
    panel.start()
    panel.brightness(60)
    panel.blit(0, 0, 32, 8, strip)
"""

from time import sleep_ms

from micropython import const

_SWRESET = const(0x01)
_SLPOUT = const(0x11)
_DISPON = const(0x29)
_CASET = const(0x2A)
_RASET = const(0x2B)
_RAMWR = const(0x2C)
_MADCTL = const(0x36)
# Colours come as blue, green, red on these panels; 180 degrees mirror both axes.
_UPRIGHT = const(0x08)
_UPSIDE_DOWN = const(0xC8)
_INVOFF = const(0x20)
# What a DMA transfer of an ESP32 takes: an SPI write blocks everything else until it is done.
_CHUNK = const(4092)

# Command, count, parameters: extended commands on, power, VCOM, interface, gamma, timing, idle off, 16 bits a pixel.
_SETUP = (
    b"\xc8\x03\xff\x93\x42\xc0\x02\x12\x12\xc1\x01\x03\xc5\x01\xf2\xb0\x01\xe0\xf6\x03\x01\x00\x00"
    b"\xe0\x0f\x00\x0c\x11\x04\x11\x08\x37\x89\x4c\x06\x0c\x0a\x2e\x34\x0f"
    b"\xe1\x0f\x00\x0b\x11\x05\x13\x09\x33\x67\x48\x07\x0e\x0b\x2e\x33\x0f"
    b"\xb6\x04\x08\x82\x1d\x04\x38\x00\x3a\x01\x55"
)


class ILI9342C:
    """The panel.  A display port: `width`, `height`, `blit`, `brightness`.

    spi: `write(buf)`, mode 0, nothing else on the bus during a call.  dc, cs, reset: a `machine.Pin`, or a function of
    the level 0 or 1; cs and reset may be None: always selected, and reset by the board or by command.
    backlight: function of the level 0-100, or None.  inverted: True for the panels of Core2, CoreS3 and newer Basics.
    upside_down: True turns the picture by 180 degrees.  sleep_ms: function that waits.
    """

    width = 320
    height = 240

    def __init__(self, spi, dc, cs=None, reset=None, backlight=None, inverted=True, upside_down=False,
                 sleep_ms=sleep_ms):  # fmt: skip
        self._write = spi.write
        self._dc = _setter(dc)
        self._cs = _setter(cs)
        self._reset = reset and _setter(reset)
        self._backlight = backlight
        self._inverted = bool(inverted)
        self._madctl = _UPSIDE_DOWN if upside_down else _UPRIGHT
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
        self._window(_CASET, x, x + w - 1)
        self._window(_RASET, y, y + h - 1)
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
        at = 0
        while at < len(_SETUP):
            end = at + 2 + _SETUP[at + 1]
            self._command(_SETUP[at], _SETUP[at + 2 : end])
            at = end

    # The memory comes up as noise.
    def _clear(self):
        self._window(_CASET, 0, self.width - 1)
        band = bytearray(self.width * 2 * 4)
        for y in range(0, self.height, 4):
            self._window(_RASET, y, y + 3)
            self._command(_RAMWR, band)

    def _window(self, command, first, last):
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
