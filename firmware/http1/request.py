"""The head of an HTTP/1.1 request: request line and the fields a server needs, with RFC 9112's rules and limits.

One `Request` serves one connection for its whole life; `parse` fills it anew for each message.
"""

from .fields import Fields, Names

try:
    from .scan_viper import number
except (ImportError, SyntaxError, ValueError):  # as in fields.py
    from .scan import number

try:
    from micropython import const
except ImportError:
    const = int

MAX_HEAD = 4096  # bytes

_HOST = const(0)
_LENGTH = const(1)
_SESSION = const(9)
_PROTOCOL = const(10)
_METHOD = const(11)
_NAME = const(12)
_LAST_EVENT = const(13)
_ACCEPT = const(1 << 5)
_SPECIAL = const(1 << 2 | 1 << 3 | 1 << 8)  # Transfer-Encoding, Connection, Expect


def names(host=b""):
    """The `Names` of a server.  host: bytes, its usual Host, which it learns: so each server has its own.

    The modules that ask for a field know its slot, which is its place here.
    """
    fields = (  # as in `names.table`
        b"\x0econtent-length\0"
        b"\x11transfer-encoding\0"
        b"\x0aconnection\x0akeep-alive"
        b"\x0ccontent-type\x10application/json"
        b"\x06accept\x23application/json, text/event-stream"
        b"\x0dauthorization\0"
        b"\x06origin\0"
        b"\x06expect\0"
        b"\x0emcp-session-id\0"
        b"\x14mcp-protocol-version\0"
        b"\x0amcp-method\0"
        b"\x08mcp-name\0"
        b"\x0dlast-event-id\0"
        b"\0"
    )
    return Names(b"\x04host" + bytes((len(host),)) + host + fields)


class Request:
    """What `parse` sets: method, path: str; http10, keep_alive, chunked, wants_continue: bool; size: int, bytes of the
    head; length: int, bytes of body announced, or None without Content-Length; authority: bytes, of a target in
    absolute-form, which stands for Host (RFC 9112 section 3.2.2), or None; session_id, protocol_version, mcp_method,
    mcp_name, last_event_id: bytes, MCP's header fields, or None; route: what `known` says, or None. A guard sets
    principal: bytes, and cors: bytes, header lines for the answer.

    For a handler that waits: stops_with_peer: bool, it may set it, then its client's hang-up cancels it.  left: bool,
    True once the client has hung up, or the stream was closed. A connection adds `send`, `close_stream` and `allow`.

    headed: True, there are header fields.  sessions: None, the transport keeps none.

    names: `Names` of the server.  known: dict of request lines (bytes) -> what `target.parse` makes of them, and
    the route: they need no parsing.
    """

    headed = True
    sessions = None

    def __init__(self, names, known):
        self.fields = Fields(names)
        self.known = known
        self.left = self.stops_with_peer = False
        self.method = self.path = ""
        self.http10 = self.chunked = self.wants_continue = self.keep_alive = False
        self.length = self.authority = self.route = None
        self.session_id = self.protocol_version = self.mcp_method = self.mcp_name = self.last_event_id = None
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
        found = self.known.get(line)
        if not found:
            from .target import parse  # late (RAM): most clients send what is known

            found = parse(line)
        self.method, self.path, self.http10, self.authority, self.route = found
        fields = self.fields
        fields.parse(buf, line_end + 2, end - 2)
        present = fields.present
        length = number(buf, fields.span(_LENGTH)) if present & 1 << _LENGTH else None
        self.length = length
        self.session_id = fields.get(_SESSION) if present & 1 << _SESSION else None
        self.protocol_version = fields.get(_PROTOCOL) if present & 1 << _PROTOCOL else None
        self.mcp_method = fields.get(_METHOD) if present & 1 << _METHOD else None
        self.mcp_name = fields.get(_NAME) if present & 1 << _NAME else None
        self.last_event_id = fields.get(_LAST_EVENT) if present & 1 << _LAST_EVENT else None
        self.keep_alive = True
        self.chunked = self.wants_continue = self.stops_with_peer = False
        if not present & 1 << _HOST or self.http10 or length == -1 or (present ^ fields.usual) & _SPECIAL:
            from .framing import check  # late (RAM): few requests have anything of that

            check(self)

    def header(self, name):
        """The value of any field, the lines of a repeated one joined by commas: bytes, or None.

        name: bytes, in lower case. A handler asks before it returns.
        """
        from .lists import value  # late (RAM): what most handlers need has a slot

        return value(self.fields.buf, self.size, name)

    def can_stream(self):
        """True if the client takes an event stream for an answer."""
        fields = self.fields
        if not (fields.present ^ fields.usual) & _ACCEPT:
            return True
        from .content import takes_events  # late (RAM): most clients accept in the usual words

        return takes_events(self.header(b"accept"))
