"""What a cassette tells: takes, each a request with what was said to it, in the order they were recorded.

Requests and answers are paired by id: exactly, of the same type, in the right direction, in the same recording; by the
number of the exchange where rows have one. A request of the server's is never an answer.
"""

import json
from dataclasses import replace
from json.decoder import JSONDecoder

from .cassette import C2S
from .cassette import shown as _shown
from .pipeline import dumped, parsed

LISTEN = "subscriptions/listen"  # is answered when it ends, which may be never

NOTE = "note"
ASK = "ask"
WAIT = "wait"

_VERSION = "io.modelcontextprotocol/protocolVersion"
_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
_decoder = JSONDecoder()


class Event:
    """What happened between a request and its answer.

    kind: NOTE, a notification; ASK, a request of the server's; WAIT, the client's response to it.  raw: bytes.
    id: str, JSON text, of an ASK and its WAIT.
    """

    __slots__ = ("id", "kind", "raw", "t")

    def __init__(self, kind, raw, id=None, t=None):
        self.kind = kind
        self.raw = raw
        self.id = id
        self.t = t


class Take:
    """A recorded request.

    number: int, from 0.  method: str.  params: dict, or None where it had none.  id: str, JSON text.  raw: bytes.
    era: "legacy" or "modern".  masked: tuple of JSON pointers into the request that were redacted.
    events, later: lists of `Event`: before the answer; after it, what belongs to no request.
    answer: bytes, or None for none.  status: int, of HTTP, or None.  http: dict of the row.
    is_message: bool, the answer is a JSON-RPC response.  behind: list of Take, asked after it and answered before.
    t, answer_t: ms, or None.  ex: int or None.
    """

    __slots__ = (
        "answer", "answer_masked", "answer_t", "behind", "done", "era", "events", "ex", "http", "id", "is_message",
        "later", "masked", "method", "number", "params", "raw", "sent", "t", "token",
    )  # fmt: skip

    def __init__(self, number, row, message, raw):
        self.number = number
        self.method = message["method"]
        params = message.get("params")
        self.params = params if isinstance(params, dict) else None
        self.id = text_of(message["id"])
        self.raw = raw
        meta = (self.params or {}).get("_meta")
        meta = meta if isinstance(meta, dict) else {}
        self.era = "modern" if _VERSION in meta else "legacy"
        self.token = meta.get("progressToken")
        self.masked = tuple(row.redacted or ())
        self.events = []
        self.later = []
        self.answer = None
        self.answer_masked = ()
        self.http = {}
        self.is_message = True
        self.behind = []
        self.t = row.t
        self.answer_t = None
        self.ex = row.ex
        self.sent = None  # what waits for its answer when it is replayed
        self.done = False

    @property
    def status(self):
        return self.http.get("status")

    @property
    def tool(self):
        """The name of the tool that is called, or None."""
        name = (self.params or {}).get("name") if self.method == "tools/call" else None
        return name if isinstance(name, str) else None

    def answered(self):
        """It was replayed: what waits for that may go on."""
        self.done = True
        if self.sent is not None:
            self.sent.set()

    def answer_message(self):
        """The parsed answer, or None."""
        return parsed(self.answer) if self.answer is not None and self.is_message else None


