"""One HTTP request of a client, and what its reply means (MCP 2025-11-25, transports: sending messages).

A driver sends `http_method`, `headers` and `body`, then tells what comes back: `head`, `feed`, `eof`. Nothing
here raises for the peer's faults: the outcome is kept, and the flow that made the exchange asks for it.
"""

from array import array

from . import codec
from .client_errors import (
    AuthError,
    Busy,
    Disconnected,
    HttpError,
    IdMismatch,
    InvalidResponse,
    Malformed,
    NoMatch,
    RpcError,
    TooLarge,
    WrongContentType,
)
from .errors import RemoteError

try:
    from micropython import const
except ImportError:
    const = int

_IGNORE = const(0)
_JSON = const(1)
_STREAM = const(2)

_MAX_VALUES = const(16384)  # of a JSON document; MAX_BODY of the reader bounds its bytes
_MAX_TEXT = const(512)  # of a peer's message in an error of ours
_MAX_ID = const(1024)  # of an event
_BAD_GATEWAY = const(502)
_MAX_ASKED = const(32)  # requests of the server before its answer

_JSON_TYPE = b"application/json"

# The members of a response, as `scan` wants them, and their places: start, end, kind (1 string, 3 integer, 0 absent).
_TABLE = b"\xff\x07jsonrpc\x02id\x06result\x05error\0\0"
_SPANS = array("H", bytes(24))
_MAX_END = const(65535)  # what a place can tell

_DONE = b"[DONE]"  # ends the stream of some servers; no MCP message


class Exchange:
    """http_method: str.  headers: dict of str, the same object for as long as nothing in it changes.  body: bytes.

    id: int, of the response to wait for, or None for a notification or DELETE.
    idempotent: bool, may be sent again if the connection broke before anything came back.
    done: bool, nothing more is wanted from the reply.  error: exception or None.  status: int, 0 before the head.
    streams: bool, the body is an event stream, without a bound.
    wants_session: bool, keep Mcp-Session-Id in session_id (bytes or None).
    fields: bytes, more lines of the head, each with its end.
    plain: bool, nothing but the following is asked of the driver if it is False: to wait `wait_ms` before; to give up
    early and tell `lost` if it `probes`; to await `work()` instead of any of this, where http_method is None.
    keeps: bool, an error of the connection is for the flow.
    last_id, retry_ms: of a stream that ended before the answer, and can be resumed: bytes, int or None.
    """

    http_method = "POST"
    idempotent = False
    status = 0
    done = False
    error = None
    streams = False
    wants_session = False
    session_id = None
    fields = b""
    plain = True
    wait_ms = 0
    probes = False
    keeps = False
    last_id = b""
    retry_ms = None
    _asked = 0
    _mode = _JSON
    _held = None  # what has come of a document; when all is done, the result
    _parser = None

    def __init__(self, session, http_method, body, id=None, what="", idempotent=False):
        self._session = session
        if http_method != "POST":  # every attribute of an instance costs heap and time
            self.http_method = http_method
        self.headers = session.headers
        self.body = body
        self.id = id
        if id is None:
            self._mode = _IGNORE
        self.what = what
        if idempotent:
            self.idempotent = True

    def outcome(self):
        """The JSON-RPC result (None for a notification), or raises the error that the reply meant."""
        if self.error is not None:
            raise self.error
        return self._held

    def head(self, status, reason, headers):
        """headers: `get(name)` takes a lower-case name and returns bytes or None (a dict will do)."""
        self.status = status
        if not 200 <= status < 300:
            self.error = self._refusal(status, reason, headers)
            self._mode = _JSON if _media_type(headers) == _JSON_TYPE else _IGNORE
        elif self.id is not None:
            self._success(status, headers)

    def feed(self, data):
        """Take body bytes.  Returns a list: bodies to POST (bytes), and messages of the server for `deal` (dict)."""
        if self._mode == _STREAM:
            return self._events(data)
        if self._mode == _JSON:
            self._collect(data)
        return ()

    def eof(self):
        """The reply is whole."""
        if self.done:
            return
        self.done = True
        if self.error is not None:
            self._explain()
        elif self._mode == _JSON:
            self._single()
        elif self._mode == _STREAM:
            self.error = self._garbled or NoMatch()
            self._keep_place()

    def cut(self):
        """The connection ended inside the reply. True if the document was whole: then its length was wrong."""
        if self._mode == _JSON and self._held:
            try:
                codec.loads(self._held, values=_MAX_VALUES)
                return True
            except RemoteError:
                pass
        return False

    def lost(self, error):
        """The connection failed, with this ClientError. True if that is for the flow to judge, not for the driver."""
        if self.done or not (self.keeps or self._keep_place()):
            return False
        self._fail(error)
        return True

    # Resumption is of 2025-03-26 to 2025-11-25. An id that cannot stand in a header is none.
    def _keep_place(self):
        if self._mode == _STREAM and not self._session.modern:
            id = self._parser.last_id
            if len(id) <= _MAX_ID and all([32 <= c <= 126 for c in id]):
                self.last_id = id
                self.retry_ms = self._parser.retry_ms
        return self.last_id

    def _fail(self, error):
        self.error = error
        self.done = True

    def _success(self, status, headers):
        if self.wants_session:
            self.session_id = headers.get(b"mcp-session-id")
        kind = _media_type(headers)
        if status in (202, 204):
            self._fail(Malformed("Malformed response: no answer to a request (status %d)" % status))
        elif kind == b"text/event-stream":
            self._mode = _STREAM
            self._garbled = None
            self._parser = self._session.parser()
            self.streams = True
        elif not kind and headers.get(b"content-length") == b"0":
            self._fail(Malformed("Malformed response: empty"))
        elif kind != _JSON_TYPE:
            self._fail(WrongContentType(self._session.clean(_text(kind))))

    def _refusal(self, status, reason, headers):
        reason = self._session.clean(reason)
        if status in (401, 403):
            return AuthError(status, reason)
        if status in (429, 503):
            return Busy(status, reason, _seconds(headers.get(b"retry-after")))
        if 300 <= status < 400:
            return HttpError(status, reason, self._session.redirect(headers.get(b"location")))
        return HttpError(status, reason)

    # A refusal may carry a JSON-RPC error; whatever else its body is does not matter.
    def _explain(self):
        try:
            message = codec.loads(self._held, values=_MAX_VALUES) if self._held else None
        except RemoteError:
            return
        if not isinstance(message, dict) or not isinstance(message.get("error"), dict):
            return
        # Of a gateway, as `tsumiki proxy`: the server behind it has gone.
        if self.status == _BAD_GATEWAY and self.id is not None and self._is_mine(message):
            said = message["error"].get("message")
            self.error = Disconnected(self._session.clean(said if isinstance(said, str) else "a bad gateway"))
        # 2026-07-28 gives many errors a status, which says less than they do.
        elif (
            self.id is not None
            and self._session.modern
            and type(self.error) is HttpError
            and self._is_mine(message)
        ):
            self._settle(message)
        else:
            self.error.error = message["error"]

    def _collect(self, data):
        if not self._held:
            self._held = data
            return
        if isinstance(self._held, bytes):
            self._held = bytearray(self._held)
        self._held.extend(data)

    def _single(self):
        if not self._held:
            return self._fail(Malformed("Malformed response: empty"))
        result = _plain_result(self._held, self.id)
        if result is not None:
            self._held = result
            self.done = True
            return None
        try:
            message = codec.loads(self._held, values=_MAX_VALUES)
        except RemoteError as e:
            return self._fail(_bad_json(e))
        self._held = None
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            self._fail(InvalidResponse())
        elif not self._is_mine(message):
            self._fail(IdMismatch())
        else:
            self._settle(message)

    # JSON-RPC 2.0 section 5: the same value and type ("1" and true are not 1).
    def _is_mine(self, message):
        seen = message.get("id")
        return type(seen) is int and seen == self.id

    def _settle(self, message):
        self.done = True
        error = message.get("error")
        if ("result" in message) == ("error" in message) or message.get("jsonrpc") != "2.0":
            self.error = InvalidResponse()
        elif "result" in message:
            self._held = message["result"]
        elif not _is_error(error):
            self.error = InvalidResponse()
        else:
            text = self._session.clean(error["message"])
            self.error = RpcError(self.what, error["code"], text, error.get("data"))

    def _events(self, data):
        replies = []
        if self.done:
            return replies
        for event, document in self._parser.feed(data):
            if event == b"message":
                self._message(document, replies)
            if self.done:
                break
        return replies

    def _message(self, document, replies):
        if document == _DONE:
            return self.eof()
        try:
            message = codec.loads(document, values=_MAX_VALUES)
        except RemoteError as e:
            # Some servers keep the line warm with words of their own: this counts only if no answer follows.
            self._garbled = _bad_json(e)
            return
        if not isinstance(message, dict):
            self._garbled = InvalidResponse()
        elif "method" in message:
            reply = self._asks(message)
            if reply:
                replies.append(reply)
                self._asked += "id" in message and self.id >= 0
                if self._asked > _MAX_ASKED:
                    self._fail(TooLarge("Malformed response: more than %d requests" % _MAX_ASKED))
        elif self._is_mine(message):
            self._settle(message)

    def _asks(self, message):
        return self._session.answer(message)


