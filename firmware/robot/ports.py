"""What a board supplies to its robot: the ports, which parts were found behind them, and why others were not.

Also a board by itself, that of a robot without parts: where the real one cannot be made, a robot still serves.
"""


class Ports:
    """The base of a board.  Each port is None, and `leds` empty, until its part is found.

    display: width, height, `blit(x, y, w, h, buf)`, perhaps `brightness(level)`.  servos: see `robot.head`.
    speaker: `tone(hz, level)`, `silence()`, perhaps what `robot.speech` needs.  leds: dict of name to strip: count,
    `fill(r, g, b)`, `set(i, r, g, b)`, `show()`.  inputs: `poll(now_ms)` -> events.  imu: `read()` -> x, y, z in mg.
    power, system: `read()` -> dict.
    missing: dict of a part's name to str, why it is not there.
    """

    name = "no board"
    display = servos = speaker = inputs = imu = power = system = None

    def __init__(self):
        self.leds = {}
        self.missing = {}
        self._found = {}

    def found(self):
        """dict of a part's name to str, what it is."""
        return self._found

    def part(self, name, what, make, *arguments):
        """What `make(*arguments)` returns; None if it raises, which nothing else suffers from, or returns None.

        name: str, the part's.  what: str, what it is, for `found`; None: the name of its class.
        """
        try:
            made = make(*arguments)
            if made is None:
                raise OSError("there is none")
        except Exception as e:  # A driver that is not installed is as missing as a chip that does not answer.
            self.lacks(name, e)
            return None
        self.missing.pop(name, None)
        self._found[name] = what or type(made).__name__
        return made

    def lacks(self, name, why):
        """A part is not there.  why: str, or an exception."""
        if isinstance(why, Exception):
            why = "%s%s" % (
                "" if isinstance(why, (OSError, ValueError)) else type(why).__name__ + ": ",
                _told(why),
            )
        self._found.pop(name, None)
        self.missing[name] = why


# The numbers that an ESP32 raises for a chip that does not answer tell nobody anything.
_NUMBERS = {5: "it does not answer", 19: "it does not answer", 116: "its bus is stuck"}


def _told(error):
    value = error.args[0] if error.args else None
    if isinstance(value, int):
        return _NUMBERS.get(value, "error %d" % value)
    return str(error) or type(error).__name__
