"""Lines for people, on stdout or stderr: what a server says in them cannot command the terminal."""

import sys


def say(text):
    """A line on stdout."""
    print(plain(text))


def note(text):
    """A line on stderr."""
    print(plain(text), file=sys.stderr)


def plain(text):
    """text with a ? for every character that is none to look at, ends of lines aside."""
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in text)
