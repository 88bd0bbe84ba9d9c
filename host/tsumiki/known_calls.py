"""Answers that a stub has given before: who loads a server asks it the same again and again, but for the id.

An answer is kept where it can be no other the next time: the same message but for its id, the same header fields that
the server looks at, the same version. The session is looked up, and so kept alive, on every request; the token was
compared before.
"""

import re

from umcp.errors import RemoteError
from umcp.session import Session

_ID = re.compile(rb'"id":\s*(\d{1,15})(?=[,}\s])')
_MOST = 256
_LARGE = 65536  # bytes of an answer that is not kept


class KnownCalls:
    """server: `stub.server.StubServer`."""

    def __init__(self, server):
        self._server = server
        self._known = {}

    def find(self, raw, peer, now_ms):
        """(the answer as bytes, what it was answered with: see `Fixture.origin`), or None."""
        found = _ID.search(raw)
        entry = self._known.get(_key(raw, found, peer)) if found else None
        if entry is None:
            return None
        version, rest, origin = entry
        if version is not None and self._version(peer, now_ms) != version:
            return None
        return b'{"jsonrpc":"2.0","id":' + found.group(1) + rest, origin

    def learn(self, raw, peer, reply, now_ms, origin):
        """Keep a reply of `Server.handle` to the message it has just read, if it is one that comes again."""
        status, body, session_id = reply
        found = _ID.search(raw)
        # The only "id" in it is the message's own.
        if (
            found is None
            or raw.count(b'"id"') != 1
            or b"\\" in raw
            or self._server.message.method == b"initialize"
        ):
            return
        if status != 200 or session_id or type(body) is not tuple or body[1] != found.group(1):
            return
        rest = b"".join(body[2:])
        if len(rest) + len(raw) > _LARGE:
            return
        if len(self._known) >= _MOST:
            self._known.clear()
        version = self._version(peer, now_ms) if body[-1] == Session.tail else None
        self._known[_key(raw, found, peer)] = version, rest, origin

    # Of the session of an older era; None if there is none, and the server is to say so.
    def _version(self, peer, now_ms):
        server = self._server
        store = server.sessions if peer.sessions is None else peer.sessions
        version = peer.protocol_version
        try:
            return store.find(peer.session_id, version and version.decode(), peer.principal, now_ms).version
        except (RemoteError, KeyError):
            return None


def _key(raw, found, peer):
    start, end = found.span(1)
    return raw[:start], raw[end:], peer.protocol_version, peer.mcp_method, peer.mcp_name, peer.headed
