"""GC9107: the 128x128 panel of M5Stack AtomS3, and of AtomS3R until May 2026, written over SPI at up to 40 MHz.

Registers and order: M5GFX, in hardware.md 1.5; the place of the glass in the memory: hardware.md 1.2.

    panel = GC9107(SPI(1, 40000000, sck=Pin(17), mosi=Pin(21), miso=None), Pin(33, Pin.OUT), Pin(15, Pin.OUT))
"""

from .mipi_panel import MIPIPanel


class GC9107(MIPIPanel):
    """The panel; see `MIPIPanel`.  Its memory is 128 x 160, of which the glass shows the rows from 32 on."""

    width = 128
    height = 128
    # Inter-register commands on (FE, EF), power and timing, gamma, 16 bits a pixel.
    setup = (
        b"\xfe\x00\xef\x00\xb0\x01\xc0\xb2\x01\x2f\xb3\x01\x03\xb6\x01\x19\xb7\x01\x01\xac\x01\xcb\xab\x01\x0e"
        b"\xb4\x01\x04\xa8\x01\x19\xb8\x01\x08\xe8\x01\x24\xe9\x01\x48\xea\x01\x22\xc6\x01\x30\xc7\x01\x18"
        b"\xf0\x0e\x01\x2b\x23\x3c\xb7\x12\x17\x60\x00\x06\x0c\x17\x12\x1f"
        b"\xf1\x0e\x05\x2e\x2d\x44\xd6\x15\x17\xa0\x02\x0d\x0d\x1a\x18\x1f"
        b"\x3a\x01\x55"
    )
    # Blue, green, red. 180 degrees mirror both axes of the memory, whose first rows then are the last.
    upright = (0x08, 0, 32)
    upside_down = (0xC8, 0, 0)
