"""The kinds of panel that `panel.Panel` plays, as tables: the glass, the memory behind it, and the commands.

Registers: hardware.md 1.2 and 1.5, and what firmware/drivers/st7735s.py says of its sources.
"""


class Kind:
    """name: str.  width, height: of the glass.  memory: (columns, rows).  left, top: where in it the glass begins.

    turned: True if the glass is built in upside down.  inverts: True if most of them show true colours after INVON.
    formats: values of COLMOD for 16 bits a pixel.
    keys: tuple of (code, parameters, name), the commands that unlock the `locked` ones, in order.
    plain: dict of code to (name, lengths), the commands that only set registers which do not show.
    """

    def __init__(self, name, width, height, memory, place, turned, inverts, formats, keys, locked, plain):
        self.name = name
        self.width = width
        self.height = height
        self.columns, self.rows = memory
        self.left, self.top = place
        self.turned = turned
        self.inverts = inverts
        self.formats = formats
        self.keys = keys
        self.locked = locked
        self.plain = plain


_ILI9342C = {
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
_GC9107 = {
    code: ("0x%02X" % code, (1,)) for code in b"\xa8\xab\xac\xb0\xb2\xb3\xb4\xb6\xb7\xb8\xc6\xc7\xe8\xe9\xea"
}
_GC9107[0xF0] = ("GAMMA1", (14,))
_GC9107[0xF1] = ("GAMMA2", (14,))
_ST7735S = {
    0x13: ("NORON", (0,)),
    0x38: ("IDMOFF", (0,)),
    0xB1: ("FRMCTR1", (3,)),
    0xB2: ("FRMCTR2", (3,)),
    0xB3: ("FRMCTR3", (6,)),
    0xB4: ("INVCTR", (1,)),
    0xC0: ("PWCTR1", (3,)),
    0xC1: ("PWCTR2", (1,)),
    0xC2: ("PWCTR3", (2,)),
    0xC3: ("PWCTR4", (2,)),
    0xC4: ("PWCTR5", (2,)),
    0xC5: ("VMCTR1", (1,)),
    0xE0: ("GMCTRP1", (16,)),
    0xE1: ("GMCTRN1", (16,)),
}

ILI9342C = Kind(
    name="ili9342c",
    width=320,
    height=240,
    memory=(320, 240),
    place=(0, 0),
    turned=False,
    inverts=True,
    formats=(0x55,),
    keys=((0xC8, b"\xff\x93\x42", "SETEXTC"),),
    locked=tuple(code for code in _ILI9342C if code >= 0xB0),
    plain=_ILI9342C,
)
GC9107 = Kind(
    name="gc9107",
    width=128,
    height=128,
    memory=(128, 160),
    place=(0, 32),
    turned=False,
    inverts=False,
    formats=(0x05, 0x55),
    keys=((0xFE, b"", "IRE1"), (0xEF, b"", "IRE2")),
    locked=tuple(_GC9107),
    plain=_GC9107,
)
ST7735S = Kind(
    name="st7735s",
    width=128,
    height=128,
    memory=(132, 132),
    place=(2, 1),
    turned=True,
    inverts=True,
    formats=(0x05, 0x55),
    keys=(),
    locked=(),
    plain=_ST7735S,
)
KINDS = {kind.name: kind for kind in (ILI9342C, GC9107, ST7735S)}
