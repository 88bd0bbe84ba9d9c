"""Does a live server still answer as a cassette has it? verify CASSETTE --url URL | -- COMMAND

What the client sent is sent again, in its order, and the error classes are compared; the lists of the server are
compared with the recorded ones, as `diff` does. No tool is called without --allow-calls, and then only those with
readOnlyHint; --all-calls calls all of them. A call may move real hardware.

  tsumiki verify cassettes/robot/base.ndjson --url http://robot.local/mcp --token-env ROBOT_TOKEN --allow-calls
  tsumiki verify base.ndjson --deep --ignore /result/structuredContent/uptime_s -- node server.js
"""

import argparse
import asyncio
import json

from . import gate, recording, server_options, surface
from .class_diff import name_of
from .diff import add_fail_on, failures, show
from .errors import Unreadable
from .kept import WITH_PARAMS
from .people import note, say
from .pointers import first_difference, steps, without
from .recording import UNANSWERED
from .surface_diff import compare_lists

TAKES_COMMAND = True

_HANDSHAKE = ("initialize", "server/discover")
_ENDLESS = ("subscriptions/listen",)
# What differs by the session, and by the era.
_NEVER = ("/id", "/result/_meta", "/result/resultType", "/result/ttlMs", "/result/cacheScope")


def add_arguments(parser):
    parser.description, parser.formatter_class = __doc__, argparse.RawDescriptionHelpFormatter
    parser.add_argument("cassette", metavar="CASSETTE", help="what the server once answered")
    parser.add_argument("--scenario", help="of a cassette, or a folder, that has several")
    parser.add_argument(
        "--deep", action="store_true", help="compare the answers, too, and not their classes alone"
    )
    parser.add_argument(
        "--ignore", action="append", default=[], metavar="PTR",
        help="with --deep: a JSON pointer into the response that may differ, * for any member (/result/content/0/text)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="the findings on stdout, as JSON")
    add_fail_on(parser)
    gate.add_arguments(parser)
    server_options.add_arguments(parser)


def run(options):
    """0 if the server answers as it did, 1 if not."""
    if not server_options.is_given(options):
        raise Unreadable("a server, please: --url URL or a command behind --")
    try:
        ignored = [pointer for pointer in options.ignore if steps(pointer)]
    except ValueError as e:
        raise Unreadable("--ignore: %s" % e) from None
    tape = recording.read(options.cassette, options.scenario)
    verdict = asyncio.run(_verified(tape, options, (*_NEVER, *ignored)))
    if options.json:
        print(json.dumps(verdict.report(), indent=1))
    else:
        verdict.show()
    return 0 if verdict.ok else 1


class Verdict:
    """exchanges: list of dict: request, was, now (error classes), ok, and for one that differs detail.

    skipped: list of (request, reason).  changes, notes: as of `surface_diff.compare_lists`.
    """

    def __init__(self, tape, label, fail_on):
        self.label = label
        self.tape = tape
        self.fail_on = fail_on
        self.exchanges = []
        self.skipped = []
        self.changes = []
        self.notes = list(tape.notes)

    @property
    def ok(self):
        return all(one["ok"] for one in self.exchanges) and not failures(self.changes, self.fail_on)

    def add(self, exchange, answer, deep, ignored):
        """Compare an answer with the recorded one."""
        was, now = exchange.error_class, answer.error_class
        one = {"request": name_of(exchange), "was": was, "now": now, "ok": was == now}
        if was != now:
            one["detail"] = "was %s, is %s" % (was, answer.explain())
        elif deep and exchange.message and answer.message:
            blank = (*ignored, *exchange.redacted["s2c"])
            place = first_difference(without(exchange.message, blank), without(answer.message, blank))
            if place is not None:
                one.update(ok=False, detail="%s differs" % place)
        self.exchanges.append(one)

    def report(self):
        """What --json prints: dict."""
        return {
            "ok": self.ok,
            "cassette": self.tape.label,
            "server": self.label,
            "exchanges": self.exchanges,
            "skipped": [{"request": request, "reason": reason} for request, reason in self.skipped],
            "changes": [change.as_dict() for change in self.changes],
            "notes": self.notes,
        }

    def show(self):
        """Print it for people."""
        show(self.changes, self.notes)
        for request, reason in self.skipped:
            note("%s: %s" % (request, reason))
        for one in self.exchanges:
            if not one["ok"]:
                say("✗ %s: %s" % (one["request"], one["detail"]))
        done, rest = len(self.exchanges), len(self.skipped)
        sign, verb = ("✓", "answers as recorded") if self.ok else ("✗", "does not answer as recorded")
        say("%s %s %s (%d requests sent, %d left out)" % (sign, self.label, verb, done, rest))


async def _verified(tape, options, ignored):
    label = server_options.label(options)
    verdict = Verdict(tape, label, options.fail_on)
    if tape.era == "modern" and options.era == "legacy":
        verdict.notes.append("recorded in the modern era, asked in the legacy one")
    gate.warn(options, label)
    async with server_options.live(options, tape.era) as live:
        there = await surface.of_live(live, label)
        before = surface.of_recording(tape)
        verdict.changes, notes = compare_lists(before, there)
        verdict.notes += notes
        for exchange in tape.exchanges:
            reason = _why_not(exchange, there, options)
            if reason is None:
                continue
            if reason:
                verdict.skipped.append((name_of(exchange), reason))
                continue
            deep = options.deep and exchange.method not in surface.LIST_METHODS
            verdict.add(exchange, await live.request(exchange.method, _params(exchange)), deep, ignored)
    return verdict


# "" if it can be sent, None if that has been done already, else why it is left out.
def _why_not(exchange, there, options):
    if exchange.method in _HANDSHAKE or (exchange.params or {}).get("cursor"):
        return None
    if exchange.error_class == UNANSWERED:
        return "it was not answered when it was recorded"
    if exchange.method in _ENDLESS:
        return "it would not end"
    if exchange.params is None and exchange.method in WITH_PARAMS:
        return "it was recorded without params"
    if exchange.redacted["c2s"]:
        return "it was redacted: what was sent is not known"
    if "requestState" in (exchange.params or {}) or "inputResponses" in (exchange.params or {}):
        return "it goes on with a state of the recorded server's"
    if exchange.method == "tools/call":
        return gate.why_not(options, there.tools, exchange.tool)
    return ""


def _params(exchange):
    if exchange.params is None:
        return None
    return {name: value for name, value in exchange.params.items() if name != "_meta"}
