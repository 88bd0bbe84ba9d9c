"""tsumiki serve: a fixture or a cassette as an MCP server, on stdio or over HTTP, in both eras.

  tsumiki serve weather.json                                   to a client that starts its servers
  tsumiki serve weather.json --http 127.0.0.1:8081 --session required --log calls.jsonl
  tsumiki serve cassettes/weather/paris.ndjson --http 127.0.0.1:0
  tsumiki serve weather.json --fault 'tools/call#2=timeout'

With --stdio it starts no process, opens no connection and reads no credential; of files it reads the one that is named,
and writes the log, if one is.
"""

import argparse

from . import fault_options, people, sides
from .errors import Unreadable

ERAS = {"both": ("legacy", "modern"), "legacy": ("legacy",), "modern": ("modern",)}
MATCHES = ("auto", "method", "args", "strict")
EXHAUSTED = ("error", "repeat", "cycle")


def add_arguments(parser):
    parser.description, parser.formatter_class = __doc__, argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "file", metavar="FIXTURE|CASSETTE", help="mcpstub/v1, tsumiki/fixture-v1, or NDJSON rows"
    )
    sides.add_arguments(parser)
    parser.add_argument(
        "--era", choices=ERAS, help="legacy is initialize (to 2025-11-25), modern 2026-07-28 (both)"
    )
    parser.add_argument(
        "--log", metavar="F", help="append a line of JSON for each tools/call: it may hold what users typed"
    )
    fault_options.add_arguments(parser)
    stub = parser.add_argument_group("a fixture")
    stub.add_argument("--validate", action="store_true", help="check arguments by the tools' schemas")
    tape = parser.add_argument_group("a cassette")
    tape.add_argument("--scenario", metavar="NAME", help="play this one alone")
    tape.add_argument("--match", choices=MATCHES, help="what must be equal to get a recorded answer (auto)")
    tape.add_argument(
        "--exhausted",
        choices=EXHAUSTED,
        help="when all answers were given (error for calls, repeat for lists)",
    )
    tape.add_argument(
        "--ignore", action="append", default=[], metavar="POINTER", help="of params, not to be compared"
    )
    tape.add_argument(
        "--raw", action="store_true", help="answers as recorded, though they be of the other era"
    )
    tape.add_argument("--pace", action="store_true", help="take the time that was taken")


def run(options):
    transport = sides.transport(options)
    from .cassette import is_cassette

    responder, name, http = (_replay if is_cassette(options.file) else _stub)(options)
    responder = fault_options.wrapped(responder, options, transport, people.tell)
    if options.log:
        from .call_log import CallLog

        try:
            responder = CallLog(responder, options.log)
        except OSError as e:
            raise Unreadable("%s: %s" % (options.log, e.strerror)) from None
    return sides.run(responder, options, name, http)


def _stub(options):
    from stub.answers import FixtureError
    from stub.fixture import Fixture

    from .check import problems
    from .json_file import read
    from .loop import sleep_ms
    from .stub_responder import StubResponder

    for given in ("scenario", "match", "exhausted", "ignore", "raw", "pace"):
        if getattr(options, given):
            raise Unreadable("--%s goes with a cassette; %s is a fixture" % (given, options.file))
    document = read(options.file)
    found = problems(document)
    if found:
        more = ", and %d more: tsumiki check tells them" % (len(found) - 1) if len(found) > 1 else ""
        raise Unreadable(
            "%s: %s %s: %s%s" % (options.file, found[0].code, found[0].path or "/", found[0].message, more)
        )
    try:
        fixture = Fixture(document, options.validate, sleep_ms)
        session = options.session or fixture.http.get("session") or "off"
        responder = StubResponder(fixture, session, ERAS.get(options.era), sides.log)
    except FixtureError as e:
        raise Unreadable("%s: %s" % (options.file, e)) from None
    count = len(fixture.tools)
    return responder, "%s (%d tool%s)" % (fixture.name, count, "" if count == 1 else "s"), fixture.http


def _replay(options):
    from .cassette import load
    from .replay import Replay

    if options.validate:
        raise Unreadable("--validate goes with a fixture; %s is a cassette" % options.file)
    cassette = load(options.file, options.scenario)
    responder = Replay(
        cassette,
        options.match or "auto",
        options.exhausted,
        options.ignore,
        options.era or "both",
        options.session or "optional",
        streams=options.sse != "never",
        as_is=options.raw,
        pace=options.pace,
    )
    return responder, cassette.path.name, {}
