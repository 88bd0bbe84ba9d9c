"""ILI9342C: the 320x240 panel of M5Stack Basic, Gray, Fire, Core2 and CoreS3, written over SPI at up to 40 MHz.

Registers and order: M5GFX, in hardware.md 1.5.

    panel = ILI9342C(spi, dc=Pin(15, Pin.OUT), cs=Pin(5, Pin.OUT), backlight=pmic.backlight)
    panel.start()
    panel.brightness(60)
    panel.blit(0, 0, 32, 8, strip)
"""

from .mipi_panel import MIPIPanel


class ILI9342C(MIPIPanel):
    """The panel; see `MIPIPanel`.  inverted: None or True for the panels of Core2, CoreS3 and newer Basics."""

    width = 320
    height = 240
    inverted = True
    # Extended commands on, power, VCOM, interface, gamma, timing, idle off, 16 bits a pixel.
    setup = (
        b"\xc8\x03\xff\x93\x42\xc0\x02\x12\x12\xc1\x01\x03\xc5\x01\xf2\xb0\x01\xe0\xf6\x03\x01\x00\x00"
        b"\xe0\x0f\x00\x0c\x11\x04\x11\x08\x37\x89\x4c\x06\x0c\x0a\x2e\x34\x0f"
        b"\xe1\x0f\x00\x0b\x11\x05\x13\x09\x33\x67\x48\x07\x0e\x0b\x2e\x33\x0f"
        b"\xb6\x04\x08\x82\x1d\x04\x38\x00\x3a\x01\x55"
    )
    # Colours come as blue, green, red on these panels; 180 degrees mirror both axes.
    upright = (0x08, 0, 0)
    upside_down = (0xC8, 0, 0)
