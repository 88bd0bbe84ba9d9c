"""The world around a simulated robot: what its simple parts do is said to it, and it makes itself felt.

It speaks in lines of ASCII over a byte pipe, or, without one, by method calls from the same program.

| from the robot | |
|---|---|
| `speaker HZ LEVEL`, `speaker off` | a tone sounds, or none |
| `speaker play RATE`, `speaker pcm LEVEL MS` | PCM begins; so much of it was this loud on average, 0-100 |
| `leds NAME RRGGBB RRGGBB ...` | what a strip shows, if it is another than before |

| to the robot | |
|---|---|
| `button NAME VALUE`, `touch NAME VALUE` | an event; VALUE is an int, 1 for pressed and 0 for released |
| `imu X Y Z` | the acceleration, in mg |
| `power PERCENT CHARGING USB` | 0-100, 0 or 1, 0 or 1 |

A line that is none of these is passed over, as is one of more than 80 bytes.
"""

import select

from micropython import const

_LONGEST = const(80)
_TOLD = const(64)
_EVENTS = const(32)
_READS = const(8)  # A world that never stops talking must not keep the robot.


class Outside:
    """pipe: a blocking stream to whoever plays the world, or None.

    said: list of str, the last lines from the robot.  events: list of (kind, name, value) that nobody took yet, at most
    32.  acceleration: (x, y, z) in mg.  power: (percent, charging, usb).
    """

    def __init__(self, pipe=None):
        self.said = []
        self.events = []
        self.acceleration = (0, 0, 1000)
        self.power = (100, False, True)
        self._rest = b""
        self._pipe = pipe
        if pipe is not None:
            self._poll = select.poll()
            self._poll.register(pipe, select.POLLIN)
            self._poll.ipoll(0)  # The first call allocates.

    def say(self, line):
        """The robot does something.  line: str, see above."""
        if len(self.said) == _TOLD:
            self.said.pop(0)
        self.said.append(line)
        if self._pipe is not None:
            try:
                self._pipe.write(line + "\n")
            except OSError:
                self._pipe = None

    def hear(self, line):
        """Something happens to the robot.  line: str, see above."""
        words = line.split()
        try:
            if words[0] in ("button", "touch"):
                _, name, value = words
                if len(self.events) < _EVENTS:
                    self.events.append((words[0], name, int(value)))
            elif words[0] == "imu":
                x, y, z = (int(word) for word in words[1:])
                self.acceleration = (x, y, z)
            elif words[0] == "power":
                percent, charging, usb = (int(word) for word in words[1:])
                self.power = (max(0, min(100, percent)), bool(charging), bool(usb))
        except (IndexError, ValueError):
            pass

    def listen(self):
        """Hear what has come over the pipe; does not wait, and allocates nothing if nothing has."""
        for _ in range(_READS):
            if self._pipe is None or next(self._poll.ipoll(0), None) is None:
                return
            try:
                data = self._pipe.recv(256)
            except OSError:
                data = b""
            if not data:
                self._pipe = None  # The robot goes on without a world.
                return
            lines = (self._rest + data).split(b"\n")
            self._rest = lines.pop()[: _LONGEST + 1]
            for line in lines:
                if len(line) <= _LONGEST and _is_ascii(line):
                    self.hear(line.decode())


def _is_ascii(line):
    return all(32 <= byte < 127 for byte in line)
