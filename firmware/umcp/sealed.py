"""Sessions that their ids carry: see `session.py`."""

import hashlib
import os
from binascii import hexlify, unhexlify

from .session import Session, lost
from .version import LEGACY

try:
    from micropython import const
except ImportError:
    const = int

_MAC_BYTES = const(16)
_NONCE_BYTES = const(8)


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
            raise lost(None)
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
        self._closed = (self._closed + [id_])[-self._remembered :]

    def _unseal(self, id_, principal):
        try:
            raw = unhexlify(id_)
        except ValueError:
            raise lost(id_)
        body = raw[: 2 + _NONCE_BYTES]
        sealed = len(raw) == 2 + _NONCE_BYTES + _MAC_BYTES and same(
            self._mac(body, principal), raw[-_MAC_BYTES:]
        )
        # Hex has two cases: only the id as it was issued is one.
        if not sealed or hexlify(raw) != id_ or id_ in self._closed:
            raise lost(id_)
        return Session(LEGACY[raw[0]], raw[1], principal)

    def _mac(self, body, principal):
        return hmac_sha256(self._key, body + principal)[:_MAC_BYTES]


def sealed(preferences, log=None):
    """A `Sealed` under the server's key: see `kept_key`."""
    return Sealed(kept_key(preferences, log))


def kept_key(preferences, log=None):
    """The key in the preference `mcp.session_key`, which is made when it is first needed: bytes.

    preferences: `get(key)` and `set(key, value)`, or an empty dict: then what it seals is lost with a restart. A key
    that is no hex, or shorter than 16 bytes, is replaced.  log: log(level, text), told of a key that cannot be kept.
    """
    try:
        key = unhexlify(preferences.get("mcp.session_key") or "")
    except ValueError:
        key = b""
    if len(key) < _MAC_BYTES:
        key = os.urandom(32)
        if preferences != {}:
            _keep(preferences, key, log)
    return key


def _keep(preferences, key, log):
    try:
        preferences.set("mcp.session_key", hexlify(key).decode())
    except (OSError, ValueError) as e:  # The file system is full, or the file.
        if log:
            log("error", "mcp.session_key cannot be kept, sessions end with a restart: %s" % e)


# Equal hashes under a key that the peer does not know: how far the comparison ran tells nothing.
def same(a, b):
    blind = os.urandom(16)
    return hashlib.sha256(blind + a).digest() == hashlib.sha256(blind + b).digest()


def hmac_sha256(key, message):
    """HMAC-SHA256 (RFC 2104) of bytes, in 32 bytes. Stock firmware has no `hmac` module."""
    if len(key) > 64:
        key = hashlib.sha256(key).digest()
    key = key + bytes(64 - len(key))
    inner = hashlib.sha256(bytes(b ^ 0x36 for b in key) + message).digest()
    return hashlib.sha256(bytes(b ^ 0x5C for b in key) + inner).digest()
