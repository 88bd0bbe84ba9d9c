"""Which power chip a board has: Core2 came with an AXP192, and comes with an AXP2101 since v1.1."""

_CHIPS = {0x03: "axp192", 0x4A: "axp2101"}  # what register 0x03 says (hardware.md 1.4)


def which(i2c):
    """ "axp192", "axp2101", or None for another chip at 0x34.  Raises OSError where there is none. Only reads."""
    return _CHIPS.get(i2c.readfrom_mem(0x34, 0x03, 1)[0])
