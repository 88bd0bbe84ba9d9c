"""What ends a command in plain words, and the exit status that goes with it."""


class Failed(Exception):
    """It cannot be done; the text says why, and what to do about it."""

    status = 1  # also of findings, of a contract that does not hold, of a difference


class Unreadable(Failed):
    """What the command was given to read, or how it was called, makes no sense."""

    status = 2


class Unreachable(Failed):
    """The server cannot be started or reached, or it left before it had answered."""

    status = 4


class NotAllowed(Failed):
    """The server wants a token, or another one."""

    status = 5
