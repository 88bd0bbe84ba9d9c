"""What a `Server` knows of the one who asks: what each transport tells with a request, and does for its answer."""


class Peer:
    """A peer without header fields, as on a line of its own (stdio, serial). `http1.request.Request` is one with them.

    headed: bool, there are header fields, and they are checked against the body.  session_id, protocol_version,
    mcp_method, mcp_name, last_event_id: bytes, header fields, or None.  principal: bytes, stand for the credential.
    sessions: the transport's own store of sessions (umcp.session), or None for the server's.
    stops_with_peer: bool, set by the server for a request that goes on later: True if it ends when its client is gone.
    left: bool, nothing reaches the client any more.
    """

    headed = False
    session_id = protocol_version = mcp_method = mcp_name = last_event_id = sessions = None
    principal = b""
    stops_with_peer = left = False

    def header(self, name):
        """The value of another header field (bytes) by its lower-case name (bytes), or None."""
        return None

    def can_stream(self):
        """True if messages can be sent before the answer."""
        return False

    async def send(self, raw, event_id=b"", retry_ms=None):
        """Send a message before the answer.  raw: bytes, one line of JSON. Never raises for a client that is gone.

        event_id: bytes, from which a client may resume; retry_ms: int, after which it should. b"" is no message: it
        tells only these.
        """

    async def close_stream(self):
        """End the reply, though its answer is not there yet: the client comes back for it (SSE resumption)."""

    def allow(self, ms):
        """The answer may take `ms` milliseconds from now on; None: any time."""
