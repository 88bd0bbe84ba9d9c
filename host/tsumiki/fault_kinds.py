"""The faults by name: what each does, with what, and where.

The function of a fault gets what it meets (`faults.Met`). One that asks for the answer has the request carried out; any
other leaves the responder unasked, and a recording unused.
"""

import re

from . import fault_http, fault_messages, fault_streams
from .errors import Unreadable


class Parameter:
    """name: str.  kind: int or str.  default: int, str, or None: there is none, and it may be left out.

    choices: tuple of str, or None for any text.  low, high: int, the least and the greatest number.
    pattern: str, of the whole text, or None.
    """

    def __init__(self, name, kind, default=None, choices=None, low=0, high=1 << 31, pattern=None):
        self.name = name
        self.kind = kind
        self.default = default
        self.choices = choices
        self.low = low
        self.high = high
        self.pattern = pattern

    def checked(self, value, text):
        """The value.  text: str, of the rule.  Raises Unreadable."""
        if type(value) is not self.kind or (self.kind is int and not self.low <= value <= self.high):
            what = "a number from %d to %d" % (self.low, self.high) if self.kind is int else "a text"
            raise Unreadable('%s: "%s" is %s' % (text, self.name, what))
        if self.choices and value not in self.choices:
            raise Unreadable("%s: %r is none of %s" % (text, value, ", ".join(self.choices)))
        if self.pattern and not re.fullmatch(self.pattern, value):
            raise Unreadable('%s: "%s" cannot be %r' % (text, self.name, value))
        return value


class Fault:
    """act: async function of a `Met`.  summary: str.  parameters: of `Parameter`.  http_only: bool."""

    def __init__(self, act, summary, *parameters, http_only=False):
        self.act = act
        self.summary = summary
        self.parameters = parameters
        self.http_only = http_only

    def read(self, given, text):
        """The parameters of a rule, all of them: dict.  given: dict.  text: str, of the rule.  Raises Unreadable."""
        if not isinstance(given, dict):
            raise Unreadable('%s: "with" is an object' % text)
        found = {one.name: one.default for one in self.parameters}
        by_name = {one.name: one for one in self.parameters}
        for name, value in given.items():
            if name not in by_name:
                names = ", ".join(by_name) or "nothing"
                raise Unreadable('%s: "with" has %r, and this fault takes %s' % (text, name, names))
            found[name] = by_name[name].checked(value, text)
        return found

    def from_words(self, words, text):
        """The same as a dict from a short form's `a,b`; the last one may hold any character.  words: str or None."""
        if not words:
            return {}
        most = len(self.parameters) - 1
        if most < 0:
            raise Unreadable("%s: this fault takes nothing" % text)
        parts = re.split("[,:]", words, maxsplit=most) if most else [words]
        given = {}
        for one, word in zip(self.parameters, parts):
            if one.kind is int and not re.fullmatch(r"-?\d+", word):
                raise Unreadable("%s: %r is no number" % (text, word))
            given[one.name] = one.kind(word)
        return given


def _ms(default):
    return Parameter("ms", int, default, high=86_400_000)


