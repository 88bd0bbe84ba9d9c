"""Server-sent events as a server writes them (WHATWG HTML 9.2; MCP transports, 2025-06-18 and later).

    head(request, keep_alive) + chunk(*event(b'{"jsonrpc":...}')) + ... + LAST_CHUNK

An HTTP/1.0 client has no chunks: its stream ends with the connection.
"""

# A comment: nothing for who reads events, and a sign of life for all between.
COMMENT = b":\n\n"

LAST_CHUNK = b"0\r\n\r\n"

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nX-Accel-Buffering: no\r\n"


def head(request, keep_alive):
    """The head of an answer that is a stream, with the CORS lines of a `Request`.  keep_alive: bool, announced."""
    lines = b"" if request.http10 else b"Transfer-Encoding: chunked\r\n"
    if not keep_alive:
        lines += b"Connection: close\r\n"
    return _HEAD + lines + request.cors + b"\r\n"


def event(data, id_=b"", retry_ms=None):
    """One message, as a tuple of bytes to join.

    data: bytes, one line (MCP conformance parses each `data:` line as a document), or a tuple of bytes that are one;
    b"" for an event that only tells its id (MCP 2025-11-25: it primes the client to resume).
    id_: bytes, without CR, LF or NUL.  retry_ms: int, how long to wait before the client comes again, or None.
    """
    parts = (b"id: %s\n" % id_,) if id_ else ()
    if retry_ms is not None:
        parts += (b"retry: %d\n" % retry_ms,)
    if not data:
        return parts + (b"data: \n\n",)
    return parts + (b"event: message\ndata: ",) + (data if type(data) is tuple else (data,)) + (b"\n\n",)


def chunk(*parts):
    """The parts as one chunk (RFC 9112 section 7.1), as a tuple of bytes."""
    size = 0
    for part in parts:
        size += len(part)
    return (b"%x\r\n" % size,) + parts + (b"\r\n",)
