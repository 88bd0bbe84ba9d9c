"""Lines for people, on stdout or stderr: what a server says in them cannot command the terminal."""

import sys


def say(text):
    """A line on stdout."""
    _put(text, sys.stdout)


def note(text):
    """A line on stderr."""
    _put(text, sys.stderr)


def tell(text):
    """A line on stderr, beside what others write there: who says it comes first."""
    note("tsumiki: " + text)


# An output that is not of UTF-8 takes what it can.
def _put(text, file):
    encoding = file.encoding or "utf-8"
    print(plain(text).encode(encoding, "replace").decode(encoding), file=file, flush=True)


def plain(text):
    """text with a ? for every character that is none to look at, ends of lines aside."""
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in text)
