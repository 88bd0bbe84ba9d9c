"""The official conformance suite, run as a process; what it found is read from the checks it leaves in a folder.

A scenario passes here if at least one of its checks succeeded and none failed or warned; of a server, if none was
skipped either. The suite itself forgives a server its warnings, and whatever it could not try.
"""

import json
import os
import re
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import install
import interpreter
from processes import run_limited

PACKAGE = install.JS / "node_modules/@modelcontextprotocol/conformance"
BEARER = Path(__file__).with_name("bearer.mjs")
CLIENT = Path(__file__).with_name("client_under_test.py")
REVISIONS = ("2025-11-25", "2026-07-28")

_BAD = {
    "server": ("FAILURE", "WARNING", "SKIPPED"),
    # Skipped is what a client of its era does not send.
    "client": ("FAILURE", "WARNING"),
}
# Both are checks of the messages that every scenario happens to exchange.
_WIRE = ("wire-schema-valid", "wire-schema-harness-error")
_FOLDER = re.compile(r"^(?:server-)?(.+)-\d{4}-\d\d-\d\dT")


class Requirements:
    """The scenarios that a revision asks of one side ("server" or "client"), as the suite's own list has them.

    scored: list of names.  pending: those that run but do not count, by the suite's own reckoning.
    extension: of parts of the protocol that are optional by definition.
    """

    def __init__(self, side, revision):
        self.side = side
        self.revision = revision
        self.scored = []
        self.pending = []
        self.extension = []
        text = (PACKAGE / "requirements" / (revision + ".yaml")).read_text("utf-8")
        part = re.search(r"^%s:\n((?:[ #].*\n|\n)*)" % side, text, re.M).group(1)
        self.scored = re.findall(r"^  - (\S+)", part, re.M)
        rest = re.findall(r"^  - scenario: (\S+)\n    leg: (\S+)\n    reason: (\S+)", text, re.M)
        for name, leg, reason in rest:
            if leg == side:
                (self.extension if reason == "extension" else self.pending).append(name)

    def listed(self, oauth=False):
        """Those we answer for: without the extensions, and without OAuth unless it is asked for."""
        return [n for n in self.scored + self.pending if oauth or not n.startswith("auth/")]


class Outcome:
    """What one scenario found.

    checks: the suite's list of dicts.  trouble: str, why there are none to go by.  side: "server" or "client".
    """

    def __init__(self, name, checks, trouble="", side="server"):
        self.name = name
        self.succeeded = sum(c["status"] == "SUCCESS" for c in checks)
        self.failures = [_failure(c) for c in checks if c["status"] in _BAD[side]]
        self.total = self.succeeded + len(self.failures)
        if trouble:
            self.failures.append(trouble)
        elif not self.failures and not any(_tells(c) for c in checks):
            self.failures.append("nothing was tried: " + ("; ".join(map(_said, checks)) or "no checks"))

    @property
    def passed(self):
        return not self.failures

    def line(self):
        return "%s: %d/%d" % (self.name, self.succeeded, self.total)

    def report(self):
        """The line, and one for each check that failed."""
        return "\n    ".join([self.line() + ("" if self.passed else "  FAILED")] + self.failures)


def _tells(check):
    return check["status"] == "SUCCESS" and check["id"] not in _WIRE


def _failure(check):
    return "%s %s: %s" % (check["status"], check["id"], _said(check))


def _said(check):
    details = check.get("details") or {}
    return check.get("errorMessage") or details.get("message") or details.get("note") or check["description"]


def run_server(revision, url, token, folder, scenario=None, found=None):
    """Run what a revision asks of a server, or one scenario of it: a list of `Outcome`s, in the order they ran.

    url: str, of the endpoint.  token: str, or None to send none.  folder: Path, for the suite's files; empty.
    found: called with each `Outcome` as it comes in.
    """
    what = ["--scenario", scenario, "--spec-version", revision] if scenario else ["--requirements", revision]
    requirements = Requirements("server", revision)
    wanted = [scenario] if scenario else requirements.listed()
    seen = _Folder(folder, "server", wanted, found or _ignore)
    arguments = ["server", "--url", url, *what, "-o", folder]
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(_conformance, arguments, folder, _preload(url, token))
        while not wait([running], 0.1).done:
            seen.look(True)
    # Its status counts what is not listed here, and not what is.
    return seen.finish(running.result()[1])


def run_client(revision, scenario, folder, command=None):
    """Run one scenario against our client: an `Outcome`.  command: list, another client."""
    command = command or [interpreter.need(), CLIENT]
    arguments = ["client", "--command", " ".join(map(str, command)), "--scenario", scenario]
    arguments += ["--spec-version", revision, "-o", folder]
    environment = {"MICROPYPATH": interpreter.environment()["MICROPYPATH"]}
    status, output = _conformance(arguments, folder, environment)
    outcome = _Folder(folder, "client", [scenario], _ignore).finish(output)[0]
    # Its status knows more than the checks: how the client ended, and whether it did.
    if status and outcome.passed:
        outcome.failures.append("the suite says no: %s\n%s" % (status, output))
    return outcome


def _conformance(arguments, folder, environment):
    command = [install.node(), PACKAGE / "dist/index.js", *arguments]
    folder.mkdir(parents=True, exist_ok=True)
    status, output = run_limited(command, env=dict(os.environ, **environment), cwd=folder)
    (folder / "suite.log").write_text(output + "\n" + status, "utf-8")
    return status, output


def _preload(url, token):
    if token is None:
        return {}
    return {"NODE_OPTIONS": "--import " + BEARER.as_uri(), "CONFORMANCE_URL": url, "CONFORMANCE_TOKEN": token}


def _ignore(outcome):
    pass


class _Folder:
    """The folder that fills up with results."""

    def __init__(self, folder, side, wanted, found):
        self._folder = folder
        self._side = side
        self._wanted = wanted
        self._found = found
        self._outcomes = {}

    def look(self, running):
        """Take in what is new; while the suite runs, the newest file may be half written."""
        paths = sorted(self._folder.rglob("checks.json"), key=lambda path: path.stat().st_mtime_ns)
        for path in paths[:-1] if running else paths:
            where = path.parent.relative_to(self._folder).as_posix()
            name = _FOLDER.match(where)
            if name and name.group(1) in self._wanted:
                self._take(name.group(1), json.loads(path.read_text("utf-8")))

    def _take(self, name, checks, trouble=""):
        if name not in self._outcomes:
            self._outcomes[name] = Outcome(name, checks, trouble, self._side)
            self._found(self._outcomes[name])

    def finish(self, output):
        self.look(False)
        for name in self._wanted:
            self._take(name, [], "it left no checks; the suite said:\n" + output[-2000:])
        return list(self._outcomes.values())
