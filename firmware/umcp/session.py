"""Legacy sessions (2025-03-26 to 2025-11-25, transports: session management): what all three settings share.

`sealed.Sealed` carries the session in its id, under an HMAC: no memory, and it survives a reboot.
`ram.Ram` holds random ids in a bounded table: they expire, and a restart forgets them.
`off.Off` issues no id: what a request speaks is what its version header says.

Ids are bytes. Each has `open(version, capabilities, principal, now_ms)` -> id or None, `close(id, principal, now_ms)`,
and `find(id, version, principal, now_ms)` -> Session. `principal` is bytes that stand for the credential: a session
opened under one is unknown under another.
"""

from .errors import INVALID_REQUEST, RemoteError

# What a client may declare, as the bits of `Session.capabilities`.
CAPABILITIES = ("roots", "sampling", "elicitation")


class Session:
    """version: str, negotiated.  capabilities: int, bits by CAPABILITIES.  used_ms: int, last use."""

    def __init__(self, version, capabilities=0, principal=b"", used_ms=0):
        self.version = version
        self.capabilities = capabilities
        self.principal = principal
        self.used_ms = used_ms

    def can(self, capability):
        """True if the client declared `capability` (a name of CAPABILITIES)."""
        return bool(self.capabilities >> CAPABILITIES.index(capability) & 1)


def capability_bits(declared):
    """The bits of a client's `capabilities` object; whatever else it declares is ignored."""
    bits = 0
    if type(declared) is dict:
        for i, name in enumerate(CAPABILITIES):
            if type(declared.get(name)) is dict:
                bits |= 1 << i
    return bits


def lost(id_):
    """The RemoteError for a request without a session: status 400 without an id, 404 for one that is unknown."""
    if id_ is None:
        return RemoteError(
            INVALID_REQUEST, "Bad Request: Mcp-Session-Id is required; send initialize first", status=400
        )
    return RemoteError(INVALID_REQUEST, "Session not found; send initialize again", status=404)
