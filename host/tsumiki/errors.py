"""What ends a command in plain words."""


class Failed(Exception):
    """It cannot be done; the text says why, and what to do about it."""
