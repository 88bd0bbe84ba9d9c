"""Legacy sessions (2025-03-26 to 2025-11-25, transports: session management) in three settings.

`Sealed` carries the session in its id, under an HMAC: no memory, and it survives a reboot.
`Ram` holds random ids in a bounded table: they expire, and a restart forgets them.
`Off` issues no id: what a request speaks is what its version header says.

Ids are bytes. Each has `open(version, capabilities, principal, now_ms)` -> id or None, `close(id, principal, now_ms)`,
and `find(id, version, principal, now_ms)` -> Session. `principal` is bytes that stand for the credential: a session
opened under one is unknown under another.
"""

import hashlib
import os
from binascii import hexlify, unhexlify

from .errors import INVALID_REQUEST, RemoteError
from .version import ASSUMED, LEGACY

# What a client may declare, as the bits of a sealed id.
CAPABILITIES = ("roots", "sampling", "elicitation")

_MAC_BYTES = 16
_NONCE_BYTES = 8


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


# Milliseconds from `then_ms` to `now_ms`, which may be MicroPython ticks: they wrap at 2**30.
def _elapsed(now_ms, then_ms):
    return (now_ms - then_ms) & 0x3FFFFFFF


def _missing():
    return RemoteError(
        INVALID_REQUEST, "Bad Request: Mcp-Session-Id is required; send initialize first", status=400
    )


def _unknown():
    return RemoteError(INVALID_REQUEST, "Session not found; send initialize again", status=404)


class Off:
    """No sessions: nothing that must ask the client can be offered."""

    ids = False

    def __init__(self):
        self._sessions = {version: Session(version) for version in LEGACY}

    def open(self, version, capabilities, principal, now_ms):
        return None

    def find(self, id_, version, principal, now_ms):
        return self._sessions[version or ASSUMED]


class Ram:
    """At most `limit` sessions, each forgotten after `idle_ms` without use; a full table forgets the longest idle."""

    ids = True

    def __init__(self, limit=8, idle_ms=30 * 60 * 1000):
        self._limit = limit
        self._idle_ms = idle_ms
        self._sessions = {}

    def __len__(self):
        return len(self._sessions)

    def open(self, version, capabilities, principal, now_ms):
        while len(self._sessions) >= self._limit:
            oldest = max(self._sessions, key=lambda id_: _elapsed(now_ms, self._sessions[id_].used_ms))
            del self._sessions[oldest]
        id_ = hexlify(os.urandom(16))
        self._sessions[id_] = Session(version, capabilities, principal, now_ms)
        return id_

    def find(self, id_, version, principal, now_ms):
        if id_ is None:
            raise _missing()
        session = self._sessions.get(id_)
        if session is None or session.principal != principal:
            raise _unknown()
        if _elapsed(now_ms, session.used_ms) > self._idle_ms:
            del self._sessions[id_]
            raise _unknown()
        session.used_ms = now_ms
        return session

    def close(self, id_, principal, now_ms):
        self.find(id_, None, principal, now_ms)
        del self._sessions[id_]


class Sealed:
    """The id is hex of: version index, capability bits, nonce, and an HMAC-SHA256 of these and of the principal.

    key: bytes, at least 16, kept across reboots.  The last `remembered` ids that were verified are not verified
    again, and as many ids that were closed are remembered as closed (until a reboot: the price of no memory).
    """

    ids = True

    def __init__(self, key, remembered=8):
        self._key = key
        self._remembered = remembered
        self._verified = {}
        self._closed = []

    def open(self, version, capabilities, principal, now_ms):
        body = bytes((LEGACY.index(version), capabilities)) + os.urandom(_NONCE_BYTES)
        return hexlify(body + self._mac(body, principal))

    def find(self, id_, version, principal, now_ms):
        if id_ is None:
            raise _missing()
        session = self._verified.get(id_)
        if session is None or session.principal != principal:
            session = self._unseal(id_, principal)
            if len(self._verified) >= self._remembered:
                self._verified.clear()
            self._verified[id_] = session
        return session

    def close(self, id_, principal, now_ms):
        self.find(id_, None, principal, now_ms)
        del self._verified[id_]
        self._closed = self._closed[1 - self._remembered :] + [id_]

    def _unseal(self, id_, principal):
        try:
            raw = unhexlify(id_)
        except ValueError:
            raise _unknown()
        body = raw[: 2 + _NONCE_BYTES]
        sealed = len(raw) == 2 + _NONCE_BYTES + _MAC_BYTES and _same(
            self._mac(body, principal), raw[-_MAC_BYTES:]
        )
        # Hex has two cases: only the id as it was issued is one.
        if not sealed or hexlify(raw) != id_ or id_ in self._closed:
            raise _unknown()
        return Session(LEGACY[raw[0]], raw[1], principal)

    def _mac(self, body, principal):
        return hmac_sha256(self._key, body + principal)[:_MAC_BYTES]


# Equal hashes under a key that the peer does not know: how far the comparison ran tells nothing.
def _same(a, b):
    blind = os.urandom(16)
    return hashlib.sha256(blind + a).digest() == hashlib.sha256(blind + b).digest()


def hmac_sha256(key, message):
    """HMAC-SHA256 (RFC 2104) of bytes, in 32 bytes. Stock firmware has no `hmac` module."""
    if len(key) > 64:
        key = hashlib.sha256(key).digest()
    key = key + bytes(64 - len(key))
    inner = hashlib.sha256(bytes(b ^ 0x36 for b in key) + message).digest()
    return hashlib.sha256(bytes(b ^ 0x5C for b in key) + inner).digest()
