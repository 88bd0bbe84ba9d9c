"""Does a server still do what somebody relies on? contract CONTRACT --from FILE | --url URL | -- COMMAND

What the contract writes is pinned, and nothing else: new tools, new optional arguments and other descriptions pass.
Its calls are made at a live server only if that is allowed; of a cassette the recorded ones are looked at.

  tsumiki contract robot.contract.json --url http://robot.local/mcp --token-env ROBOT_TOKEN --allow-calls
  tsumiki contract --init robot.contract.json --from cassettes/robot/base.ndjson
"""

import argparse
import asyncio
import json
from pathlib import Path

from stub.match import matches

from . import contract_file, gate, server_options, surface
from .errors import Unreadable
from .exchanges import fits
from .kept import Kept
from .people import note, say
from .schema_fit import misfits

TAKES_COMMAND = True


def add_arguments(parser):
    parser.description, parser.formatter_class = __doc__, argparse.RawDescriptionHelpFormatter
    parser.add_argument("contract", metavar="CONTRACT", help="the contract's file")
    parser.add_argument(
        "--init", action="store_true", help="write a contract to begin with, of what the source shows"
    )
    parser.add_argument("--force", action="store_true", help="with --init: replace a file that is there")
    parser.add_argument("--json", action="store_true", help="the findings on stdout, as JSON")
    gate.add_arguments(parser)
    surface.add_source(parser)


def run(options):
    """0 if the contract holds, 1 if it does not."""
    if options.init:
        return _init(options)
    contract = contract_file.load(options.contract)
    check = asyncio.run(_checked(contract, options))
    if options.json:
        print(json.dumps(check.report(), indent=1))
    else:
        check.show()
    return 1 if check.findings else 0


class Check:
    """One contract against one source.  findings: list of (path, text).  skipped: list of (path, reason).

    notes: list of str.  made: int, how many calls and requests were looked at.
    """

    def __init__(self, label):
        self.label = label
        self.findings = []
        self.skipped = []
        self.notes = []
        self.made = 0

    def lists(self, contract, there):
        """What the contract says of the lists of a `surface.Surface`."""
        self.notes += there.notes
        if there.tools is None and contract.get("tools"):
            self.findings.append(("/tools", "%s has no list of tools" % there.label))
            return
        for name, pinned in contract.get("tools", {}).items():
            path = "/tools/" + name
            if there.tools is None or name not in there.tools:
                self.findings.append(
                    (path, "the tool is gone" if there.tools is not None else "no list of tools")
                )
            else:
                self._tool(pinned, there.tools[name], path)
        for key in ("resources", "templates"):
            for i, name in enumerate(contract.get(key, ())):
                if name not in (getattr(there, key) or {}):
                    self.findings.append(("/%s/%d" % (key, i), "%s is gone" % name))
        for name, pinned in contract.get("prompts", {}).items():
            self._prompt(pinned, (there.prompts or {}).get(name), "/prompts/" + name)

    def answer(self, pinned, answer, path):
        """What the contract says of one answer."""
        self.made += 1
        found = answer.error_class
        wanted = pinned.get("class", "ok")
        if not fits(wanted, found):
            self.findings.append((path + "/class", "%s is wanted, it is %s" % (wanted, answer.explain())))
            return
        for name, member in (("content", "content"), ("structured", "structuredContent"), ("result", None)):
            value = answer.result if member is None else answer.result.get(member)
            if name in pinned and not matches(pinned[name], value):
                self.findings.append(("%s/%s" % (path, name), "it is %s" % _shown(value)))

    def report(self):
        """What --json prints: dict."""
        return {
            "ok": not self.findings,
            "source": self.label,
            "made": self.made,
            "findings": [{"path": path, "message": text} for path, text in self.findings],
            "skipped": [{"path": path, "reason": text} for path, text in self.skipped],
            "notes": self.notes,
        }

    def show(self):
        """Print it for people."""
        for line in (*self.notes, *("%s: %s" % one for one in self.skipped)):
            note(line)
        for path, text in self.findings:
            say("✗ %s: %s" % (path, text))
        if not self.findings:
            rest = ", %d calls not made" % len(self.skipped) if self.skipped else ""
            say("✓ %s holds to the contract (%d answers looked at%s)" % (self.label, self.made, rest))

    def _tool(self, pinned, tool, path):
        schema = tool["inputSchema"] if isinstance(tool.get("inputSchema"), dict) else {}
        wanted = {"properties": pinned.get("args", {})}
        if "required" in pinned:
            wanted["required"] = pinned["required"]
        for at, text in misfits(wanted, schema):
            self.findings.append((path + at.replace("/properties", "/args", 1), text))
        if "output" in pinned:
            output = tool.get("outputSchema")
            for at, text in misfits(pinned["output"], output if isinstance(output, dict) else {}):
                self.findings.append((path + "/output" + at, text))
        if "annotations" in pinned and not matches(pinned["annotations"], tool.get("annotations")):
            self.findings.append((path + "/annotations", "they are %s" % _shown(tool.get("annotations"))))

    def _prompt(self, pinned, prompt, path):
        if prompt is None:
            self.findings.append((path, "the prompt is gone"))
            return
        now = set(contract_file.needed(prompt))
        if "required" in pinned and now != set(pinned["required"]):
            self.findings.append((path + "/required", "it is %s" % _shown(sorted(now))))


