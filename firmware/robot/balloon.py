"""The speech balloon: wrapped text that scrolls a line at a time, and where it is drawn."""

from . import font
from .geometry import BALLOON, BALLOON_TEXT

try:
    from micropython import const
except ImportError:
    const = int

_MAX_BYTES = const(2000)  # More of a text is not shown.
_SLOWEST_MS = const(1500)  # For a line to scroll, if the balloon's time allows.
_FASTEST_MS = const(400)


class Balloon:
    """What the balloon says now.  layout: `geometry.Layout` of the panel."""

    def __init__(self, layout):
        self.layout = layout
        self.raw = None  # bytes, UTF-8, or None: no balloon
        self.lines = ()
        self.first = 0  # the line at the top
        self._left_ms = 0
        self._line_ms = 0
        self._scroll_ms = 0

    def say(self, text, duration_ms):
        """text: str, or None or "" to hide it.  duration_ms: int, or None: until hidden.

        Within that time all lines are seen, at 0.4 s a line or slower; without one they come round again.
        """
        self.first = 0
        self.raw = None
        if not text:
            return
        raw = font.encode(text)[:_MAX_BYTES]
        while raw and not _whole(raw):
            raw = raw[:-1]
        self.lines = font.wrap(raw, self.layout.columns)
        self.raw = raw
        self._left_ms = duration_ms or 0
        hidden = len(self.lines) // 2 - self.layout.rows
        line_ms = _SLOWEST_MS
        if duration_ms and hidden > 0:
            line_ms = min(_SLOWEST_MS, max(_FASTEST_MS, duration_ms // (hidden + 1)))
        self._line_ms = self._scroll_ms = line_ms

    def step(self, dt_ms):
        """Let that time pass; True if it looks otherwise now.  Allocates nothing."""
        if self.raw is None:
            return False
        if self._left_ms:
            self._left_ms -= dt_ms
            if self._left_ms <= 0:
                self.raw = None
                return True
        return self._scroll(dt_ms)

    def _scroll(self, dt_ms):
        last = len(self.lines) // 2 - self.layout.rows
        if last <= 0:
            return False
        self._scroll_ms -= dt_ms
        if self._scroll_ms > 0:
            return False
        self._scroll_ms = self._line_ms
        if self.first < last:
            self.first += 1
            return True
        if self._left_ms:
            return False
        self.first = 0
        return True

    def state(self):
        """For `robot://status`: the lines that are seen, list of str; None without a balloon."""
        if self.raw is None:
            return None
        last = min(len(self.lines), 2 * (self.first + self.layout.rows))
        return [
            font.decode(self.raw[self.lines[i] : self.lines[i + 1]]) for i in range(2 * self.first, last, 2)
        ]

    def box(self):
        """(x, y, w, h) of all that it covers, in pixels of the panel: the tail is above the rounded box."""
        x, y, w, h = self.layout.balloon
        tail = 5 * self.layout.zoom
        return x, y - tail, w, h + tail

    def draw(self, pen):
        """Draw it with a `draw.Pen`."""
        layout = self.layout
        x, y, w, h = layout.balloon
        zoom = layout.zoom
        pen.rounded(x, y, w, h, 5 * zoom, BALLOON_TEXT)
        pen.rounded(x + zoom, y + zoom, w - 2 * zoom, h - 2 * zoom, 4 * zoom, BALLOON)
        _tail(pen, x + w // 2, y, zoom)
        y += 3 * zoom
        for i in range(2 * self.first, min(len(self.lines), 2 * (self.first + layout.rows)), 2):
            pen.text(x + 4 * zoom, y, self.raw, self.lines[i], self.lines[i + 1], zoom, BALLOON_TEXT)
            y += layout.pitch


# A triangle of rows, each a little wider: it says whose words they are.
def _tail(pen, x, y, zoom):
    tall = 5 * zoom
    for row in range(tall):
        half = row * 3 // 4 + zoom
        pen.pixels(x - half, y - tall + row, 2 * half, 1, BALLOON_TEXT)
    for row in range(tall):
        half = row * 3 // 4
        pen.pixels(x - half, y - tall + row + zoom, 2 * half, 1, BALLOON)


# Whether the last character of some UTF-8 is all there.
def _whole(raw):
    i = len(raw) - 1
    while i > 0 and raw[i] & 0xC0 == 0x80:
        i -= 1
    return i + font.length(raw, i) == len(raw)
