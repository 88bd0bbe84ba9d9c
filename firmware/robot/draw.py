"""Draws the face on a panel, with `framebuf`, a dirty rectangle at a time and each in bands of a few KB.

A band is painted whole, from back to front, whatever it is of: so nothing stays behind, and there is no full frame.
"""

from array import array

import framebuf

from . import effects, features, font
from .face import ALL, BALLOON, EFFECT, LEFT_EYE, LIPS, RIGHT_EYE
from .geometry import EFFECTS, EYE_NUMBERS, MOUTH_POINTS

try:
    from micropython import const
except ImportError:
    const = int

_BAND_BYTES = const(6400)  # 10 rows of 320 pixels
_FRAME_MS = const(66)  # 15 frames a second at most

# The parts of the face by their flag; the places of their boxes in Painter._boxes.
_PARTS = (RIGHT_EYE, LEFT_EYE, LIPS, EFFECT, BALLOON)


class Painter:
    """Paints `face` (face.Face) on `display`: width, height, blit(x, y, w, h, RGB565 with the high byte first).

    A display may have `glyphs`: `glyphs(code)` -> 8 bytes, the rows of an 8 x 8 glyph from above, bit 7 leftmost, or
    None where it has none: for code points past ASCII (see `glyphs.Glyphs`).
    band_bytes: size of the one buffer for pixels, at least a panel's row; None: 6,400.
    """

    def __init__(self, face, display, band_bytes=None):
        self._face = face
        self._display = display
        self._band = bytearray(max(band_bytes or _BAND_BYTES, 2 * display.width))
        self._pen = Pen(face.layout, getattr(display, "glyphs", None))
        self._boxes = ()  # What each part covers on the panel, (x, y, w, h) in pixels or None.
        self._then_ms = None
        self._all = True

    def repaint(self):
        """Paint all at the next turn: the panel has lost its picture."""
        self._all = True

    def paint(self, now_ms):
        """Paint what has changed since the last frame; True if anything was.  now_ms: int, ticks."""
        face = self._face
        if not self._all:
            if not face.dirty or (now_ms - self._then_ms) & 0x3FFFFFFF < _FRAME_MS:
                return False
        dirty = face.dirty
        whole = self._all or dirty & ALL
        face.dirty = 0
        self._then_ms = now_ms
        self._all = True  # In case that the display fails.
        before = self._boxes
        self._boxes = [self._box(part) for part in _PARTS]
        if whole:
            self._rectangle(0, 0, self._display.width, self._display.height)
        elif face.page is None:
            self._paint_parts(dirty, before)
        self._all = False
        return True

    step = paint

    # What a part covered and what it covers now.
    def _paint_parts(self, dirty, before):
        for i in range(len(_PARTS)):
            if dirty & _PARTS[i]:
                both = _union(before[i], self._boxes[i])
                if both is not None:
                    self._rectangle(*both)

    def _box(self, part):
        face = self._face
        if part == BALLOON:
            return None if face.words.raw is None else face.words.box()
        if part == EFFECT:
            name = face.effect_shown
            return None if name is None else self._pen.scaled(*EFFECTS[name][3])
        if part == LIPS:
            return self._pen.scaled(*features.lips_box(face.shown[2 * EYE_NUMBERS :]))
        at = 0 if part == RIGHT_EYE else EYE_NUMBERS
        return self._pen.scaled(*features.eye_box(face.shown[at : at + EYE_NUMBERS]))

    # A rectangle of the panel, clipped to it, band by band.
    def _rectangle(self, x, y, w, h):
        right = min(x + w, self._display.width)
        bottom = min(y + h, self._display.height)
        x = max(0, x)
        y = max(0, y)
        if right <= x or bottom <= y:
            return
        w = right - x
        rows = max(1, min(bottom - y, len(self._band) // (2 * w)))
        whole = memoryview(self._band)
        while y < bottom:
            rows = min(rows, bottom - y)
            buf = whole[: 2 * w * rows]
            self._pen.aim(framebuf.FrameBuffer(buf, w, rows, framebuf.RGB565), x, y, w, rows)
            self._scene()
            self._display.blit(x, y, w, rows, buf)
            y += rows

    # All there is, from back to front; the pen clips.
    def _scene(self):
        face = self._face
        pen = self._pen
        pen.fill(face.secondary)
        if face.page is not None:
            face.page.draw(pen, face.primary, face.secondary)
            return
        boxes = self._boxes
        if pen.meets(boxes[0]):
            features.eye(pen, face.shown[:EYE_NUMBERS], 1, face.primary, face.secondary)
        if pen.meets(boxes[1]):
            features.eye(pen, face.shown[EYE_NUMBERS : 2 * EYE_NUMBERS], -1, face.primary, face.secondary)
        if pen.meets(boxes[2]):
            features.lips(pen, face.shown[2 * EYE_NUMBERS :], face.primary)
        if pen.meets(boxes[3]):
            effects.draw(pen, face.effect_shown, face.effect_phase, face.secondary)
        if pen.meets(boxes[4]):
            face.words.draw(pen)


class Pen:
    """Draws into one band.  Shapes are in the plane of `geometry`, `pixels`, `rounded`, `text` in the panel's pixels.

    Colours are 0xRRGGBB.
    """

    def __init__(self, layout, glyphs=None):
        self._layout = layout
        self._glyphs = glyphs
        self.edges = array("h", bytes(8 * MOUTH_POINTS))
        self._points = {}  # Scratch arrays by their length: `poly` draws all of one.
        self._bits = bytearray(8)
        self._glyph = framebuf.FrameBuffer(self._bits, 8, 8, framebuf.MONO_HLSB)

    def aim(self, fb, x, y, w, h):
        """Draw into `fb` (FrameBuffer) from now on, whose pixels are the panel's from (x, y) on."""
        self._fb = fb
        self._x = x
        self._y = y
        self._w = w
        self._h = h

    def meets(self, box):
        """Whether any of a box (x, y, w, h) of the panel, or None, is in the band."""
        if box is None:
            return False
        x, y, w, h = box
        return x < self._x + self._w and self._x < x + w and y < self._y + self._h and self._y < y + h

    def scaled(self, x, y, w, h):
        """The box in the panel's pixels that covers all shapes in a box of the plane."""
        layout = self._layout
        left = x * layout.num // layout.den - 1
        top = y * layout.num // layout.den - 1
        right = (x + w) * layout.num // layout.den + 2
        bottom = (y + h) * layout.num // layout.den + 2
        return left + layout.left, top + layout.top, right - left, bottom - top

    def fill(self, color):
        """The whole band."""
        self._fb.fill(_swapped(color))

    def disc(self, x, y, rx, ry, color):
        """A filled ellipse around (x, y)."""
        num = self._layout.num
        den = self._layout.den
        self._fb.ellipse(
            x * num // den + self._layout.left - self._x,
            y * num // den + self._layout.top - self._y,
            rx * num // den,
            ry * num // den,
            _swapped(color),
            True,
        )

    def box(self, x, y, w, h, color):
        """A filled rectangle."""
        num = self._layout.num
        den = self._layout.den
        left = x * num // den
        top = y * num // den
        self._fb.fill_rect(
            left + self._layout.left - self._x,
            top + self._layout.top - self._y,
            (x + w) * num // den - left,
            (y + h) * num // den - top,
            _swapped(color),
        )

    def polygon(self, points, color):
        """A filled polygon: x, y, x, y, ..."""
        n = len(points)
        scaled = self._points.get(n)
        if scaled is None:
            scaled = self._points[n] = array("h", bytes(2 * n))
        for i in range(n):
            scaled[i] = points[i] * self._layout.num // self._layout.den
        left = self._layout.left - self._x
        self._fb.poly(left, self._layout.top - self._y, scaled, _swapped(color), True)

    def pixels(self, x, y, w, h, color):
        """A filled rectangle in the panel's pixels."""
        self._fb.fill_rect(x - self._x, y - self._y, w, h, _swapped(color))

    def rounded(self, x, y, w, h, r, color):
        """A filled rectangle with round corners, in the panel's pixels."""
        self.pixels(x, y + r, w, h - 2 * r, color)
        self.pixels(x + r, y, w - 2 * r, h, color)
        color = _swapped(color)
        for cx in (x + r, x + w - 1 - r):
            for cy in (y + r, y + h - 1 - r):
                self._fb.ellipse(cx - self._x, cy - self._y, r, r, color, True)

    def text(self, x, y, raw, start, end, zoom, color):
        """The characters of UTF-8 raw[start:end] side by side, each in a cell of 8 * zoom of the panel's pixels."""
        if not self.meets((x, y, 8 * zoom * (end - start), 8 * zoom)):
            return
        color = _swapped(color)
        i = start
        while i < end:
            code = font.code_at(raw, i)
            i += font.length(raw, i)
            if code != font.NOTHING:
                self._character(x - self._x, y - self._y, self._rows(code), zoom, color)
                x += 8 * zoom

    # The 8 rows of a glyph.
    def _rows(self, code):
        if code < 127:
            self._glyph.fill(0)
            self._glyph.text(bytes((code,)), 0, 0, 1)
            return self._bits
        try:
            rows = self._glyphs and self._glyphs(code)
        except OSError:  # A file that cannot be read is no reason to have no face.
            rows = None
        return rows or font.BOX

    # The runs of set bits of each row that is in the band.
    def _character(self, x, y, rows, zoom, color):
        for i in range(max(0, -y // zoom), 8):
            if y + i * zoom >= self._h:
                return
            bits = rows[i]
            left = 0
            while bits:
                while not bits & 0x80:
                    bits = bits << 1 & 0xFF
                    left += 1
                run = 0
                while bits & 0x80:
                    bits = bits << 1 & 0xFF
                    run += 1
                self._fb.fill_rect(x + left * zoom, y + i * zoom, run * zoom, zoom, color)
                left += run


# 0xRRGGBB as RGB565 that `framebuf`, which is little-endian, stores with the high byte first.
def _swapped(color):
    color = color >> 8 & 0xF800 | color >> 5 & 0x7E0 | color >> 3 & 0x1F
    return color >> 8 | (color & 0xFF) << 8


# The box around two boxes, either of which may be None.
def _union(a, b):
    if a is None or b is None:
        return a or b
    x = min(a[0], b[0])
    y = min(a[1], b[1])
    return x, y, max(a[0] + a[2], b[0] + b[2]) - x, max(a[1] + a[3], b[1] + b[3]) - y
