"""The three families of errors: ours, the peer's, and a tool's refusal.

`umcp` raises them and never prints. A server turns a `RemoteError` into a JSON-RPC error, a `ToolError` into
a result with `isError: true`, and anything else into -32603 without details.
"""

# JSON-RPC 2.0 section 5.1, and MCP's own use of -32602.
PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603


class LocalError(Exception):
    """Our side used the library wrongly: a bad schema, a bad name, a call in the wrong state."""


class RemoteError(Exception):
    """The peer broke the protocol, or answered with an error.

    code: int, a JSON-RPC error code.  message: str.  data: JSON value or None.
    status: int, the HTTP status that a server answers with (MCP transports: 200 unless the envelope is broken).
    """

    def __init__(self, code, message, data=None, status=200):
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.status = status


class ToolError(Exception):
    """A tool's refusal, which the model may read and act on.

    code: str, short and lower case (`servo_off`).  message: str.
    path: str, the JSON pointer (RFC 6901) of the argument at fault, or None.
    """

    def __init__(self, code, message="", path=None):
        super().__init__("%s: %s" % (code, message) if message else code)
        self.code = code
        self.message = message
        self.path = path


class CannotAsk(ToolError):
    """The client cannot be asked.  capability: str, what it would have to declare: elicitation, sampling or roots."""

    def __init__(self, capability):
        super().__init__("cannot_ask", "the client does not offer %s" % capability)
        self.capability = capability


class Violation(Exception):
    """A value that its type refuses.  path: str, a JSON pointer, "" for the whole value.  reason: str."""

    def __init__(self, path, reason):
        super().__init__("%s: %s" % (path or "/", reason))
        self.path = path
        self.reason = reason
