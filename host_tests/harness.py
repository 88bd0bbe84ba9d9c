"""What a test needs, on MicroPython and CPython alike.

A test file defines `test_*` functions (plain or `async def`) and asserts with `assert`, `eq` and `raises`.
"""

import sys


class Skip(Exception):
    """Raise it to skip a test; the text is the reason and the remedy."""


def eq(seen, wanted):
    """Assert that two values are equal, and show both if they are not."""
    if not seen == wanted:
        raise AssertionError("saw    %r\nwanted %r" % (seen, wanted))


def raises(kind, call, *args, **kwargs):
    """Assert that `call(*args, **kwargs)` raises `kind`; returns the exception."""
    try:
        value = call(*args, **kwargs)
    except kind as e:
        return e
    raise AssertionError("%s not raised; returned %r" % (kind.__name__, value))


async def araises(kind, awaitable):
    """The same for an awaitable."""
    try:
        value = await awaitable
    except kind as e:
        return e
    raise AssertionError("%s not raised; returned %r" % (kind.__name__, value))


def splits(data):
    """Yield `data` whole, byte by byte, and cut in two at every offset: lists of pieces."""
    yield [data]
    yield [data[i : i + 1] for i in range(len(data))]
    for i in range(1, len(data)):
        yield [data[:i], data[i:]]


_ports = []


def port():
    """A free TCP port, picked by the harness (MicroPython cannot ask a socket for its number)."""
    if not _ports:
        _ports.extend(int(p) for p in sys.argv[2].split(","))
    return _ports.pop(0)
