"""A display in memory: collects what is blitted into a whole frame."""


class Panel:
    """frame: bytearray, RGB565 with the high byte first.  blits: list of (x, y, w, h), until somebody clears it."""

    def __init__(self, width=320, height=240):
        self.width = width
        self.height = height
        self.frame = bytearray(2 * width * height)
        self.blits = []
        self.largest = 0  # bytes of a blit

    def blit(self, x, y, w, h, buf):
        assert 0 <= x and 0 < w and x + w <= self.width, (x, w)
        assert 0 <= y and 0 < h and y + h <= self.height, (y, h)
        assert len(buf) == 2 * w * h, len(buf)
        self.blits.append((x, y, w, h))
        self.largest = max(self.largest, len(buf))
        for row in range(h):
            at = 2 * ((y + row) * self.width + x)
            self.frame[at : at + 2 * w] = buf[2 * w * row : 2 * w * (row + 1)]

    def pixel(self, x, y):
        """The colour of a pixel: RGB565."""
        at = 2 * (y * self.width + x)
        return self.frame[at] << 8 | self.frame[at + 1]

    def differs(self, other, x, y, w, h):
        """How many pixels of a box are not those of another frame."""
        count = 0
        for row in range(y, y + h):
            at = 2 * (row * self.width + x)
            a = self.frame[at : at + 2 * w]
            b = other[at : at + 2 * w]
            if a != b:
                for i in range(0, 2 * w, 2):
                    count += a[i] != b[i] or a[i + 1] != b[i + 1]
        return count

    def brightness(self, level):
        self.level = level
