"""What a cassette says, for those who compare: its exchanges in the order of their requests, and their classes."""

from . import cassette
from .exchanges import MALFORMED, Answer, parse
from .tape import Tape

UNANSWERED = "unanswered"


class Recording:
    """label: str.  header: dict, {} for none.  era: legacy or modern.  notes: list of str.

    exchanges: list of Answer, each with `redacted`: dict of direction to the JSON pointers of what is blank in it.
    """

    def __init__(self, found):
        """found: a `cassette.Cassette`."""
        tape = Tape(found.rows, str(found.path))
        takes = sorted(tape.takes + tape.unanswered, key=lambda take: take.number)
        self.label = str(found.path)
        self.header = found.headers[0] if found.headers else {}
        self.notes = found.warnings + tape.passed_over
        self.exchanges = [_exchange(take) for take in takes]
        self.era = self.header.get("era")
        if self.era not in ("legacy", "modern"):
            asked = [take.era for take in takes if take.method != "initialize"]
            self.era = "modern" if "modern" in asked else "legacy"


def read(path, scenario=None):
    """The `Recording` in a cassette's file.  scenario: str, or None for all of it.  Raises Unreadable."""
    return Recording(cassette.load(path, scenario))


def _exchange(take):
    found = Answer(take.method, take.params)
    found.redacted = {"c2s": list(take.masked), "s2c": list(take.answer_masked)}
    if take.answer is None:
        found.failure = UNANSWERED
    elif not take.is_message:
        found.failure = "http:%d" % take.status if (take.status or 0) >= 300 else MALFORMED
    else:
        found.raw = take.answer
        try:
            found.message = parse(take.answer)
        except ValueError:
            found.failure = MALFORMED
    return found
