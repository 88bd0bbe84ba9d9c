"""The client's side of 2026-07-28: every request says all there is to know, in `_meta` and in its headers.

A result may ask for input first; then the same is asked again with the answers (patterns: multi round-trip requests).
Nothing else is sent a second time by itself but what a server refused for its version or its headers.
"""

from . import codec
from .client_era import HEADER_MISMATCH, UNSUPPORTED_VERSION, chosen, code_of, meta
from .client_errors import HttpError, InvalidResponse, RpcError
from .exchange import Exchange
from .sentinel import encode

try:
    from micropython import const
except ImportError:
    const = int

MAX_ROUNDS = 10

_MAX_NAMES = const(64)  # tools whose headers are kept

# Where the name is that a request is about, for Mcp-Name. These are also the ones whose results may ask for input.
_NAMED = {b"tools/call": "name", b"prompts/get": "name", b"resources/read": "uri"}

# A refusal without a JSON-RPC error of ours: whoever answers is no modern server any more.
_STRANGE = (400, 404, 405, 406, 415)


class Modern:
    """The state of one session of the modern era: what its requests have in common."""

    def __init__(self, session):
        self._session = session
        self._fields = {}  # name of a tool to the lines of its head
        self._mirrored = {}  # name of a tool to the parameters that go into headers
        self.render()

    def render(self):
        """Write down what all requests say, after a change of it."""
        self._meta = meta(self._session)

    def checked_tools(self, tools):
        """The tools without those whose x-mcp-header does not hold (2026-07-28, transports: custom headers)."""
        self._mirrored = {}
        kept = []
        for tool in tools:
            found = _mirrored(tool)
            if found is None:
                continue
            if found:
                self._mirrored[tool["name"]] = found
            kept.append(tool)
        return kept

    def request(self, method, params, what, idempotent):
        """Flow: one request; returns the result (dict) when it is complete."""
        mended = False
        rounds = 0
        while True:
            exchange = self._exchange(method, params, what, idempotent)
            yield exchange
            if exchange.error is not None:
                if mended or not (yield from self._mended(method, exchange)):
                    raise exchange.error
                mended = True
                continue
            result = exchange.outcome()
            if not isinstance(result, dict):
                raise InvalidResponse("Invalid JSON-RPC response: result")
            kind = result.get("resultType", "complete")
            if kind == "complete":
                return result
            if kind != "input_required" or method not in _NAMED:
                raise InvalidResponse("Invalid JSON-RPC response: resultType")
            from .client_rounds import answered  # late (RAM): few tools ask back

            rounds += 1
            params = yield from answered(self._session, params, result, rounds > MAX_ROUNDS)

    def _exchange(self, method, params, what, idempotent):
        session = self._session
        id = session.next_id()
        more = b""
        if method in _NAMED and "notifications/progress" in session.handled:
            more = b',"progressToken":%d' % id
            session.token = id
        start = b'{"jsonrpc":"2.0","id":%d,"method":"' % id
        inner = codec.dumps(params)[:-1] if params else b"{"
        mark = b',"_meta":' if params else b'"_meta":'
        body = b"".join((start, method, b'","params":', inner, mark, self._meta, more, b"}}}"))
        exchange = Exchange(session, "POST", body, id, what, idempotent)
        exchange.fields = self._head(method, params)
        return exchange

    # The lines of the head that tell what the request is about.
    def _head(self, method, params):
        if method != b"tools/call":
            name = params[_NAMED[method]] if method in _NAMED else None
            return _lines(method, name)
        name = params["name"]
        lines = self._fields.get(name)
        if lines is None:
            if len(self._fields) >= _MAX_NAMES:
                self._fields = {}
            lines = self._fields[name] = _lines(method, name)
        if name in self._mirrored:
            from .client_params import lines_of

            return lines + lines_of(self._mirrored[name], params["arguments"])
        return lines

    # True if the request may be sent once more: the server has refused it, and has said how it wants it.
    def _mended(self, method, exchange):
        error = exchange.error
        code = code_of(error)
        if code == HEADER_MISMATCH and method == b"tools/call":
            tools = yield from self._session.listing(b"tools/list", "tools", "List tools failed")
            self.checked_tools(tools)
            return True
        if code == UNSUPPORTED_VERSION:
            if (
                chosen(self._session, {"data": error.data} if isinstance(error, RpcError) else error.error)
                == "modern"
            ):
                return True
            self._doubt()
        elif type(error) is HttpError and exchange.status in _STRANGE:
            self._doubt()
        return False

    # The next request asks for the era again.
    def _doubt(self):
        self._session.stale = True
        self._session.era = self._session.only


def _lines(method, name):
    lines = b"Mcp-Method: %s\r\n" % method
    return lines if name is None else lines + b"Mcp-Name: %s\r\n" % encode(name).encode()


# The parameters of a tool that go into headers, () if there are none, or None for a tool that is not to be used.
def _mirrored(tool):
    schema = tool.get("inputSchema")
    if b"x-mcp-header" not in codec.dumps(schema):
        return ()
    from .client_params import mirrored  # late (RAM): few tools have any

    return mirrored(schema)