async def _checked(contract, options):
    if not server_options.is_given(options):
        return _of_file(contract, surface.of_options(options))
    if options.source is not None:
        raise Unreadable("one source, please: --from FILE, --url URL or a command behind --")
    label = server_options.label(options)
    async with server_options.live(options) as live:
        check = Check(label)
        there = await surface.of_live(live, label)
        check.lists(contract, there)
        gate.warn(options, label)
        await _ask(contract, live, there, options, check)
        return check


def _of_file(contract, there):
    check = Check(there.label)
    check.lists(contract, there)
    kept = Kept(there.recording) if there.recording else None
    for path, pinned, method, params in _asked(contract):
        if kept:
            answer = kept.find(method, params)
        else:
            calls = there.fixture is not None and method == "tools/call" and params
            answer = there.answer(params.get("name"), params.get("arguments", {})) if calls else None
        if answer is not None:
            check.answer(pinned, answer, path)
        elif kept:
            check.findings.append((path, "not recorded"))
        else:
            check.skipped.append((path, "%s does not answer this" % there.label))
    return check


async def _ask(contract, live, there, options, check):
    for path, pinned, method, params in _asked(contract):
        name = (params or {}).get("name")
        reason = gate.why_not(options, there.tools, name) if method == "tools/call" else ""
        if reason:
            check.skipped.append((path, reason))
        else:
            check.answer(pinned, await live.request(method, params), path)


# (path, what is pinned, method, params) of all that the contract asks.
def _asked(contract):
    for name, tool in contract.get("tools", {}).items():
        for i, call in enumerate(tool.get("calls", ())):
            params = {"name": name, "arguments": call.get("args", {})}
            yield "/tools/%s/calls/%d" % (name, i), call, "tools/call", params
    for i, request in enumerate(contract.get("requests", ())):
        yield "/requests/%d" % i, request, request["method"], request.get("params")


def _init(options):
    there = surface.of_options(options)
    path = Path(options.contract)
    if path.exists() and not options.force:
        raise Unreadable("%s is there already: --force replaces it" % path)
    made = contract_file.starting(there)
    try:
        path.write_text(json.dumps(made, indent=2, ensure_ascii=False) + "\n", "utf-8")
    except OSError as e:
        raise Unreadable("%s: %s" % (path, e.strerror)) from None
    say("tsumiki: wrote %s (%d tools)" % (path, len(made["tools"])))
    return 0


def _shown(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."
