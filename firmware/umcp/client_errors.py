"""What a call of the client raises: one class an outcome, `ClientError` for all of them.

A tool's refusal is not among them: it is `ToolFailed`, a `ToolError`, so that a robot's own tool that uses
another server's tool passes the refusal on by doing nothing. The quoted texts are those of the Stack-chan
original. No text holds the token, and none holds more of the peer's words than an error message or a reason.
"""

from .errors import ToolError


class ClientError(Exception):
    """Base of what follows.  text: str, of an error that always says the same."""

    text = ""

    def __init__(self, text=None):
        super().__init__(self.text if text is None else text)


class ConfigError(ClientError):
    """The client cannot be built, or must not connect, as asked: a bad URL, a bad token, https without a CA."""


class AlreadyInitialized(ClientError):
    text = "Client is already initialized"


class NotInitialized(ClientError):
    text = "Client not initialized. Call initialize() first."


class RequestTimeout(ClientError):
    """The call took longer than timeout_ms (int)."""

    def __init__(self, timeout_ms):
        super().__init__("Request timed out after %d ms" % timeout_ms)
        self.timeout_ms = timeout_ms


class Disconnected(ClientError):
    """No connection, or it ended before the reply did.  errno: int or None."""

    def __init__(self, what, errno=None):
        super().__init__("Disconnected: %s%s" % (what, "" if errno is None else " (errno %d)" % errno))
        self.errno = errno


class TLSError(ClientError):
    """The server's certificate does not hold, or the handshake failed."""


class HttpError(ClientError):
    """The status says no.  status: int.  reason: str.  error: the JSON-RPC error object (dict) of the body, or None."""

    def __init__(self, status, reason, note=""):
        super().__init__(("HTTP error: %d %s" % (status, reason)).rstrip() + note)
        self.status = status
        self.reason = reason
        self.error = None


class AuthError(HttpError):
    """401 or 403: the token is missing, wrong, or not enough. Never tried again by itself."""


class Busy(HttpError):
    """429 or 503.  retry_after: int, seconds, or None if the server gave none, or a date."""

    def __init__(self, status, reason, retry_after):
        super().__init__(status, reason)
        self.retry_after = retry_after


class SessionLost(ClientError):
    """404 to a request with a session id. The session has been renewed; motion is not idempotent, so no second try."""

    text = "the session was lost and renewed; the call was not sent again"


class Malformed(ClientError):
    """The reply is no HTTP, no JSON, empty, or cut into pieces that do not fit."""


class TooLarge(Malformed):
    """The reply is past a limit of ours."""


class WrongContentType(Malformed):
    """Neither JSON nor an event stream.  content_type: str."""

    def __init__(self, content_type):
        super().__init__("Wrong content type: %s" % (content_type or "none"))
        self.content_type = content_type


class InvalidResponse(ClientError):
    """JSON, but not the JSON-RPC or MCP response it should be."""

    text = "Invalid JSON-RPC response"


class IdMismatch(InvalidResponse):
    text = "Response ID mismatch"


class NoMatch(InvalidResponse):
    text = "No matching response received in SSE stream"


class UnsupportedVersion(ClientError):
    """The server answered `initialize` with a version that we do not speak.  version: str."""

    def __init__(self, version):
        super().__init__("Unsupported protocol version: %s" % version)
        self.version = version


class LimitError(ClientError):
    """A listing with too many pages or tools, or that runs in a circle."""


class Cancelled(ClientError):
    text = "the call was cancelled"


class CallbackFailed(ClientError):
    """A callback of ours raised.  method: str, what it was called for.  cause: the exception."""

    def __init__(self, method, cause):
        super().__init__("%s: %s" % (method, repr(cause)))
        self.method = method
        self.cause = cause


class RpcError(ClientError):
    """A JSON-RPC error.  what: str, "Tool call failed".  code: int.  message: str.  data: JSON value or None."""

    def __init__(self, what, code, message, data=None):
        super().__init__("%s: %s" % (what, message))
        self.code = code
        self.message = message
        self.data = data


class NotFound(RpcError):
    """There is no such resource: -32002 of the older eras, -32602 of 2026-07-28."""


class ToolFailed(ToolError):
    """A result with `isError: true`.  result: dict, as received.

    code: str, `servo_off` of the text `servo_off: ...`, or None without such a prefix.  message: str.
    path: str, the JSON pointer of `invalid_arguments: /lines/0/sku: ...`, or None.
    """

    def __init__(self, result, text):
        code, message = _split_code(text)
        path = None
        if code == "invalid_arguments" and message.startswith("/"):
            path, _, message = message.partition(": ")
        super().__init__(code or text, message if code else "", path)
        self.code = code
        self.message = message
        self.text = text
        self.result = result

    def __str__(self):
        return self.text


_MAX_CODE = 64


# "servo_off: torque is off" -> ("servo_off", "torque is off"); any other text -> (None, text).
def _split_code(text):
    code, _, message = text.partition(": ")
    if not 0 < len(code) <= _MAX_CODE or not all(
        ["a" <= c <= "z" or "0" <= c <= "9" or c == "_" for c in code]
    ):
        return None, text
    return code, message
