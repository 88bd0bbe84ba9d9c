"""A UART whose other end is a script, and a clock that goes on by itself."""


class Uart:
    """answers: list of bytes, what comes after each packet that is sent.  sent: list of bytes.  echo: bool.

    slow: bool, what comes arrives byte by byte.
    """

    def __init__(self, *answers):
        self.answers = list(answers)
        self.sent = []
        self.echo = self.slow = False
        self.here = b""
        self.coming = b""

    def write(self, buffer):
        self.sent.append(bytes(buffer))
        if self.echo:
            self.coming += bytes(buffer)
        if self.answers:
            self.coming += self.answers.pop(0)
        return len(buffer)

    def any(self):
        count = 1 if self.slow else len(self.coming)
        self.here += self.coming[:count]
        self.coming = self.coming[count:]
        return len(self.here)

    def readinto(self, buffer, count):
        taken = self.here[:count]
        self.here = self.here[count:]
        buffer[: len(taken)] = taken
        return len(taken)


class Clock:
    """Each look at it is `step_ms` later.  looks: int."""

    def __init__(self, now_ms=0, step_ms=1):
        self.now_ms = now_ms
        self.step_ms = step_ms
        self.looks = 0

    def __call__(self):
        self.looks += 1
        self.now_ms += self.step_ms
        return self.now_ms & 0x3FFFFFFF


def packet(id, *rest):
    """Bytes of FF FF, id, length, rest (instruction or error, parameters), checksum."""
    body = bytes((id, len(rest) + 1) + rest)
    return b"\xff\xff" + body + bytes((~sum(body) & 0xFF,))