FAULTS = {
    # On both transports.
    "timeout": Fault(fault_messages.timeout, "never answer"),
    "delay": Fault(fault_messages.delay, "hand the request on later", _ms(1000)),
    "late": Fault(fault_messages.late, "hold the answer back", _ms(1000)),
    "disconnect": Fault(
        fault_messages.disconnect,
        "end without an answer: stdio with this exit status, HTTP closes the connection",
        Parameter("code", int, 70, high=255),
    ),
    "disconnect-after": Fault(
        fault_messages.disconnect_after, "the same behind the answer", Parameter("code", int, 70, high=255)
    ),
    "malformed": Fault(
        fault_messages.malformed,
        "an answer that is none",
        Parameter("how", str, "not-json", tuple(fault_messages.MALFORMED)),
        Parameter("size", int, 1 << 20, high=1 << 30),
    ),
    "duplicate": Fault(fault_messages.duplicate, "the answer twice"),
    "reorder": Fault(fault_messages.reorder, "the answer behind the next request's", _ms(1000)),
    "error": Fault(
        fault_messages.error,
        "a JSON-RPC error",
        Parameter("code", int, -32603, low=-(1 << 31)),
        Parameter("message", str, "Injected fault"),
    ),
    "tool-error": Fault(
        fault_messages.tool_error,
        "a result with isError",
        Parameter("text", str, "injected_fault: told to fail"),
    ),
    "empty": Fault(fault_messages.empty, "a result with nothing in it"),
    "drop-tool": Fault(
        fault_messages.drop_tool,
        "the list without a tool (a pattern; else the first)",
        Parameter("tool", str),
    ),
    "schema-drift": Fault(
        fault_messages.schema_drift,
        "the list with other input schemas",
        Parameter("how", str, "required", tuple(fault_messages.DRIFTS)),
        Parameter("tool", str, "*"),
    ),
    "corrupt-valid": Fault(fault_messages.corrupt_valid, "a sound answer with other values"),
    # Over HTTP.
    "status": Fault(
        fault_http.status,
        "this status; 401 asks for a bearer, 429 and 503 say Retry-After",
        Parameter("code", int, 500, low=200, high=599),
        Parameter("retry_after", int, 1),
        http_only=True,
    ),
    "session-lost": Fault(
        fault_http.session_lost, "404 from now on, until the client opens another session", http_only=True
    ),
    "close-before-headers": Fault(
        fault_http.close_before_headers,
        "close the connection",
        Parameter("how", str, "fin", ("fin", "reset")),
        http_only=True,
    ),
    "close-mid-body": Fault(
        fault_http.close_mid_body,
        "close it after so many bytes of the body, else in its middle",
        Parameter("bytes", int),
        http_only=True,
    ),
    "slow": Fault(
        fault_http.slow,
        "the answer in pieces",
        Parameter("bytes", int, 16, low=1),
        _ms(10),
        http_only=True,
    ),
    "bad-length": Fault(
        fault_http.bad_length,
        "a Content-Length that does not hold",
        Parameter("how", str, "short", tuple(fault_http.LENGTHS)),
        http_only=True,
    ),
    "wrong-type": Fault(fault_http.wrong_type, "a page of HTML", http_only=True),
    "empty-200": Fault(fault_http.empty_200, "200 without a body", http_only=True),
    "redirect": Fault(
        fault_http.redirect,
        "307 to another place",
        Parameter("location", str, "/elsewhere", pattern="[!-~]+"),
        http_only=True,
    ),
    # In the event stream that the answer is sent in.
    "sse": Fault(fault_streams.plain, "the answer in an event stream, with no fault", http_only=True),
    "no-final-blank": Fault(fault_streams.no_final_blank, "its event without the empty line", http_only=True),
    "multi-data-lines": Fault(fault_streams.multi_data_lines, "its event in many data lines", http_only=True),
    "comments": Fault(fault_streams.comments, "comments and fields that mean nothing", http_only=True),
    "crlf": Fault(fault_streams.crlf, "lines that end with CR LF", http_only=True),
    "other-events-first": Fault(
        fault_streams.other_events_first, "events that are no answer first", http_only=True
    ),
    "wrong-id-first": Fault(
        fault_streams.wrong_id_first, "answers to nobody's request first", http_only=True
    ),
    "done-marker": Fault(
        fault_streams.done_marker,
        "the [DONE] of other protocols",
        Parameter("where", str, "behind", ("before", "behind", "instead")),
        http_only=True,
    ),
    "never-ends": Fault(fault_streams.never_ends, "signs of life, and no answer", _ms(100), http_only=True),
}


def told():
    """The list of faults for people: str, lines."""
    lines = ["METHOD[:TOOL][@SESSION][#NUMBER]=FAULT, as tools/call#2=timeout", ""]
    for name, fault in FAULTS.items():
        given = ",".join("|".join(one.choices or ()) or one.name.upper() for one in fault.parameters)
        lines.append("%s%s" % (name, given and ":" + given))
        lines.append("    %s%s" % (fault.summary, " (HTTP)" if fault.http_only else ""))
    return "\n".join(lines)
