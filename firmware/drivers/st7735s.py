"""ST7735S: the 128x128 panel of M5Stack AtomS3R since May 2026, written over SPI.

The place of the glass, its direction and inversion: M5GFX as quoted in esphome#18815, in hardware.md 1.2. Supply, frame
rate and gamma: what LovyanGFX (Panel_ST7735.hpp at 46d89bcc), the base of M5GFX, sends to an ST7735S. 16 bits a pixel
are COLMOD 5, and 120 ms pass after sleep-out: the chip's data sheet, V1.1.

    panel = ST7735S(SPI(1, 40000000, sck=Pin(15), mosi=Pin(21), miso=None), Pin(42, Pin.OUT), Pin(14, Pin.OUT))
"""

from .mipi_panel import MIPIPanel


class ST7735S(MIPIPanel):
    """The panel; see `MIPIPanel`.  Its memory is 132 x 132, of which the glass shows 128 x 128 from (2, 1) on.

    The glass is built in upside down.
    """

    width = 128
    height = 128
    inverted = True
    # Frame rate (normal, idle, partial), no inversion of lines, power, VCOM, gamma, 16 bits a pixel, all of the lines.
    setup = (
        b"\xb1\x03\x01\x2c\x2d\xb2\x03\x01\x2c\x2d\xb3\x06\x01\x2c\x2d\x01\x2c\x2d\xb4\x01\x07"
        b"\xc0\x03\xa2\x02\x84\xc1\x01\xc5\xc2\x02\x0a\x00\xc3\x02\x8a\x2a\xc4\x02\x8a\xee\xc5\x01\x0e"
        b"\xe0\x10\x02\x1c\x07\x12\x37\x32\x29\x2d\x29\x25\x2b\x39\x00\x01\x03\x10"
        b"\xe1\x10\x03\x1d\x07\x06\x2e\x2c\x29\x2d\x2e\x2e\x37\x3f\x00\x00\x02\x10"
        b"\x3a\x01\x05\x13\x00"
    )
    # Blue, green, red. With both axes mirrored the margins change places: 132 - 128 - 2 and 132 - 128 - 1.
    upright = (0xC8, 2, 3)
    upside_down = (0x08, 2, 1)
