"""The bytes of a server's answers: head and body in one buffer, for one write."""

try:
    from micropython import const
except ImportError:
    const = int

_LARGE = const(512)  # bytes of body

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


def answer(status, body, keep_alive=True, headers=b""):
    """A JSON answer: bytes, or a bytearray if it is large.

    body: bytes, or a tuple of bytes that are one; empty for none.  headers: bytes, further lines, each with CR LF.
    """
    if type(body) is bytes:
        body = (body,)
    size = 0
    for part in body:
        size += len(part)
    if not keep_alive:
        headers += b"Connection: close\r\n"
    if status == 200:
        start = b"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: "
        lines = (start, b"%d\r\n" % size, headers, b"\r\n")
        if size < _LARGE:
            return b"".join(lines + body)
        # MicroPython hashes all bytes that it makes, at a cost above that of the copy; a bytearray has no hash.
        data = bytearray(b"".join(lines))
        for part in body:
            data += part
        return data
    if status == 202 and not size:
        # RFC 9110 section 8.6: without a length it is taken for chunked.
        start = b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n"
    else:
        from .status import head  # late (RAM): a server has little else to say

        start = head(status, size)
    return b"".join((start, headers, b"\r\n") + body)


def failure(error, keep_alive, headers=b""):
    """The answer to an HTTPError; its reason is the body's `message`."""
    from .status import body  # late (RAM), as above

    return answer(error.status, body(error), keep_alive, headers + error.headers)