class Tape:
    """takes: list of `Take`.  unanswered: those left out of it, since nobody answered.  passed_over: list of str, told
    of rows that are no message.  notifications: list of dict, the client's.

    rows: those of a `cassette.Cassette`.  name: str, of the cassette, for people.
    """

    def __init__(self, rows, name="cassette"):
        self.takes = []
        self.unanswered = []
        self.passed_over = []
        self.notifications = []
        self._name = name
        self._open = []  # takes without an answer, oldest first
        self._asked = {}  # id of a server's request -> the events it is among
        self._section = 0
        self._last = None  # the take that was answered last
        self._early = []  # what came before any answer
        self._waiting = []  # events before the take they belong to is known
        for row in rows:
            self._take(row)
        self._end()

    @property
    def warnings(self):
        """What cannot be replayed: list of str."""
        return self.passed_over + [
            "%s: %s was not answered, and is passed over" % (self._name, take.method)
            for take in self.unanswered
        ]

    def _take(self, row):
        if row.section != self._section:
            self._end()
            self._section = row.section
        message = parsed(row.data)
        client = row.direction == C2S
        if isinstance(message, list):
            for i, one in enumerate(message):
                self._message(_inner(row, "/%d" % i), one, dumped(one), client)
        elif isinstance(message, dict):
            self._message(row, message, row.data, client)
        elif not client and self._exact(row) is not None and row.http:
            self._answered(self._exact(row), row, row.data, False)
        elif row.raw.strip():
            self.passed_over.append(
                "%s, line %d: no JSON, passed over: %s" % (self._name, row.line, _shown(row.raw))
            )

    def _message(self, row, message, raw, client):
        if not isinstance(message, dict):
            return
        asks = isinstance(message.get("method"), str)
        if client and asks and "id" in message:
            take = Take(len(self.takes) + len(self.unanswered), row, message, raw)
            self.takes.append(take)
            self._open.append(take)
        elif client and asks:
            self.notifications.append(message)
        elif client:
            self._responded(message, raw, row)
        elif asks:
            self._said(row, message, raw)
        else:
            self._response(row, message, raw)

    # The client's response to a request of the server's: what came after it waits for it, if that belongs to a take.
    def _responded(self, message, raw, row):
        id = text_of(message.get("id"))
        events = self._asked.pop(id, None)
        if events is not None:
            events.append(Event(WAIT, raw, id, row.t))

    # A notification, or a request of the server's.
    def _said(self, row, message, raw):
        asks = "id" in message
        event = Event(ASK if asks else NOTE, raw, text_of(message["id"]) if asks else None, row.t)
        take = self._owner(row, message)
        if take is not None:
            events = take.events
        elif self._open and row.ex is None:
            events = self._waiting
        else:
            (self._last.later if self._last else self._early).append(event)
            return
        events.append(event)
        if asks:
            self._asked[event.id] = events

    # The open take that a message of the server's certainly belongs to, or None.
    def _owner(self, row, message):
        exact = self._exact(row)
        if exact is not None:
            return exact
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        meta = params.get("_meta")
        subscription = meta.get(_SUBSCRIPTION) if isinstance(meta, dict) else None
        for take in self._open:
            if subscription is not None and take.id == text_of(subscription):
                return take
            if take.token is not None and same(take.token, params.get("progressToken")):
                return take
        ordinary = [take for take in self._open if take.method != LISTEN]
        return ordinary[0] if len(ordinary) == 1 and row.ex is None else None

    def _exact(self, row):
        if row.ex is None:
            return None
        return next((take for take in self._open if take.ex == row.ex), None)

    def _response(self, row, message, raw):
        id = text_of(message.get("id"))
        found = [
            take for take in self._open if take.id == id and (None in (row.ex, take.ex) or take.ex == row.ex)
        ]
        if found:
            self._answered(found[0], row, raw, True)
        elif self._exact(row) is not None and (row.http or {}).get("status"):
            # Without the request's id: refused before it was read as one, or by a server that is wrong.
            self._answered(self._exact(row), row, raw, False)

    def _answered(self, take, row, raw, is_message):
        take.answer = raw
        take.is_message = is_message
        take.answer_t = row.t
        take.http = row.http or {}
        take.answer_masked = tuple(row.redacted or ())
        self._open.remove(take)
        # What belonged to one of several, nobody says which, comes before the answer that came next.
        take.events.extend(self._waiting)
        self._waiting = []
        take.later.extend(self._early)
        self._early = []
        for earlier in self._open:
            if earlier.number < take.number and earlier.method != LISTEN:
                earlier.behind.append(take)
        self._last = take

    def _end(self):
        for take in self._open:
            if take.method != LISTEN:
                self.takes.remove(take)
                self.unanswered.append(take)
        self._open = []
        self._asked = {}
        self._waiting = []
        self._early = []
        self._last = None


# The row of one message of a batch.
def _inner(row, pointer):
    found = [p[len(pointer) :] for p in row.redacted or () if p.startswith(pointer + "/")]
    return replace(row, redacted=found)


def text_of(id):
    """An id as JSON text: 1 and "1" are two."""
    return json.dumps(id)


def same(a, b):
    """True for equal ids or tokens of the same type."""
    return type(a) is type(b) and a == b


def spans(raw):
    """Where the members of a JSON object lie.  raw: bytes, JSON.  Returns dict name -> (start, end) in its text.

    The last of members with the same name counts. Raises ValueError for what is no object.
    """
    text = raw.decode("utf-8", "surrogateescape")
    at = _space(text, 0)
    if text[at : at + 1] != "{":
        raise ValueError("no object")
    found = {}
    at = _space(text, at + 1)
    while text[at] != "}":
        name, at = _decoder.raw_decode(text, at)
        at = _space(text, _space(text, at) + 1)
        start = at
        _, at = _decoder.raw_decode(text, at)
        found[name] = (start, at)
        at = _space(text, at)
        if text[at] == ",":
            at = _space(text, at + 1)
    return found


def with_id(raw, id):
    """A message with another id; its other bytes stay as they are.  id: str, JSON text."""
    text = raw.decode("utf-8", "surrogateescape")
    span = spans(raw).get("id")
    if span is None:
        return raw
    return (text[: span[0]] + id + text[span[1] :]).encode("utf-8", "surrogateescape")


def _space(text, at):
    while text[at] in " \t\r\n":
        at += 1
    return at
