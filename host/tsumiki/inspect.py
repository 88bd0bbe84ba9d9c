"""tsumiki inspect: what a cassette holds, to be read: a line a request, with the class of its answer.

tsumiki inspect cassettes/weather/paris.ndjson
"""

import argparse
import json

from .cassette import load, shown
from .exchanges import classify
from .people import say
from .pipeline import parsed
from .tape import ASK, NOTE, Tape

_WIDTH = 64
_HEADER = ("server", "scenario", "transport", "era", "protocolVersion", "recordedAt")


def add_arguments(parser):
    """Arguments of `tsumiki inspect`."""
    parser.description, parser.formatter_class = __doc__, argparse.RawDescriptionHelpFormatter
    parser.add_argument("cassette")
    parser.add_argument("--scenario", help="this one alone of the cassette's")
    parser.add_argument("--json", action="store_true", help="the same for programs")


def run(options):
    """`tsumiki inspect`: returns the exit status."""
    found = load(options.cassette, options.scenario)
    tape = Tape(found.rows, found.path.name)
    summary = summarized(found, tape)
    if options.json:
        print(json.dumps(summary, indent=1))
    else:
        say("\n".join(lines(summary)))
    return 0


def summarized(found, tape):
    """What a cassette holds, as a dict for JSON.  found: `cassette.Cassette`.  tape: its `tape.Tape`."""
    return {
        "cassette": str(found.path),
        "headers": found.headers,
        "rows": len(found.rows),
        "redacted": sum(len(row.redacted or ()) for row in found.rows),
        "notifications": [message["method"] for message in tape.notifications],
        "requests": [_request(take) for take in tape.takes],
        "warnings": found.warnings + tape.warnings,
    }


def _request(take):
    params = {name: value for name, value in (take.params or {}).items() if name != "_meta"}
    return {
        "method": take.method,
        "params": None if take.params is None else params,
        "era": take.era,
        "class": _class(take),
        "text": _text(take.answer_message()),
        "ms": None if None in (take.t, take.answer_t) else round(take.answer_t - take.t),
        "before": [_event(event) for event in take.events if event.kind in (NOTE, ASK)],
        "after": [_event(event) for event in take.later],
        "redacted": [*take.masked, *take.answer_masked],
    }


def _class(take):
    if take.answer is None:
        return "open"
    return classify(take.answer_message()) if take.is_message else "http:%s" % take.status


def _event(event):
    return ("asks " if event.kind == ASK else "") + str((parsed(event.raw) or {}).get("method"))


# The first words of an answer, or "".
def _text(message):
    body = (message or {}).get("result")
    if body is None:
        error = (message or {}).get("error")
        return str(error.get("message", "")) if isinstance(error, dict) else ""
    if not isinstance(body, dict):
        return ""
    for block in body.get("content") or () if isinstance(body.get("content"), list) else ():
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            return block["text"]
    counts = ["%d %s" % (len(value), name) for name, value in body.items() if isinstance(value, list)]
    return ", ".join(counts)


def lines(summary):
    """The same for people: list of str."""
    found = [
        "%s: %d rows, %d requests, %d redacted"
        % (summary["cassette"], summary["rows"], len(summary["requests"]), summary["redacted"])
    ]
    for header in summary["headers"]:
        found.append("  " + "  ".join(shown(str(header[name])) for name in _HEADER if header.get(name)))
    for number, request in enumerate(summary["requests"], 1):
        found += _lines(number, request)
    return found + ["! " + text for text in summary["warnings"]]


def _lines(number, request):
    params = request["params"]
    asked = request["method"]
    if asked == "tools/call" and params:
        asked += " %s %s" % (params.get("name"), _compact(params.get("arguments", {})))
    elif params is None:
        asked += " (any params)"
    elif params and asked != "initialize":
        asked += " " + _compact(params)
    took = "" if request["ms"] is None else "%d ms  " % request["ms"]
    said = shown(request["text"]) if request["text"] else ""
    found = ["%4d  %s  %s  %s%s" % (number, _padded(asked), request["class"], took, said)]
    found += ["        <- " + shown(event) for event in request["before"]]
    found += ["        later <- " + shown(event) for event in request["after"]]
    if request["redacted"]:
        found.append("        redacted: " + ", ".join(shown(pointer) for pointer in request["redacted"]))
    return [line.rstrip() for line in found]


def _compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _padded(text):
    return shown(text).ljust(_WIDTH)
