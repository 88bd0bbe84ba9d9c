"""What a cassette says, for those who compare: its exchanges in the order of their requests, with their error classes.

A response belongs to the request of the other direction whose id is equal, and of the same type. What a row's `raw`
holds that is no JSON is passed over, and told.
"""

from . import cassette
from .exchanges import MALFORMED, Answer, parse

UNANSWERED = "unanswered"
_MODERN = "io.modelcontextprotocol/protocolVersion"


class Recording:
    """label: str.  header: dict, {} for none.  notes: list of str.

    exchanges: list of Answer, each with `redacted`: dict of direction to the JSON pointers of what is blank in it.
    """

    def __init__(self, label):
        self.label = label
        self.header = {}
        self.exchanges = []
        self.notes = []
        self.forget()

    @property
    def era(self):
        """legacy or modern, by the header or else by the requests."""
        if self.header.get("era") in ("legacy", "modern"):
            return self.header["era"]
        asked = [e for e in self.exchanges if e.method != "initialize"]
        return "modern" if any(_MODERN in ((e.params or {}).get("_meta") or {}) for e in asked) else "legacy"

    def take(self, row):
        """Take in one `cassette.Row`."""
        try:
            message = parse(row.raw)
        except ValueError:
            message = None
        taken = False
        for one in message if isinstance(message, list) else [message]:
            if isinstance(one, dict):
                taken = (
                    self._asked(one, row) if row.direction == "c2s" else self._answered(one, row)
                ) or taken
            else:
                self.notes.append("%s:%d: passed over, no message" % (self.label, row.line))
        if not taken and row.direction == "s2c":
            self._failed(row)

    def forget(self):
        """What is not answered yet will not be."""
        self._open = {}
        self._numbered = {}

    def _asked(self, message, row):
        if "method" not in message or "id" not in message:
            return False
        params = message.get("params")
        exchange = Answer(
            str(message["method"]), params if isinstance(params, dict) else None, failure=UNANSWERED
        )
        exchange.redacted = {"c2s": _pointers(row), "s2c": []}
        self.exchanges.append(exchange)
        self._open[_key(message)] = self._numbered[row.ex] = exchange
        return True

    def _answered(self, message, row):
        if "method" in message:
            return True
        exchange = self._open.pop(_key(message), None)
        if exchange is None:
            return False
        exchange.message, exchange.raw, exchange.failure = message, row.data, ""
        exchange.redacted["s2c"] = _pointers(row)
        return True

    # What came instead of an answer; only HTTP tells for certain to what.
    def _failed(self, row):
        status = (row.http or {}).get("status")
        exchange = self._numbered.get(row.ex) if row.ex is not None else None
        if exchange is None or exchange.failure != UNANSWERED or status is None:
            return
        if status >= 300:
            exchange.failure = "http:%d" % status
        elif status == 200:
            exchange.failure = MALFORMED


def _key(message):
    return type(message.get("id")), str(message.get("id"))


def _pointers(row):
    return [pointer for pointer in row.redacted or () if isinstance(pointer, str)]


def read(path, scenario=None):
    """The `Recording` in a cassette's file.  scenario: str, or None for all of it.  Raises Unreadable."""
    return of_cassette(cassette.load(path, scenario))


def of_cassette(tape):
    """The `Recording` of a `cassette.Cassette`."""
    found = Recording(str(tape.path))
    found.notes += tape.warnings
    found.header = tape.headers[0] if tape.headers else {}
    section = None
    for row in tape.rows:
        if row.section != section:
            found.forget()  # ids begin anew
            section = row.section
        found.take(row)
    return found
