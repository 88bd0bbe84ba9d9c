"""What a client sends while its request is still handled: kept for later, within the buffer at hand."""

try:
    from micropython import const
except ImportError:
    const = int

_ROOM = const(256)  # bytes; a client that has sent more ahead must wait


def room(reader):
    """A memoryview to receive into, or None where a `Reader` has room for no more.

    The body of the request at hand gives way: its handler has read it.
    """
    if reader.begun == len(reader.buf):
        rest = reader.begun - reader.stop
        reader.buf[reader.start : reader.start + rest] = reader.buf[reader.stop : reader.begun]
        reader.stop = reader.start
        reader.begun = reader.start + rest
        if reader.begun == len(reader.buf):
            if rest:
                return None
            reader.resize(reader.begun + _ROOM, 0)
    return memoryview(reader.buf)[reader.begun :]
