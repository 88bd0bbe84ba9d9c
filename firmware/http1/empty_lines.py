"""An empty line before the request line, which is ignored (RFC 9112 section 2.2)."""


def skip(reader):
    """Drop the empty lines at the start of a `Reader`'s buffer."""
    reader.stop = 0
    while reader.stop + 1 < reader.begun and reader.buf[reader.stop : reader.stop + 2] == b"\r\n":
        reader.stop += 2
    reader.done()
