"""The status screen: a few lines of text and the battery, in place of the face."""

from . import font
from .geometry import BATTERY_LOW

try:
    from micropython import const
except ImportError:
    const = int

_MOST = const(9)
_MAX_BYTES = const(160)
_LOW_PERCENT = const(20)


class Screen:
    """What the screen shows.  layout: `geometry.Layout`.

    lines: list of str (9 are shown, 160 bytes of each).  battery_percent: 0-100, clamped, or None: no battery is drawn.
    secret: str, a line that is drawn below them and told to nobody, or None.
    A line that is too long for the larger size is shown in the smaller, and wrapped.
    """

    def __init__(self, layout, lines, battery_percent, secret=None):
        self.layout = layout
        self.lines = [font.encode(line)[:_MAX_BYTES] for line in lines[:_MOST]]
        self.secret = [] if secret is None else [font.encode(secret)[:_MAX_BYTES]]
        self.battery_percent = None if battery_percent is None else max(0, min(100, battery_percent))

    def state(self):
        """dict for `robot://status`."""
        return {"lines": [font.decode(line) for line in self.lines], "battery_percent": self.battery_percent}

    def draw(self, pen, text, behind):
        """Draw it with a `draw.Pen`.  text, behind: 0xRRGGBB."""
        layout = self.layout
        zoom = layout.zoom
        x = y = 4 * zoom
        if self.battery_percent is not None:
            _battery(pen, layout.width - 22 * zoom, y, zoom, self.battery_percent, text, behind)
        y += 12 * zoom
        for line in self.lines + self.secret:
            size = zoom if len(font.wrap(line, (layout.width - 2 * x) // layout.cell, 2)) <= 2 else 1
            pieces = font.wrap(line, (layout.width - 2 * x) // (8 * size), 4)
            for i in range(0, len(pieces), 2):
                pen.text(x, y, line, pieces[i], pieces[i + 1], size, text)
                y += 10 * size
            y += 2 * zoom if pieces else 10 * zoom


# 18 x 8 cells of `zoom`: a case, a knob, and how full it is.
def _battery(pen, x, y, zoom, percent, color, behind):
    pen.pixels(x, y, 16 * zoom, 8 * zoom, color)
    pen.pixels(x + 16 * zoom, y + 2 * zoom, 2 * zoom, 4 * zoom, color)
    pen.pixels(x + zoom, y + zoom, 14 * zoom, 6 * zoom, behind)
    full = 12 * zoom * percent // 100
    pen.pixels(x + 2 * zoom, y + 2 * zoom, full, 4 * zoom, BATTERY_LOW if percent < _LOW_PERCENT else color)
