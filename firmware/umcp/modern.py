"""The modern era (MCP 2026-07-28): no sessions; each request says its version and its client's capabilities.

`session_of` makes the checks of the transports page in their order; HTTP's header fields must say what the body says.
"""

from .codec import dumps
from .errors import INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, RemoteError
from .meta import CAPABILITIES, LOG_LEVEL, PROGRESS_TOKEN, VERSION, Meta
from .rpc import META, NAME, NOTIFICATION, REQUEST, URI
from .version import MODERN

try:
    from micropython import const
except ImportError:
    const = int

_HEADER_MISMATCH = const(-32020)
_UNSUPPORTED_VERSION = const(-32022)

# How long a client may keep a list, in milliseconds: they change rarely, and then there is a notification.
_TTL_MS = const(60000)

_HEADER = MODERN.encode()

# Whose name the field Mcp-Name repeats.
_NAMED = {b"tools/call": NAME, b"prompts/get": NAME, b"resources/read": URI}
_LISTEN = b"subscriptions/listen"

_MAX_SOUND = const(512)  # bytes of a _meta that is remembered


class Modern:
    """What stands for a session in the modern era: one for all requests, for it knows nothing of any.

    server: `umcp.server.Server`.  method: that of the request at hand.  tail: bytes, the end of a complete result;
    tails: dict of method (bytes) -> the end of those that clients may keep; tail_asked: of one that asks the client.
    """

    modern = True
    version = MODERN

    def __init__(self, server):
        self._server = server
        self._meta = Meta()
        self.method = None
        self._own = {b"server/discover": self._discover, _LISTEN: self._listen}
        self._sound = b""
        self._called = {}
        # Every result should tell who answers (basic: _meta).
        identity = b'"_meta":{"io.modelcontextprotocol/serverInfo":%s}}}' % dumps(server.identity)
        self.tail = b',"resultType":"complete",' + identity
        self.tail_asked = b',"resultType":"input_required",' + identity
        # What may be kept, and how long; what is read may change at any time.
        kept = b',"ttlMs":%d,"cacheScope":"private"'
        self.tails = {b"resources/read": kept % 0 + self.tail}
        for name in (
            b"server/discover",
            b"tools/list",
            b"prompts/list",
            b"resources/list",
            b"resources/templates/list",
        ):
            self.tails[name] = kept % _TTL_MS + self.tail
        # Its result has a _meta of its own.
        self.tails[_LISTEN] = b',"resultType":"complete"}}'

    def session_of(self, message, kind, peer):
        """This object if the message is of the modern era, None if it is an older one.

        Raises RemoteError: status 400, and 404 for a method that is not there.
        """
        spans = message.spans
        buf = message.buf
        start = spans[META]
        end = spans[META + 1]
        name = message.method
        # A client sends the same _meta again and again: what was found sound needs no second look.
        if (
            spans[META + 2] == 5
            and end - start == len(self._sound)
            and buf.find(self._sound, start, end) == start
            and kind == REQUEST
            and peer.mcp_method == name
            and peer.protocol_version == _HEADER
        ):
            method = self._called.get(name)
            if method is not None:
                place = _NAMED.get(name)
                given = peer.mcp_name
                # In place, where it is written without an escape.
                if place is None or (
                    given is not None
                    and spans[place + 2] == 1
                    and spans[place + 1] - spans[place] - 2 == len(given)
                    and buf.find(given, spans[place] + 1, spans[place + 1] - 1) >= 0
                ):
                    self.method = method
                    return self
        return self._checked(message, kind, peer, buf[start:end])

    # As above, the long way; raw: bytes of the _meta.
    def _checked(self, message, kind, peer, raw):
        meta = self._meta
        claimed = peer.protocol_version
        found = message.spans[META + 2] == 5
        if found:
            meta.read(raw, 0, len(raw))
            found = meta.kind(VERSION)
        if kind != REQUEST:
            return self._other(kind, found, claimed)
        if not found:
            if claimed != _HEADER:
                return None
            raise _refused(INVALID_PARAMS, "params._meta must have io.modelcontextprotocol/protocolVersion")
        if meta.raw(VERSION)[1:-1] != _HEADER or (peer.headed and claimed != _HEADER):
            self._check_version(peer)
        if meta.kind(CAPABILITIES) != 5:
            raise _refused(
                INVALID_PARAMS, "params._meta must have io.modelcontextprotocol/clientCapabilities, an object"
            )
        name = message.method
        if peer.headed and peer.mcp_method != name:
            raise _refused(_HEADER_MISMATCH, "Mcp-Method must be the method of the body")
        self.method = self._find(name, peer)
        if peer.headed and name in _NAMED:
            _check_name(peer.mcp_name, message.text(_NAMED[name]))
        if meta.kind(LOG_LEVEL):
            from .levels import check  # late (RAM): few clients want logs

            check(meta.value(LOG_LEVEL), 400)
        if meta.kind(PROGRESS_TOKEN) not in (0, 1, 2, 3):
            raise RemoteError(INVALID_PARAMS, "progressToken must be a string or an integer")
        if len(raw) <= _MAX_SOUND:
            self._sound = bytes(raw)
        if name != _LISTEN:
            self._called[name] = self.method
        return self

    def _find(self, name, peer):
        found = self._server.methods.get(name) or self._own.get(name)
        # Nobody listens where no change is told.
        silent = name == _LISTEN and peer.headed and not self._server.streams
        # What this version has no more.
        removed = (b"ping", b"logging/setLevel", b"resources/subscribe", b"resources/unsubscribe")
        if found is None or name in removed or silent:
            raise RemoteError(METHOD_NOT_FOUND, "Method not found", status=404)
        return found

    # A notification is taken whatever it says; there are no responses and no batches.
    def _other(self, kind, found, claimed):
        if not found and claimed != _HEADER:
            return None
        if kind != NOTIFICATION:
            raise _refused(INVALID_REQUEST, "Invalid Request: only requests and notifications in " + MODERN)
        return self

    def _check_version(self, peer):
        version = self._meta.value(VERSION)
        if type(version) is not str:
            raise _refused(INVALID_PARAMS, "io.modelcontextprotocol/protocolVersion must be a string")
        if peer.headed and peer.protocol_version != version.encode():
            raise _refused(_HEADER_MISMATCH, "MCP-Protocol-Version must be the version in params._meta")
        if version != MODERN:
            data = {"supported": [MODERN], "requested": version}
            raise _refused(_UNSUPPORTED_VERSION, "Unsupported protocol version", data)

    def _discover(self, message, session, peer):
        server = self._server
        members = b'"supportedVersions":["%s"],"capabilities":%s' % (
            _HEADER,
            dumps(server.capabilities(server.streams > 0 or not peer.headed)),
        )
        if server.instructions:
            members += b',"instructions":' + dumps(server.instructions)
        return members

    def _listen(self, message, session, peer):
        return self._server.use("subscriptions").listen(message, peer)


# The value is as in the body, or in the sentinel form (transports: header value encoding).
def _check_name(given, wanted):
    if given is not None and given != wanted and given.startswith(b"=?base64?"):
        from .sentinel import decode  # late (RAM): most names are plain

        try:
            given = decode(given)
        except ValueError:
            given = None
    # A request without a name is refused for that, by its method.
    if wanted is not None and given != wanted:
        raise _refused(_HEADER_MISMATCH, "Mcp-Name must be the name or uri of the body")


def _refused(code, message, data=None):
    return RemoteError(code, message, data, 400)
