"""JSON-RPC 2.0 envelopes, as MCP narrows them: what a message is, and the bytes of an answer.

MCP ids are strings or integers, never null (2025-11-25, basic: requests); `params` is an object or absent.
"""

from .codec import dumps
from .errors import INVALID_REQUEST, RemoteError

REQUEST = "request"
NOTIFICATION = "notification"
RESPONSE = "response"


def kind_of(message):
    """REQUEST, NOTIFICATION or RESPONSE; raises RemoteError (-32600, status 400) for anything else."""
    if type(message) is not dict or message.get("jsonrpc") != "2.0":
        raise _invalid("not a JSON-RPC 2.0 object")
    if "method" not in message:
        return _response(message)
    if type(message["method"]) is not str:
        raise _invalid("method must be a string")
    if "params" in message and type(message["params"]) is not dict:
        raise _invalid("params must be an object")
    if "id" not in message:
        return NOTIFICATION
    if not is_id(message["id"]):
        raise _invalid("id must be a string or an integer")
    return REQUEST


def _response(message):
    if "id" in message and ("result" in message) != ("error" in message):
        return RESPONSE
    raise _invalid("neither a request nor a response")


def is_id(value):
    """True for a string or an integer; a bool is neither."""
    kind = type(value)
    return kind is str or kind is int


def _invalid(why):
    return RemoteError(INVALID_REQUEST, "Invalid Request: " + why, status=400)


def result(id_, raw):
    """The bytes of a response. id_: str or int.  raw: bytes, the result as JSON."""
    return b"".join((b'{"jsonrpc":"2.0","id":', id_bytes(id_), b',"result":', raw, b"}"))


def error(id_, code, message, data=None):
    """The bytes of an error response. id_: str, int or None.  data: a JSON value, None for none."""
    body = {"code": code, "message": message}
    if data is not None:
        body["data"] = data
    return b"".join((b'{"jsonrpc":"2.0","id":', id_bytes(id_), b',"error":', dumps(body), b"}"))


def id_bytes(id_):
    """An id as JSON. id_: str, int, or None for an id that could not be read."""
    return b"%d" % id_ if type(id_) is int else dumps(id_)
