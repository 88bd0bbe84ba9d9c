"""What a server answers but for 200, and 202 without a body: status lines, and the bodies of errors."""

_REASONS = (
    b"202 Accepted\n204 No Content\n"
    b"400 Bad Request\n401 Unauthorized\n403 Forbidden\n404 Not Found\n405 Method Not Allowed\n406 Not Acceptable\n"
    b"408 Request Timeout\n411 Length Required\n413 Content Too Large\n415 Unsupported Media Type\n"
    b"417 Expectation Failed\n431 Request Header Fields Too Large\n"
    b"500 Internal Server Error\n501 Not Implemented\n503 Service Unavailable\n505 HTTP Version Not Supported\n"
)


def reason(status):
    """The reason phrase: bytes, empty for a status that is not one of ours."""
    at = _REASONS.find(b"%d " % status)
    return _REASONS[at + 4 : _REASONS.find(b"\n", at)] if at >= 0 else b""


def head(status, size):
    """The status line, and the lines that tell of a body of `size` bytes."""
    kind = b"Content-Type: application/json; charset=utf-8\r\n" if size else b""
    # RFC 9110 section 8.6: no Content-Length with 204.
    length = b"" if status == 204 else b"Content-Length: %d\r\n" % size
    return b"HTTP/1.1 %d %s\r\n" % (status, reason(status)) + kind + length


def body(error):
    """The JSON body of an HTTPError: bytes.

    OAuth-probing clients read `error` from the bodies of 401 and 404, and expect these two words.
    """
    status = error.status
    if status == 204:
        return b""
    if status == 401:
        return b'{"error":"invalid_token"}'
    if status == 404:
        return b'{"error":"not_found"}'
    text = b'{"error":"%s"' % reason(status).lower().replace(b" ", b"_")
    if error.reason:
        text += b',"message":"%s"' % error.reason.encode()
    return text + b"}"
