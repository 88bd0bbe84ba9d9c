"""The bytes of a server's answers: head and body in one buffer, for one write."""

REASONS = {
    200: "OK",
    202: "Accepted",
    204: "No Content",
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    406: "Not Acceptable",
    408: "Request Timeout",
    411: "Length Required",
    413: "Content Too Large",
    415: "Unsupported Media Type",
    417: "Expectation Failed",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    501: "Not Implemented",
    503: "Service Unavailable",
    505: "HTTP Version Not Supported",
}

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"

_OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: "
_CLOSE = b"Connection: close\r\n"

# OAuth-probing clients read `error` from the bodies of 401 and 404, and expect these two words.
_ERRORS = {401: "invalid_token", 404: "not_found"}


def answer(status, body, keep_alive=True, headers=b""):
    """A JSON answer.

    body: bytes, or a tuple of bytes that are one; empty for none.  headers: bytes, further lines, each with CR LF.
    """
    if type(body) is bytes:
        body = (body,)
    size = 0
    for part in body:
        size += len(part)
    if not keep_alive:
        headers += _CLOSE
    if status == 200:
        return b"".join((_OK, b"%d\r\n" % size, headers, b"\r\n") + body)
    kind = b"Content-Type: application/json; charset=utf-8\r\n" if size else b""
    # RFC 9110 section 8.6: no Content-Length with 204; a 202 without one is taken for chunked.
    length = b"" if status == 204 else b"Content-Length: %d\r\n" % size
    line = b"HTTP/1.1 %d %s\r\n" % (status, REASONS[status].encode())
    return b"".join((line, kind, length, headers, b"\r\n") + body)


def failure(error, keep_alive, headers=b""):
    """The answer to an HTTPError; its reason is the body's `message`."""
    if error.status == 204:
        return answer(204, b"", keep_alive, headers + error.headers)
    word = _ERRORS.get(error.status) or REASONS[error.status].lower().replace(" ", "_")
    body = '{"error":"%s"' % word
    if error.reason and error.status not in _ERRORS:
        body += ',"message":"%s"' % error.reason
    return answer(error.status, body.encode() + b"}", keep_alive, headers + error.headers)
