"""Buttons on pins, low when pressed, as inputs.

GPIO39 and GPIO36 of an ESP32 go low for a moment when its ADC or its Wi-Fi is switched on (Espressif: ESP32 Series SoC
Errata), and contacts bounce: a change counts when it has lasted.
"""

try:
    from micropython import const
except ImportError:
    const = int

_TICKS = const(0x3FFFFFFF)
_LEAST_MS = const(20)


class Buttons:
    """A source of inputs: ("button", NAME, 1) and 0.

    pins: tuple of (name, pin); a pin has `value()` -> 0 while it is pressed.  steady_ms: int, at least 20, how long a
    change must have lasted, in each look at it, before it is told. What is pressed at the start is told too.
    """

    def __init__(self, pins, steady_ms=_LEAST_MS):
        if steady_ms < _LEAST_MS:
            raise ValueError("a pin may be wrong for %d ms: %r" % (_LEAST_MS, steady_ms))
        self._pins = tuple(pins)
        self._steady_ms = steady_ms
        self._pressed = bytearray(len(self._pins))
        self._since_ms = [None] * len(self._pins)  # when it was first seen otherwise

    def poll(self, now_ms):
        """What has changed: list of (kind, name, value), or (). It allocates nothing while nothing changes."""
        events = ()
        for i in range(len(self._pins)):
            pressed = 0 if self._pins[i][1].value() else 1
            since_ms = self._since_ms[i]
            if pressed == self._pressed[i]:
                self._since_ms[i] = None
            elif since_ms is None:
                self._since_ms[i] = now_ms
            elif (now_ms - since_ms) & _TICKS >= self._steady_ms:
                self._since_ms[i] = None
                self._pressed[i] = pressed
                events = events or []
                events.append(("button", self._pins[i][0], pressed))
        return events
