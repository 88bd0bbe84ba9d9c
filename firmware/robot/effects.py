"""The marks beside the face, each a few shapes of a size or place that goes with the phase (0-7)."""

from .geometry import EFFECT_COLORS, EFFECTS

# How much larger or lower in each phase; up and down again, and one that only goes on.
_PULSE = b"\0\1\2\3\3\2\1\0"


def draw(pen, name, phase, behind):
    """Draw the effect with a `draw.Pen`.  behind: 0xRRGGBB, the colour of the face."""
    x, y, r, _ = EFFECTS[name]
    _DRAW[name](pen, x, y, r, phase, EFFECT_COLORS[name], behind)


def _sweat(pen, x, y, r, phase, color, behind):
    y += 3 * phase
    pen.disc(x, y, r, r, color)
    pen.polygon((x - r, y - 2, x, y - 2 * r - 2, x + r, y - 2), color)
    pen.disc(x - r // 3, y + r // 4, 2, 3, 0xFFFFFF)


# A swollen vein: a cross, hollow.
def _anger(pen, x, y, r, phase, color, behind):
    r += _PULSE[phase]
    third = r // 3
    pen.box(x - third, y - r, 2 * third + 1, 2 * r + 1, color)
    pen.box(x - r, y - third, 2 * r + 1, 2 * third + 1, color)
    thin = third - 4
    pen.box(x - thin, y - r, 2 * thin + 1, 2 * r + 1, behind)
    pen.box(x - r, y - thin, 2 * r + 1, 2 * thin + 1, behind)


def _heart(pen, x, y, r, phase, color, behind):
    r += _PULSE[phase]
    half = (r + 1) // 2
    pen.disc(x - half, y, half, half, color)
    pen.disc(x + half, y, half, half, color)
    pen.polygon((x - 2 * half, y + 2, x, y - 2, x + 2 * half, y + 2, x, y + r + half), color)


# They grow while they rise.
def _bubbles(pen, x, y, r, phase, color, behind):
    for i in range(3):
        at = phase + 8 * i
        radius = r - 3 + at // 3
        px = x + at
        py = y - 2 * at
        pen.disc(px, py, radius, radius, color)
        pen.disc(px, py, radius - 2, radius - 2, behind)


def _chill(pen, x, y, r, phase, color, behind):
    for i in range(4):
        long = r - 9 * i + 2 * _PULSE[(phase + 2 * i) & 7]
        pen.box(x + 24 - 15 * i, y, 4, long, color)


_DRAW = {"sweat": _sweat, "anger": _anger, "heart": _heart, "bubbles": _bubbles, "chill": _chill}
