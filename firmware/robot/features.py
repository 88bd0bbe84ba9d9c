"""Eyes and mouth: from their numbers (see `geometry`) to shapes.  A page that draws the face does the same sums."""

from .geometry import MOUTH_POINTS, TONGUE

try:
    from micropython import const
except ImportError:
    const = int

_THICK = const(7)  # of an eye that is an arch or an angle
_BROW = const(5)  # How much longer a brow is than its eye, at either end.


def eye_box(eye):
    """(x, y, w, h) in the plane of all that `eye` may cover."""
    x, y, rx, ry, _, _, _, _, brow_h, brow_y, slope = eye
    top = y - ry - 1
    if brow_h:
        top = min(top, y - brow_y - abs(slope) - brow_h)
    half = rx + _BROW + 1
    return x - half, top, 2 * half + 1, y + ry + 2 - top


def eye(pen, eye, inner, color, behind):
    """inner: 1 if the nose is to the right of the eye, -1 if to the left."""
    x, y, rx, ry, lid_in, lid_out, cheek, pinch, brow_h, brow_y, slope = eye
    nose = x + inner * (rx + 1)
    away = x - inner * (rx + 1)
    if pinch >= 50:
        _angle(pen, away, nose, y, ry, inner, color)
    else:
        pen.disc(x, y, rx, ry, color)
    if lid_in or lid_out:
        top = y - ry - 1
        tall = 2 * ry + 1
        _band(pen, away, nose, top, top, top + tall * lid_out // 100, top + tall * lid_in // 100, behind)
    if cheek:
        low = 2 * ry * (100 - cheek) // 100
        pen.disc(x, y + low + _THICK, rx - _THICK, ry, behind)
        pen.box(x - rx - 1, y + low + 4, 2 * rx + 3, ry + 1, behind)
    if brow_h:
        top = y - brow_y - brow_h // 2
        nose += inner * _BROW
        away -= inner * _BROW
        _band(pen, away, nose, top - slope, top + slope, top + brow_h - slope, top + brow_h + slope, color)


# Between two lines: both from `away` to `nose`, each with a height of its own there.
def _band(pen, away, nose, top_away, top_nose, low_away, low_nose, color):
    pen.polygon((away, top_away, nose, top_nose, nose, low_nose, away, low_away), color)


# ">" or "<", its bend at the nose.
def _angle(pen, away, nose, y, ry, inner, color):
    thick = min(_THICK, ry)
    bend = nose - inner * 2 * thick
    pen.polygon(
        (away, y - ry, nose, y, away, y + ry, away, y + ry - thick, bend, y, away, y - ry + thick), color
    )


def lips_box(lips):
    """(x, y, w, h) in the plane of all that `lips` may cover."""
    x, y, w, h, top, bottom, tilt, wave, tongue = lips
    half = w // 2 + 2
    up = h // 2 + max(0, -top, -bottom) + abs(tilt) + abs(wave) + 2
    down = h + max(0, top, bottom) + abs(tilt) + abs(wave) + tongue + 5
    return x - half, y - up, 2 * half + 1, up + down


def lips(pen, lips, color):
    """Its upper edge from left to right, and its lower edge back; then the tongue, which hangs out of it."""
    x, y, w, h, top, bottom, tilt, wave, tongue = lips
    points = pen.edges
    last = MOUTH_POINTS - 1
    for i in range(MOUTH_POINTS):
        u = 200 * i // last - 100
        middle = 100 - u * u // 100
        px = x + w * u // 200
        line = y + tilt * u // 100 - h // 2 + (wave if i & 1 else -wave)
        upper = line + top * middle // 100
        points[2 * i] = points[4 * last + 2 - 2 * i] = px
        points[2 * i + 1] = upper
        points[4 * last + 3 - 2 * i] = max(upper + 3, line + h + bottom * middle // 100)
    pen.polygon(points, color)
    if tongue:
        wide = w // 4
        pen.disc(x, y + h // 2 + bottom, wide, tongue, TONGUE)