class Work:
    """In place of an exchange: something to wait for that is not the server.  make: makes what is to be awaited."""

    http_method = None
    plain = False
    idempotent = True
    error = None
    result = None

    def __init__(self, make):
        self._make = make

    async def work(self):
        self.result = await self._make()


# The result of a plain response to that id, without building the envelope around it; None for anything else.
def _plain_result(body, id):
    size = len(body)
    spans = _SPANS
    if size > _MAX_END or codec.scan(body, 0, size, codec.MAX_DEPTH | _MAX_VALUES << 8, _TABLE, spans):
        return None
    if spans[2] != 1 or body[spans[0] : spans[1]] != b'"2.0"' or not spans[8] or spans[11]:
        return None
    # An integer, to the letter.
    if spans[5] != 3 or body[spans[3] : spans[4]] != b"%d" % id:
        return None
    return codec.parse(body, spans[6], spans[7])


def _is_error(error):
    return (
        isinstance(error, dict) and type(error.get("code")) is int and isinstance(error.get("message"), str)
    )


def _bad_json(error):
    if error.code == -32700:
        return Malformed("Malformed response: not JSON")
    return TooLarge("Malformed response: nested too deep, or too many values")


def _media_type(headers):
    value = headers.get(b"content-type")
    if value == _JSON_TYPE:
        return value
    return value.split(b";")[0].strip().lower() if value else b""


def _text(raw):
    return "".join([chr(c) if 32 <= c < 127 else "?" for c in raw[:_MAX_TEXT]])


# RFC 9110 section 10.2.3: seconds; a date would need a clock that is set, so it is "later, no telling when".
def _seconds(value):
    return int(value) if value and value.isdigit() and len(value) < 9 else None
