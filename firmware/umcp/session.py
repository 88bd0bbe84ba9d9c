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
    """version: str, negotiated.  capabilities: int, bits by CAPABILITIES.  used_ms: int, last use.

    modern: bool, not one at all: it stands for a request of 2026-07-28.  tail: bytes, the end of its responses.
    """

    modern = False
    tail = b"}}"

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
            if takes(declared, name):
                bits |= 1 << i
    return bits


def takes(declared, capability):
    """True if a client that declared `declared` (dict) can be asked for it.

    An elicitation is a form: {} means that too (2025-11-25, elicitation: capabilities).
    """
    value = declared.get(capability)
    return type(value) is dict and (
        capability != "elicitation" or not value or type(value.get("form")) is dict
    )


def owner(peer):
    """Whose session a request belongs to: a key for what the server remembers of it, or None without a session."""
    return peer.session_id if peer.sessions is None else peer.sessions


def lost(id_):
    """The RemoteError for a request without a session: status 400 without an id, 404 for one that is unknown."""
    if id_ is None:
        return RemoteError(
            INVALID_REQUEST, "Bad Request: Mcp-Session-Id is required; send initialize first", status=400
        )
    return RemoteError(INVALID_REQUEST, "Session not found; send initialize again", status=404)
