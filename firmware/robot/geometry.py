"""The face in numbers: all that a panel, or a page, needs to draw it.  Plain data, on a plane of 320 x 240.

x grows to the right of who looks at the robot (the robot's left), y grows downwards.  The robot's right eye comes
first.  How the numbers become shapes is in `draw.py` (eyes, mouth) and `effects.py`.
Sources: the sizes and places are those of m5stack-avatar, the seed's simple face and the official skin, in between;
hidden brows, lids and a mouth of its own for each emotion are ours.
"""

WIDTH = 320
HEIGHT = 240

EYES = ((92, 96), (228, 96))  # Centres.
MOUTH = (160, 150)

# How many numbers an eye and a mouth have, in the order of the rows below.
EYE_NUMBERS = 11
MOUTH_NUMBERS = 9

# An eye: dx, dy from its centre; rx, ry radii; lid_in, lid_out: how much of its height the upper lid covers at the
# end towards the nose and at the other, percent; cheek: how far the cheek is up, 100 leaves an arch, percent;
# pinch: from 50 on it is an angle, "> <"; brow_h: thickness of the brow, 0 is none; brow_y above the centre;
# brow_slope: how much lower the end towards the nose is than the middle.

# A mouth: dx, dy from its centre; w width; h height at its ends; top, bottom: how much lower the middle of its upper
# and lower edge is; tilt: how much lower its right end is than its middle; wave: height of a zigzag; tongue: height.

# (name, (right eye, left eye or None: the same, mouth), the effect that comes with it or None, shiver of the whole
# face: 0 or 1)
EMOTIONS = (
    ("neutral", ((0, 0, 14, 14, 0, 0, 0, 0, 0, 30, 0), None, (0, 0, 76, 6, 0, 0, 0, 0, 0)), None, 0),
    (
        "angry",
        (
            (0, 4, 15, 14, 58, 14, 0, 0, 8, 21, 8),
            None,
            (0, 8, 74, 8, -20, -6, 0, 0, 0),
        ),
        "anger",
        0,
    ),
    (
        "sad",
        (
            (0, 4, 13, 14, 6, 54, 0, 0, 5, 25, -7),
            None,
            (0, 12, 52, 6, -15, -15, 0, 0, 0),
        ),
        None,
        0,
    ),
    (
        "happy",
        (
            (0, 0, 19, 17, 0, 0, 100, 0, 0, 30, 0),
            None,
            (0, -8, 82, 5, 5, 34, 0, 0, 0),
        ),
        "heart",
        0,
    ),
    (
        "sleepy",
        (
            (0, 4, 17, 13, 66, 66, 0, 0, 0, 30, 0),
            None,
            (0, 6, 22, 6, -8, 8, 0, 0, 0),
        ),
        "bubbles",
        0,
    ),
    (
        "doubtful",
        (
            (0, 0, 15, 16, 0, 0, 0, 0, 6, 34, -4),
            (0, 2, 14, 11, 50, 50, 0, 0, 6, 15, 3),
            (12, 2, 50, 6, 0, 0, -9, 0, 0),
        ),
        "sweat",
        0,
    ),
    (
        "cold",
        (
            (0, 2, 15, 14, 0, 0, 0, 100, 0, 30, 0),
            None,
            (0, 2, 84, 7, 0, 0, 0, 6, 0),
        ),
        "chill",
        1,
    ),
    (
        "hot",
        (
            (0, 4, 19, 12, 36, 62, 0, 0, 5, 24, -5),
            None,
            (0, -4, 56, 6, 0, 16, 0, 0, 13),
        ),
        "sweat",
        0,
    ),
)

# name: (x, y, r, (x, y, w, h) of all that it may ever cover)
EFFECTS = {
    "sweat": (276, 74, 10, (262, 48, 29, 70)),
    "anger": (276, 40, 16, (256, 20, 41, 41)),
    "heart": (276, 44, 15, (254, 24, 45, 49)),
    "bubbles": (266, 62, 7, (252, 4, 64, 72)),
    "chill": (276, 0, 44, (250, 0, 57, 52)),
}
EFFECT_PHASES = 8
EFFECT_PHASE_MS = 160

# 0xRRGGBB
PRIMARY = 0xFFFFFF
SECONDARY = 0x000000
BALLOON_TEXT = 0x000000
BALLOON = 0xFFFFFF
EFFECT_COLORS = {
    "sweat": 0x50B0FF,
    "anger": 0xFF4030,
    "heart": 0xFF5080,
    "bubbles": 0xA0D8FF,
    "chill": 0x60A0FF,
}
TONGUE = 0xFF6070
BATTERY_LOW = 0xFF4030

MOUTH_POINTS = 13  # An edge of the mouth is so many points, from its left end to its right.


class Layout:
    """Where things are on a panel of `width` x `height` pixels, 96 x 64 to 480 x 320.

    The plane is scaled by num / den and moved by (left, top).  Text is not scaled with it: a cell of `cell` pixels
    holds one character, lines are `pitch` apart, `columns` x `rows` cells fit into the balloon, whose box is
    (x, y, w, h).
    """

    def __init__(self, width, height):
        self.width = width
        self.height = height
        if width * HEIGHT <= height * WIDTH:
            self.num, self.den = width, WIDTH
        else:
            self.num, self.den = height, HEIGHT
        self.left = (width - WIDTH * self.num // self.den) // 2
        self.top = (height - HEIGHT * self.num // self.den) // 2
        zoom = self.zoom = 2 if width >= 240 else 1
        self.cell = 8 * zoom
        self.pitch = 9 * zoom
        self.rows = 3 if height >= width else 2
        self.columns = (width - 16 * zoom) // self.cell
        w = self.columns * self.cell + 8 * zoom
        h = self.rows * self.pitch + 5 * zoom
        self.balloon = ((width - w) // 2, height - h - 2 * zoom, w, h)
