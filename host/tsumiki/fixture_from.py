"""tsumiki from: a fixture of what a server offers, without anything that it has ever answered.

  tsumiki from tools.json --out weather.json          a report, the result of tools/list, or the message around it
  tsumiki from cassettes/weather/paris.ndjson
  tsumiki from --url http://robot.local/mcp --token-env TOKEN --out robot.json
  tsumiki from --out files.json -- npx -y @modelcontextprotocol/server-filesystem /tmp

A live server is listed, and nothing of it is called. What a tool answers is made up when it is asked.
"""

import argparse
import asyncio
import json
import os
import sys
from pathlib import Path

from stub.offered import OWN

from . import people, server_options, surface
from .errors import Unreadable

TAKES_COMMAND = True

MARKER = "tsumiki/fixture-v1"
# attribute of a Surface -> key of the list
_LISTS = (
    ("tools", "tools"),
    ("resources", "resources"),
    ("templates", "resourceTemplates"),
    ("prompts", "prompts"),
)


def add_arguments(parser):
    parser.description, parser.formatter_class = __doc__, argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "source", metavar="SRC", nargs="?", help="a report, tools/list as JSON, a cassette, a fixture"
    )
    server_options.add_arguments(parser)
    parser.add_argument("--out", metavar="F", help="the fixture to write (stdout)")
    parser.add_argument("--force", action="store_true", help="replace the file that is there")


def run(options):
    live = server_options.is_given(options)
    if live == (options.source is not None):
        raise Unreadable("SRC, --url URL or a command behind --, please, and one of them")
    if options.out and os.path.exists(options.out) and not options.force:
        raise Unreadable("%s is there already; --force replaces it" % options.out)
    found = asyncio.run(_listed(options)) if live else surface.read(options.source)
    for note in found.notes:
        people.note("tsumiki: " + note)
    document = fixture(found)
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    if options.out is None:
        sys.stdout.write(text)
        return 0
    _write(Path(options.out), text)
    count = len(document["tools"])
    people.say("tsumiki: wrote %s (%d tool%s)" % (options.out, count, "" if count == 1 else "s"))
    return 0


def fixture(found):
    """The document of a fixture.  found: a `surface.Surface`. Raises Unreadable if no tools are known."""
    if found.tools is None:
        raise Unreadable("%s tells of no tools" % found.label)
    document = {"schema": MARKER, "server": {"name": "stub", "version": "0"}}
    document["server"].update(found.identity)
    if found.instructions:
        document["instructions"] = found.instructions
    for attribute, name in _LISTS:
        entries = getattr(found, attribute)
        if entries or attribute == "tools":
            document[name] = [_placeholder(entry) for entry in entries.values()]
    return document


# What the entry of a fixture says of answers is not kept either.
def _placeholder(entry):
    return {name: value for name, value in entry.items() if name not in OWN}


async def _listed(options):
    async with server_options.live(options) as live:
        return await surface.of_live(live, server_options.label(options))


def _write(path, text):
    beside = path.with_name(path.name + ".tmp")
    try:
        beside.write_text(text, "utf-8")
        os.replace(beside, path)
    except OSError as e:
        raise Unreadable("%s: %s" % (path, e.strerror)) from None
