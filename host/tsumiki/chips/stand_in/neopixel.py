"""Stands in for MicroPython's `neopixel`, over the stand-in's `machine.bitstream`."""

from machine import Pin, bitstream

_ORDER = (1, 0, 2, 3)
_TIMINGS = ((800, 1700, 1600, 900), (400, 850, 800, 450))


class NeoPixel:
    ORDER = _ORDER

    def __init__(self, pin, n, bpp=3, timing=1):
        self.pin = pin
        self.n = n
        self.bpp = bpp
        self.buf = bytearray(n * bpp)
        self.timing = _TIMINGS[timing] if isinstance(timing, int) else timing
        pin.init(Pin.OUT)

    def __len__(self):
        return self.n

    def __setitem__(self, i, colour):
        for k in range(self.bpp):
            self.buf[i * self.bpp + self.ORDER[k]] = colour[k]

    def __getitem__(self, i):
        return tuple([self.buf[i * self.bpp + self.ORDER[k]] for k in range(self.bpp)])

    def fill(self, colour):
        for i in range(self.n):
            self[i] = colour

    def write(self):
        bitstream(self.pin, 0, self.timing, self.buf)
