"""The head of an HTTP/1.1 request: request line and the fields a server needs, with RFC 9112's rules and limits.

One `Request` serves one connection for its whole life; `parse` fills it anew for each message.
"""

from .errors import HTTPError
from .fields import Fields, Names, tokens

try:
    from .scan_viper import number
except (ImportError, SyntaxError, ValueError):  # as in fields.py
    from .scan import number

MAX_HEAD = 4096  # bytes

_FIELDS = (
    b"host",
    b"content-length",
    b"transfer-encoding",
    (b"connection", b"keep-alive"),
    (b"content-type", b"application/json"),
    (b"accept", b"application/json, text/event-stream"),
    b"authorization",
    b"origin",
    b"expect",
    b"mcp-session-id",
    b"mcp-protocol-version",
)


def names():
    """The `Names` of a server: each has its own, for it learns its usual Host."""
    return Names(_FIELDS)


NAMES = names()

_HOST = NAMES.bits(b"host")
_LENGTH = NAMES.bits(b"content-length")
_LENGTH_AT = NAMES.at(b"content-length")
_CODING = NAMES.bits(b"transfer-encoding")
_SESSION = NAMES.bits(b"mcp-session-id")
_PROTOCOL = NAMES.bits(b"mcp-protocol-version")
_EXPECT = NAMES.bits(b"expect")
_SPECIAL = NAMES.bits(b"connection", b"transfer-encoding", b"expect")


class Request:
    """What `parse` sets: method, path: str; http10, keep_alive, chunked, wants_continue: bool; size: int, bytes of the
    head; length: int, bytes of body announced, or None without Content-Length; authority: bytes, of a target in
    absolute-form, which stands for Host (RFC 9112 section 3.2.2), or None; session_id, protocol_version: bytes, MCP's
    header fields, or None; route: what `known` says, or None. A guard sets principal: bytes, and cors: bytes, header
    lines for the answer.

    names: `Names` of the server.  known: dict of request lines (bytes) -> what `request_line` makes of them, and the
    route: they need no parsing.
    """

    def __init__(self, names, known):
        self.fields = Fields(names)
        self._known = known
        self.method = self.path = ""
        self.http10 = self.chunked = self.wants_continue = self.keep_alive = False
        self.length = self.authority = self.session_id = self.protocol_version = self.route = None
        self.principal = self.cors = b""

    def parse(self, buf, end):
        """Parse the head in buf[:end], which ends with the empty line.

        Raises HTTPError: 400, 417, 501 or 505, with `close` where the framing is unsure.
        """
        self.method = ""
        self.cors = b""
        self.size = end
        line_end = buf.find(b"\r\n")
        line = bytes(buf[:line_end])
        found = self._known.get(line) or request_line(line) + (None,)
        self.method, self.path, self.http10, self.authority, self.route = found
        fields = self.fields
        fields.parse(buf, line_end + 2, end - 2)
        present = fields.present
        # RFC 9112 section 3.2: HTTP/1.1 needs exactly one Host; `Fields` refuses a second.
        if not present & _HOST and not self.http10:
            raise HTTPError(400, "no Host header", close=True)
        self.length = self._content_length() if present & _LENGTH else None
        self.session_id = fields.get(b"mcp-session-id") if present & _SESSION else None
        self.protocol_version = fields.get(b"mcp-protocol-version") if present & _PROTOCOL else None
        # RFC 9112 section 9.3; an HTTP/1.0 connection is always closed.
        self.keep_alive = not self.http10
        if (present ^ fields.usual) & _SPECIAL:
            self._special(present)
        else:
            self.chunked = self.wants_continue = False

    # What few requests have: chunks, an expectation, another Connection than keep-alive.
    def _special(self, present):
        self.chunked = bool(present & _CODING) and self._check_coding()
        self.wants_continue = bool(present & _EXPECT) and self._check_expectation()
        options = self.fields.get(b"connection")
        if options == b"close" or b"close" in tokens(options):
            self.keep_alive = False

    def _content_length(self):
        spans = self.fields.spans
        length = number(self.fields.buf, spans[_LENGTH_AT] | spans[_LENGTH_AT + 1] << 16)
        if length < 0:
            raise HTTPError(400, "malformed Content-Length", close=True)
        return length

    # RFC 9112 section 6: whatever could be read in two ways is refused.
    def _check_coding(self):
        if self.length is not None or self.http10:
            raise HTTPError(400, "conflicting message length", close=True)
        codings = tokens(self.fields.get(b"transfer-encoding"))
        if codings == [b"chunked"]:
            return True
        # RFC 9112 sections 6.1 and 6.3: chunked comes once and last.
        if not codings or b"chunked" in codings[:-1]:
            raise HTTPError(400, "malformed Transfer-Encoding", close=True)
        raise HTTPError(501, "only the chunked transfer coding is served", close=True)

    # RFC 9110 section 10.1.1: an HTTP/1.0 client's expectation is ignored.
    def _check_expectation(self):
        if not self.http10 and self.fields.get(b"expect").lower() != b"100-continue":
            raise HTTPError(417, "unknown expectation", close=True)
        return not self.http10


def request_line(line):
    """(method, path, http10, authority) of a request line (RFC 9112 section 3): one space between its three parts."""
    parts = line.split(b" ")
    if len(parts) != 3 or not _is_token(parts[0]):
        raise HTTPError(400, "malformed request line", close=True)
    method, target, version = parts
    # RFC 9110 section 2.5: a higher minor version is read as HTTP/1.1.
    digits = version[5:].split(b".") if version.startswith(b"HTTP/") else ()
    sound = len(version) == 8 and len(digits) == 2 and digits[0].isdigit() and digits[1].isdigit()
    if not sound or digits[0] != b"1":
        raise HTTPError(505 if sound else 400, "only HTTP/1.1 and HTTP/1.0 are served", close=True)
    path, authority = _target(method, target)
    return method.decode(), path, version == b"HTTP/1.0", authority


# RFC 9112 section 3.2: origin-form, absolute-form, or `*` for OPTIONS. The query is ignored.
def _target(method, target):
    authority = None
    if any(c <= 32 or c > 126 for c in target):
        raise HTTPError(400, "malformed request target", close=True)
    if target[:7].lower() == b"http://":
        slash = target.find(b"/", 7)
        authority = target[7:slash] if slash > 0 else target[7:]
        target = target[slash:] if slash > 0 else b"/"
        # RFC 9110 section 4.2.1: an http URI has a host.
        if not authority:
            raise HTTPError(400, "malformed request target", close=True)
    elif not target.startswith(b"/") and not (target == b"*" and method == b"OPTIONS"):
        raise HTTPError(400, "malformed request target", close=True)
    path, _, query = target.partition(b"?")
    # RFC 6750 section 5.3: a token in a URL ends up in logs.
    if b"token=" in query.lower():
        raise HTTPError(400, "a token belongs in the Authorization header, never in the URL", close=True)
    return path.decode(), authority


_TOKEN = b"!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _is_token(name):
    return 0 < len(name) <= 32 and all(c in _TOKEN for c in name)
