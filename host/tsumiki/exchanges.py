"""What came of one request, in one word: its error class.

    ok | input_required | tool_error[:CODE] | rpc_error:CODE | http:STATUS | timeout | disconnect | malformed

A recording also has `unanswered`: whatever became of the request, it is not in there.

The words are compared by `contract`, `diff` and `verify`, and stand in contracts that people write.
"""

import json
import math
import re

from stub import errclass
from stub.errclass import DISCONNECT, MALFORMED, TIMEOUT

from .pipeline import is_deep

__all__ = ("DISCONNECT", "MALFORMED", "TIMEOUT", "Answer", "answers", "classify", "fits", "is_class", "parse")

_CLASS = re.compile(
    r"ok|input_required|timeout|disconnect|malformed|unanswered|tool_error(:\S+)?|rpc_error:-?\d+|http:[1-5]\d\d"
)


class Answer:
    """One exchange with a server.

    method: str.  params: dict or None.  message: dict, the JSON-RPC response, or None if there is none.
    raw: bytes, as it came, b"" for none.  failure: str, a class without a message (`timeout`, `http:503`), or "".
    detail: str, for people.  notes: list of dict, what else the server sent meanwhile, oldest first.
    unreachable: bool, nobody was there to take the request.
    """

    unreachable = False

    def __init__(self, method, params=None, message=None, raw=b"", failure="", detail="", notes=()):
        self.method = method
        self.params = params
        self.message = message
        self.raw = raw
        self.failure = failure
        self.detail = detail
        self.notes = list(notes)

    @property
    def error_class(self):
        return self.failure or classify(self.message)

    @property
    def tool(self):
        """The name of the tool that is called, or None."""
        name = (self.params or {}).get("name") if self.method == "tools/call" else None
        return name if isinstance(name, str) else None

    @property
    def result(self):
        """The result, dict; {} for an error."""
        found = self.message.get("result") if self.message else None
        return found if isinstance(found, dict) else {}

    def explain(self):
        """The class, and what the server said, in one line."""
        return "%s (%s)" % (self.error_class, self.detail) if self.detail else self.error_class


def parse(raw):
    """The JSON value in bytes or str.  Raises ValueError for what RFC 8259 does not allow, and past 100 levels."""
    try:
        value = json.loads(raw, parse_constant=_no_constant, parse_float=_finite)
    except RecursionError:
        raise ValueError("nested too deep") from None
    if is_deep(value):
        raise ValueError("nested too deep")
    return value


def _no_constant(name):
    raise ValueError("%s is no JSON" % name)


def _finite(text):
    value = float(text)
    if math.isinf(value):
        raise ValueError("%.20s is too large" % text)
    return value


def classify(message):
    """The error class of a JSON-RPC response.  message: dict, or anything else, which is malformed."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return MALFORMED
    found = errclass.of_response(message)
    asks = found == errclass.OK and message["result"].get("resultType") == "input_required"
    return "input_required" if asks else found


def is_class(text):
    """True for a word that stands for a class."""
    return isinstance(text, str) and _CLASS.fullmatch(text) is not None


def fits(wanted, found):
    """True if the class `found` is what was wanted: `tool_error` stands for one of any code."""
    return found == wanted or (wanted == "tool_error" and found.startswith("tool_error:"))


def answers(message, id):
    """True if a message (any JSON value) is the response to the request `id`: equal, and of the same type."""
    if not isinstance(message, dict) or "method" in message or "id" not in message:
        return False
    return type(message["id"]) is type(id) and message["id"] == id
