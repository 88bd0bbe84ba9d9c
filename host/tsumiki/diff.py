"""What has changed between two servers, or two recordings of one: diff OLD NEW

breaking  a client that worked may fail: a tool is gone, an argument is newly required, an error class is another
routing   a model may choose otherwise: names and arguments are the same, the words are not
info      everything else

  tsumiki diff cassettes/robot/base.ndjson new.ndjson --fail-on routing
  tsumiki diff base.ndjson --url http://robot.local/mcp --token-env ROBOT_TOKEN
"""

import argparse
import json

from . import server_options, surface
from .class_diff import compare_classes
from .errors import Unreadable
from .people import note, say
from .schema_diff import BREAKING, INFO, LEVELS, ROUTING
from .surface_diff import compare_lists

TAKES_COMMAND = True
_FAILS = {"breaking": (BREAKING,), "routing": (BREAKING, ROUTING), "any": LEVELS}


def add_arguments(parser):
    parser.description, parser.formatter_class = __doc__, argparse.RawDescriptionHelpFormatter
    parser.add_argument("old", metavar="OLD", help="a fixture, a cassette, or a tools/list as JSON")
    parser.add_argument("source", metavar="NEW", nargs="?", help="the same, or instead of it a live server")
    add_fail_on(parser)
    parser.add_argument("--json", action="store_true", help="the findings on stdout, as JSON")
    server_options.add_arguments(parser)


def add_fail_on(parser):
    parser.add_argument(
        "--fail-on",
        choices=tuple(_FAILS),
        default="breaking",
        help="which changes make the exit status 1 (%(default)s)",
    )


def run(options):
    """0, or 1 where there are changes of the kinds that fail."""
    if options.source is None and not server_options.is_given(options):
        raise Unreadable("two to compare, please: OLD NEW, OLD --url URL, or OLD -- COMMAND")
    old = surface.read(options.old)
    new = surface.of_options(options, "one NEW")
    changes, notes = compare(old, new)
    failing = failures(changes, options.fail_on)
    if options.json:
        print(json.dumps(report(old, new, changes, notes, not failing), indent=1))
    else:
        show(changes, notes)
        if not changes:
            say("no differences")
    return 1 if failing else 0


def compare(old, new):
    """(changes, notes) of two `surface.Surface`: the worst first."""
    changes, notes = compare_lists(old, new)
    more, more_notes = compare_classes(old, new)
    changes = sorted(changes + more, key=lambda change: (LEVELS.index(change.level), change.path))
    return changes, [*old.notes, *new.notes, *notes, *more_notes]


def failures(changes, fail_on):
    """Those of the changes that fail at `--fail-on`."""
    return [change for change in changes if change.level in _FAILS[fail_on]]


def report(old, new, changes, notes, ok):
    """What --json prints: dict."""
    counts = {level: sum(change.level == level for change in changes) for level in (BREAKING, ROUTING, INFO)}
    return {
        "ok": ok,
        "old": old.label,
        "new": new.label,
        "counts": counts,
        "changes": [change.as_dict() for change in changes],
        "notes": notes,
    }


def show(changes, notes):
    """Print them for people: a line each, the notes to stderr."""
    for line in notes:
        note(line)
    for change in changes:
        say("%-8s  %s: %s" % (change.level, change.path, change.text))
