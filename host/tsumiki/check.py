"""tsumiki check: what is wrong with a fixture or a cassette, with codes that stay.

  tsumiki check weather.json
  tsumiki check weather.json --device --json

Errors end with status 1; warnings do not, unless --strict. docs/fixtures.md has the table of codes, and
`tsumiki check --schema` prints the JSON Schema of the format.
"""

import argparse
import json
import sys
from pathlib import Path

from . import json_file
from .errors import Unreadable
from .finding import ERROR, Finding
from .people import say

SCHEMA = Path(__file__).parent / "schema" / "fixture.schema.json"


def add_arguments(parser):
    parser.description, parser.formatter_class = __doc__, argparse.RawDescriptionHelpFormatter
    parser.add_argument("file", metavar="FIXTURE|CASSETTE", nargs="?")
    parser.add_argument("--json", action="store_true", help='{"ok": true, "findings": [...]} on stdout')
    parser.add_argument("--device", action="store_true", help="look, too, at what a robot could not serve")
    parser.add_argument("--strict", action="store_true", help="warnings are errors")
    parser.add_argument(
        "--schema", action="store_true", help="print the JSON Schema of fixtures, and nothing else"
    )


def run(options):
    if options.schema:
        sys.stdout.write(SCHEMA.read_text("utf-8"))
        return 0
    if options.file is None:
        raise Unreadable("a FIXTURE or a CASSETTE, please")
    kind, findings = check(options.file, options.device)
    ok = not any(f.severity == ERROR or options.strict for f in findings)
    if options.json:
        print(json.dumps({"ok": ok, "findings": [f.as_dict() for f in findings]}))
    else:
        _print(options.file, kind, findings, ok)
    return 0 if ok else 1


def check(path, device=False):
    """(what it is: str, its findings: sorted list of `Finding`) of a file.  Raises Unreadable if it cannot be read."""
    from . import cassette

    if cassette.is_cassette(path):
        from .check_cassette import findings

        return "cassette", sorted(findings(path))
    try:
        document = json_file.read(path)
    except json_file.NoJson as e:
        return "fixture", [Finding("FX001", ERROR, "", "is " + e.reason)]
    from .check_fixture import findings

    kind = (
        "mcpstub fixture"
        if isinstance(document, dict) and document.get("schema") == "mcpstub/v1"
        else "tsumiki fixture"
    )
    return kind, sorted(findings(document, device))


def problems(document):
    """The errors of a fixture's document: sorted list of `Finding`."""
    from .check_fixture import findings

    return sorted(f for f in findings(document) if f.severity == ERROR and f.code != "FX018")


def _print(path, kind, findings, ok):
    for finding in findings:
        say("%s %s %s: %s" % (finding.severity, finding.code, finding.path or "/", finding.message))
    if ok:
        count = len(findings)
        more = " (%d warning%s)" % (count, "" if count == 1 else "s") if count else ""
        say("\u2713 valid %s: %s%s" % (kind, path, more))
    else:
        say("\u2717 not valid, %s: %s" % (kind, path))
