"""How well does a model choose tools? score TRIPLES [TRIPLES2] --tools SOURCE

TRIPLES has a line of JSON a decision, taken from real traffic; no model is called:

  {"id": "t1", "context": [...], "expect": {"tool": "say", "arguments": {"text": "hi"}},
                                 "got":    {"tool": "say", "arguments": {"text": "hi"}}}

A decision is right if the tool is, and every required argument (of the tool's schema, by --tools; without it all that
are expected) is exactly equal. null for no tool. Lines with one id are attempts at one decision: the first counts, the
others are retries; or "retries": 2 tells them. A cassette instead of TRIPLES tells the retries: a call of a tool that
has just failed.

  tsumiki score week12.ndjson week13.ndjson --tools base.ndjson --min 0.9
"""

import argparse
import json

from stub.canon import canon

from . import cassette, recording, surface
from .errors import Unreadable
from .exchanges import parse
from .people import note, say
from .schema_diff import required

RIGHT = "right"
WRONG_TOOL = "wrong-tool"
MISSING = "missing-arg"
WRONG = "wrong-arg"
_OUTCOMES = (RIGHT, WRONG_TOOL, MISSING, WRONG)
_NONE = "(none)"


def add_arguments(parser):
    parser.description, parser.formatter_class = __doc__, argparse.RawDescriptionHelpFormatter
    parser.add_argument("first", metavar="TRIPLES", help="NDJSON of decisions, or a cassette for its retries")
    parser.add_argument(
        "second", metavar="TRIPLES2", nargs="?", help="a later one, to compare with the first"
    )
    parser.add_argument(
        "--tools", metavar="F", help="fixture, cassette or tools/list: which arguments are required"
    )
    parser.add_argument(
        "--min", type=float, metavar="R", help="exit status 1 below this score, 0 to 1, of the last file"
    )
    parser.add_argument("--json", action="store_true", help="the scores on stdout, as JSON")


def run(options):
    """0, or 1 if the last file's score is below --min."""
    if options.min is not None and not 0 <= options.min <= 1:
        raise Unreadable("--min: from 0 to 1")
    tools = None
    if options.tools is not None:
        tools = surface.read(options.tools).tools
        if tools is None:
            raise Unreadable("%s has no list of tools" % options.tools)
    scores = [score(path, tools) for path in (options.first, options.second) if path is not None]
    if options.min is not None and scores[-1].share is None:
        raise Unreadable("--min: %s has no decisions to score" % scores[-1].label)
    if options.json:
        found = {"scores": [one.report() for one in scores]}
        if len(scores) == 2:
            found["change"] = change(*scores)
        print(json.dumps(found, indent=1))
    else:
        for one in scores:
            one.show()
        if len(scores) == 2:
            _show_change(*scores)
    low = options.min is not None and scores[-1].share < options.min
    if low:
        note("the score is below %g" % options.min)
    return 1 if low else 0


class Score:
    """outcomes: list of dict: id, tool (expected), outcome, and argument or got.  retries: dict of tool to
    [calls, retries].
    """

    def __init__(self, label):
        self.label = label
        self.outcomes = []
        self.retries = {}

    @property
    def share(self):
        """Of the decisions, those that were right: 0 to 1, or None if there are none."""
        return _share(self.outcomes)

    def tools(self):
        """dict of expected tool to its share."""
        names = dict.fromkeys(one["tool"] for one in self.outcomes)
        return {name: _share([one for one in self.outcomes if one["tool"] == name]) for name in names}

    def confusions(self):
        """list of (expected, got, count), the most frequent first."""
        counts = {}
        for one in self.outcomes:
            if one["outcome"] == WRONG_TOOL:
                pair = one["tool"], one["got"]
                counts[pair] = counts.get(pair, 0) + 1
        return sorted(((*pair, count) for pair, count in counts.items()), key=lambda row: (-row[2], row))

    def rates(self):
        """dict of tool to retries a call."""
        return {name: retries / calls for name, (calls, retries) in sorted(self.retries.items()) if calls}

    def count(self, tool, calls, retries):
        """So many calls of a tool, and retries."""
        row = self.retries.setdefault(tool, [0, 0])
        row[0] += calls
        row[1] += retries

    def report(self):
        """A dict for --json."""
        return {
            "file": self.label,
            "decisions": len(self.outcomes),
            "score": self.share,
            "outcomes": {name: sum(one["outcome"] == name for one in self.outcomes) for name in _OUTCOMES},
            "tools": self.tools(),
            "confusions": [{"expected": a, "got": b, "count": n} for a, b, n in self.confusions()],
            "retry_rate": self.rates(),
            "wrong": [one for one in self.outcomes if one["outcome"] != RIGHT],
        }

    def show(self):
        """Print it for people."""
        say(self.label)
        if self.outcomes:
            right = sum(one["outcome"] == RIGHT for one in self.outcomes)
            say("  score  %.3f  (%d of %d)" % (self.share, right, len(self.outcomes)))
        for one in self.outcomes:
            if one["outcome"] != RIGHT:
                say("  %-11s  %s: %s" % (one["outcome"], one["id"], one["detail"]))
        for expected, got, count in self.confusions():
            say("  confused    %s -> %s  %d times" % (expected, got, count))
        for name, rate in self.rates().items():
            say("  retries     %s  %.2f a call" % (name, rate))


