"""The findings of a cassette."""

from . import cassette
from .errors import Unreadable
from .finding import ERROR, WARNING, Finding
from .pipeline import parsed
from .redact import Redactor


def findings(path):
    """list of `Finding`: CS001 unreadable, CS002 a row that is no message, CS003 a request without an answer, CS004 an
    answer without a request, CS005 two answers to one request, FX018 a secret.
    """
    try:
        tape = cassette.load(path)
    except Unreadable as e:
        return [Finding("CS001", ERROR, "", str(e))]
    found = [Finding("CS001", WARNING, "", text) for text in tape.warnings]
    redactor = Redactor()
    asked = {}
    for row in tape.rows:
        where = "line %d" % row.line
        found += _row(row, where, asked)
        found += [
            Finding("FX018", ERROR, where, "%s looks like a secret, or tells whose home it is" % (p or "/"))
            for p in _secrets(redactor, row)
        ]
    for where in [where for same in asked.values() for _, answered, where in same if not answered]:
        found.append(Finding("CS003", WARNING, where, "a request that was not answered"))
    return found


# asked: (section, direction, type and text of the id) -> list of [method, answered, where]
def _row(row, where, asked):
    message = parsed(row.data)
    if message is None and row.raw.strip() != "null":
        yield Finding("CS002", WARNING, where, "is no JSON: %s" % cassette.shown(row.raw))
        return
    for one in message if isinstance(message, list) else [message]:
        if not isinstance(one, dict):
            yield Finding("CS002", WARNING, where, "is no message")
        elif "id" in one and one["id"] is not None:
            yield from _paired(one, row, where, asked)


def _paired(message, row, where, asked):
    other = cassette.S2C if row.direction == cassette.C2S else cassette.C2S
    name = type(message["id"]).__name__, str(message["id"])
    if "method" in message:
        same = asked.setdefault((row.section, row.direction, *name), [])
        same.append([message["method"], False, where])
        return
    same = asked.get((row.section, other, *name))
    if not same:
        yield Finding("CS004", WARNING, where, "answers no request")
    elif same[-1][1]:
        yield Finding("CS005", WARNING, where, "is a second answer to %s of %s" % (same[-1][0], same[-1][2]))
    else:
        same[-1][1] = True


def _secrets(redactor, row):
    clean, pointers = redactor.message(row.raw)
    known = row.redacted or ()
    found = [pointer for pointer in pointers if pointer not in known]
    return found or ([""] if clean != row.raw and not pointers else [])
