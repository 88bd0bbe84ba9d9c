"""A recorded answer for a client of the other era (2026-07-28 against what came before; basic: results, caching)."""

from umcp.version import LEGACY, MODERN

from .pipeline import dumped, parsed
from .replay_match import LISTS

META_IDENTITY = "io.modelcontextprotocol/serverInfo"
# Of the results that a client may keep.
_KEPT = (*LISTS, "server/discover", "resources/read")
_MODERN_ONLY = ("resultType", "ttlMs", "cacheScope")
_INVALID_PARAMS = -32602
_METHOD_NOT_FOUND = -32601
_INTERNAL = -32603
# Codes that may not be sent any more -> what stands for them.
_GONE = {-32002: _INVALID_PARAMS, -32042: _INTERNAL}
_BAD_REQUEST = (-32020, -32021, -32022)
_FEATURES = ("tools", "resources", "prompts")


def adapted(message, method, era, identity):
    """A response (dict) as a client of `era` expects it; None if there is no such thing.  identity: dict or None."""
    if "error" in message:
        return _error(message, era)
    result = message.get("result")
    if not isinstance(result, dict):
        return message
    if era == "modern":
        return dict(message, result=modern_result(result, method, identity))
    if result.get("resultType", "complete") != "complete":
        return None  # what asks the client in its result
    result = {name: value for name, value in result.items() if name not in _MODERN_ONLY}
    return dict(message, result=result)


def modern_result(result, method, identity):
    """The result with what 2026-07-28 requires of it."""
    result = dict(result)
    result.setdefault("resultType", "complete")
    if method in _KEPT and result["resultType"] == "complete":
        result.setdefault("ttlMs", 0)
        result.setdefault("cacheScope", "private")
    if identity and isinstance(result.get("_meta", {}), dict):
        result["_meta"] = dict({META_IDENTITY: identity}, **result.get("_meta", {}))
    return result


def modern_status(raw):
    """The HTTP status of a modern answer.  raw: bytes (transports: error codes and status)."""
    if b'"error"' not in raw:
        return 200
    error = (parsed(raw) or {}).get("error")
    code = error.get("code") if isinstance(error, dict) else None
    if code == _METHOD_NOT_FOUND:
        return 404
    return 400 if code in _BAD_REQUEST else 200


def _error(message, era):
    error = message["error"]
    if era == "modern" and isinstance(error, dict) and error.get("code") in _GONE:
        return dict(message, error=dict(error, code=_GONE[error["code"]]))
    return message


class Handshake:
    """The opening of a session that was not recorded, out of one that was.

    takes: of a tape.  name: str, of the server, where no take tells.
    """

    def __init__(self, takes, name):
        self.identity = None
        self._capabilities = None
        self._instructions = None
        for take in takes:
            self._learn(take)
        self._named = self.identity or {"name": name, "version": "0"}
        if self._capabilities is None:
            asked = {take.method.split("/")[0] for take in takes}
            self._capabilities = {feature: {} for feature in _FEATURES if feature in asked}

    def _learn(self, take):
        if self.identity is not None and take.method not in ("initialize", "server/discover"):
            return
        result = (take.answer_message() or {}).get("result")
        if not isinstance(result, dict):
            return
        meta = result.get("_meta")
        found = meta.get(META_IDENTITY) if isinstance(meta, dict) else None
        if take.method == "initialize":
            found = result.get("serverInfo")
        if isinstance(found, dict):
            self.identity = found
        if take.method in ("initialize", "server/discover") and self._capabilities is None:
            capabilities = result.get("capabilities")
            self._capabilities = capabilities if isinstance(capabilities, dict) else {}
            self._instructions = result.get("instructions")

    def answer(self, id, method, params):
        """The answer to a handshake of the method: bytes, or None for another method."""
        result = None
        if method == "ping":
            result = {}
        elif method == "initialize":
            asked = params.get("protocolVersion")
            result = {"protocolVersion": asked if asked in LEGACY else LEGACY[-1]}
            result.update(self._common(), serverInfo=self._named)
        elif method == "server/discover":
            result = modern_result(
                dict({"supportedVersions": [MODERN]}, **self._common()), method, self._named
            )
        return None if result is None else dumped({"jsonrpc": "2.0", "id": id, "result": result})

    def _common(self):
        found = {"capabilities": self._capabilities}
        if self._instructions:
            found["instructions"] = self._instructions
        return found