def score(path, tools=None):
    """The `Score` of a file.  tools: dict of name -> entry, as listed, or None.  Raises Unreadable."""
    found = Score(str(path))
    if cassette.is_cassette(path):
        _count_retries(found, recording.read(path))
        return found
    seen = {}
    for number, triple in _lines(path):
        where = "%s:%d" % (path, number)
        expected, got = _choice(triple, "expect", where), _choice(triple, "got", where)
        id = triple.get("id", number)
        key = canon(id)
        retries = triple.get("retries", 0)
        if type(retries) is not int or retries < 0:
            raise Unreadable("%s: retries must be an integer of 0 or more" % where)
        if key in seen:
            found.count(seen[key], 0, 1 + retries)
            continue
        seen[key] = got[0] or expected[0] or _NONE
        if got[0] is not None:
            found.count(got[0], 1, retries)
        found.outcomes.append(
            {"id": id, "tool": expected[0] or _NONE, **_judged(expected, got, tools, where)}
        )
    if not found.outcomes:
        raise Unreadable("%s: no decisions in it" % path)
    return found


def change(first, second):
    """What has changed from one Score to another: dict."""
    rates = first.rates(), second.rates()
    tools = first.tools(), second.tools()
    both = first.share is not None and second.share is not None
    return {
        "score": second.share - first.share if both else None,
        "tools": {name: tools[1][name] - tools[0][name] for name in tools[0] if name in tools[1]},
        "retry_rate": {name: rates[1][name] - rates[0][name] for name in rates[0] if name in rates[1]},
    }


def _judged(expected, got, tools, where):
    if expected[0] != got[0]:
        shown = got[0] or _NONE
        return {"outcome": WRONG_TOOL, "got": shown, "detail": "%s, not %s" % (shown, expected[0] or _NONE)}
    if expected[0] is None:
        return {"outcome": RIGHT}
    names = list(expected[1])
    if tools is not None:
        if expected[0] not in tools:
            raise Unreadable("%s: the expected tool %s is not in --tools" % (where, expected[0]))
        names = required(tools[expected[0]].get("inputSchema") or {})
    for name in names:
        if name not in expected[1]:
            raise Unreadable("%s: %s requires %s, which is not in expect" % (where, expected[0], name))
        if name not in got[1]:
            return {"outcome": MISSING, "argument": name, "detail": "%s without %s" % (expected[0], name)}
        was, now = canon(expected[1][name]), canon(got[1][name])
        if was != now:
            text = "%s: %s is %s, not %s" % (expected[0], name, *(one.decode()[:60] for one in (now, was)))
            return {"outcome": WRONG, "argument": name, "detail": text}
    return {"outcome": RIGHT}


# (tool or None, arguments)
def _choice(triple, key, where):
    if key not in triple:
        raise Unreadable("%s: %s is missing (null for no tool)" % (where, key))
    choice = triple[key]
    if choice is None:
        return None, {}
    tool = choice.get("tool") if isinstance(choice, dict) else None
    arguments = choice.get("arguments", {}) if isinstance(choice, dict) else None
    if not isinstance(tool, str) or not isinstance(arguments, dict):
        raise Unreadable('%s: %s must be {"tool": "...", "arguments": {...}}, or null' % (where, key))
    return tool, arguments


def _lines(path):
    try:
        with open(path, encoding="utf-8-sig") as f:
            for number, line in enumerate(f, 1):
                if line.strip():
                    value = parse(line)
                    if not isinstance(value, dict):
                        raise ValueError("no object")
                    yield number, value
    except OSError as e:
        raise Unreadable("%s: %s" % (path, e.strerror)) from None
    except ValueError as e:
        raise Unreadable("%s: a line of it is no JSON object: %s" % (path, e)) from None


def _count_retries(score, tape):
    failed = set()
    for exchange in tape.exchanges:
        name = exchange.tool
        if name is None:
            continue
        again = name in failed
        score.count(name, 0 if again else 1, 1 if again else 0)
        if exchange.error_class == "ok":
            failed.discard(name)
        else:
            failed.add(name)


def _share(outcomes):
    return sum(one["outcome"] == RIGHT for one in outcomes) / len(outcomes) if outcomes else None


def _show_change(first, second):
    found = change(first, second)
    say("change")
    if found["score"] is not None:
        say("  score  %+.3f" % found["score"])
    for name, value in found["tools"].items():
        if value:
            say("  score       %s  %+.3f" % (name, value))
    for name, value in found["retry_rate"].items():
        say("  retries     %s  %+.2f a call" % (name, value))
