"""Questions to a client of the modern era: round trips, the answers so far in a sealed `requestState`.

MCP 2026-07-28, multi round-trip requests: the state must hold against tampering, and what it is bound to is the
client's credential, the method, what is called with which arguments, and a time. So the server keeps nothing.
"""

import hashlib
from binascii import a2b_base64, b2a_base64

from .answers import fits
from .codec import dumps, loads
from .errors import INVALID_PARAMS, RemoteError, ToolError
from .sealed import hmac_sha256, same

try:
    from micropython import const
except ImportError:
    const = int

STATE_S = const(600)  # that a question may wait for its answer

_MAC_BYTES = const(16)
_MAX_STATE = const(4096)  # characters


class Rounds:
    """method: bytes, and params: dict, of a request.  principal: bytes.

    Raises RemoteError -32602 for a requestState that is not one of ours for just this request, or too old.
    """

    def __init__(self, server, method, principal, params):
        self._key = server.sealing_key()
        self._runtime = server.runtime
        what = _canonical([params.get("name"), params.get("uri"), params.get("arguments")])
        digest = hashlib.sha256(what).digest()
        self._binding = b"requestState\0" + method + b"\0" + hashlib.sha256(principal).digest() + digest
        self._known = {}
        if params.get("requestState") is not None:
            self._known = self._open(params["requestState"])
        given = params.get("inputResponses")
        self._given = given if type(given) is dict else {}

    def answers(self, questions):
        """A dict of key -> result for `questions`: dict of key -> (method, params).

        Raises InputRequired while one is missing, or does not fit.
        """
        missing = {}
        for key, (method, params) in questions.items():
            if key in self._known:
                continue
            answer = self._given.get(key)
            if fits(method, params, answer):
                self._known[key] = answer
            else:
                missing[key] = {"method": method, "params": params}
        if missing:
            members = b'"inputRequests":%s,"requestState":%s' % (dumps(missing), dumps(self._seal()))
            raise self._runtime.InputRequired(members)
        return {key: self._known[key] for key in questions}

    def _seal(self):
        payload = dumps([self._runtime.seconds() + STATE_S, self._known])
        state = _text(self._mac(payload) + payload)
        if len(state) > _MAX_STATE:
            raise ToolError("answers_too_large", "the answers so far are too long to be kept")
        return state

    def _open(self, state):
        raw = b""
        try:
            if type(state) is str and len(state) <= _MAX_STATE:
                raw = a2b_base64(state.encode())
        except (TypeError, ValueError):
            pass
        # Decoders pass over what they do not know.
        if _text(raw) != state:
            raw = b""
        payload = raw[_MAC_BYTES:]
        if not payload or not same(self._mac(payload), raw[:_MAC_BYTES]):
            raise RemoteError(INVALID_PARAMS, "requestState is not one for this request")
        until_s, known = loads(payload)
        # One from the future was made before the clock was set back.
        if not 0 <= until_s - self._runtime.seconds() <= STATE_S:
            raise RemoteError(INVALID_PARAMS, "requestState has expired; send the request without it")
        return known

    def _mac(self, payload):
        return hmac_sha256(self._key, self._binding + payload)[:_MAC_BYTES]


def _text(raw):
    return b2a_base64(raw).decode().strip()


# The value as JSON that does not depend on the order of members.
def _canonical(value):
    if type(value) is dict:
        members = [dumps(key) + b":" + _canonical(value[key]) for key in sorted(value)]
        return b"{" + b",".join(members) + b"}"
    if type(value) is list:
        return b"[" + b",".join([_canonical(item) for item in value]) + b"]"
    return dumps(value)
