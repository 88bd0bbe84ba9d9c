"""What do a server's tool definitions cost? budget SOURCE | --url URL | -- COMMAND

Every request to a model carries every tool: name, description and input schema. A token is taken for four characters,
unless --tokens-cmd counts them: a command that gets one definition on stdin, and prints a number.

  tsumiki budget robot.fixture.json --requests 40000 --price 2.50
  tsumiki budget --url http://robot.local/mcp --token-env ROBOT_TOKEN --max-tokens 1500
"""

import argparse
import json
import shlex
import subprocess

from . import server_options, surface
from .errors import Failed, Unreadable
from .people import say

TAKES_COMMAND = True

_CHARACTERS = 4  # a token
_COUNTED = ("name", "description", "inputSchema")
# What a fixture has beside what is listed.
_OWN = ("cases", "sequence", "result", "error", "times", "delayMs", "validate", "note")
_SECONDS = 60


def add_arguments(parser):
    parser.description, parser.formatter_class = __doc__, argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "source", metavar="SOURCE", nargs="?", help="a fixture, a cassette, or a tools/list as JSON"
    )
    parser.add_argument("--requests", type=int, metavar="N", help="requests to the model, in a month say")
    parser.add_argument("--price", type=float, metavar="P", help="of a million input tokens, in dollars")
    parser.add_argument(
        "--tokens-cmd", metavar="C", help="a command that counts: a definition on stdin, a number out"
    )
    parser.add_argument("--max-tokens", type=int, metavar="N", help="exit status 1 if a request carries more")
    parser.add_argument("--json", action="store_true", help="the numbers on stdout, as JSON")
    server_options.add_arguments(parser)


def run(options):
    """0, or 1 if a request carries more than --max-tokens."""
    for name in ("requests", "price"):
        if getattr(options, name) is not None and getattr(options, name) < 0:
            raise Unreadable("--%s: 0 or more" % name)
    there = surface.of_options(options)
    if there.tools is None:
        raise Unreadable("%s has no list of tools" % there.label)
    found = budget(there.tools.values(), counter(options.tokens_cmd), options.requests, options.price)
    if options.json:
        print(json.dumps(found, indent=1))
    else:
        _show(there.label, found)
    return 1 if options.max_tokens is not None and found["tokens_per_request"] > options.max_tokens else 0


def budget(tools, count, requests=None, price=None):
    """What the tools (entries as listed) cost: dict.  count: function(text) -> tokens.

    requests: int, price: dollars a million tokens, or None: then `tokens` or `cost` is None.
    """
    rows = []
    for tool in tools:
        listed = {key: value for key, value in tool.items() if key not in _OWN and not key.startswith("x-")}
        text = compact({key: listed[key] for key in _COUNTED if key in listed})
        rows.append({"tool": tool["name"], "tokens": count(text), "bytes": len(compact(listed).encode())})
    rows.sort(key=lambda row: (-row["tokens"], row["tool"]))
    per_request = sum(row["tokens"] for row in rows)
    tokens = None if requests is None else per_request * requests
    return {
        "tools": rows,
        "tokens_per_request": per_request,
        "list_bytes": len(compact({"tools": []})) + sum(row["bytes"] for row in rows) + max(0, len(rows) - 1),
        "requests": requests,
        "tokens": tokens,
        "cost": None if tokens is None or price is None else tokens * price / 1e6,
    }


def counter(command=None):
    """A function(text) -> tokens: four characters each, rounded up, or what a command says."""
    if command is None:
        return lambda text: -(-len(text) // _CHARACTERS)
    try:
        words = shlex.split(command)
    except ValueError as e:
        raise Unreadable("--tokens-cmd: %s" % e) from None
    return lambda text: _counted(words, text)


def compact(value):
    """A JSON value without white space, str."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _counted(words, text):
    try:
        done = subprocess.run(words, input=text.encode(), capture_output=True, timeout=_SECONDS)
        if done.returncode:
            raise ValueError("status %d" % done.returncode)
        return int(done.stdout)
    except (OSError, ValueError, IndexError, subprocess.TimeoutExpired) as e:
        raise Failed("--tokens-cmd: %s" % e) from None


def _show(label, found):
    rows = [(row["tool"], row["tokens"], row["bytes"]) for row in found["tools"]]
    rows.append(("a request, and tools/list", found["tokens_per_request"], found["list_bytes"]))
    width = max(len(row[0]) for row in rows)
    say("%s: %d tools" % (label, len(rows) - 1))
    for name, tokens, size in rows:
        say("  %s  %6d tokens  %7d bytes" % (name.ljust(width), tokens, size))
    if found["tokens"] is not None:
        say("%s requests: %s tokens" % (_grouped(found["requests"]), _grouped(found["tokens"])))
    if found["cost"] is not None:
        say("cost: $%.2f" % found["cost"])


def _grouped(number):
    return "{:,}".format(number)
