"""Run the official conformance suite against our server and our client on MicroPython.

Prints `scenario: checks passed/checks` for each run and, for what failed, the messages of its checks; then the totals.
The status is 1 if a scenario failed that a revision asks for, or that the suite runs beside those. Not run: clients'
OAuth (auth/...) and the optional extensions (tasks).
"""

import argparse
import sys
import tempfile
from pathlib import Path

for _folder in ("host", "host_tests"):
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / _folder))

import mpy  # noqa: E402
from conformance import suite  # noqa: E402
from install import ROOT, Failed  # noqa: E402
from processes import RomServer  # noqa: E402

TOKEN = "conformance-token"
HEAP = 256  # KB, besides the image that a device has in flash
_FIXTURE = ROOT / "host_tests" / "conformance"


def fixture_server():
    """The server under test: out of a ROMFS image, as on a device, and in a heap as one may have."""
    main, *more = sorted(_compiled(), key=lambda path: path.stem != "fixture_server")
    return RomServer(main, "--port", "{port}", "--token", TOKEN, heapsize=HEAP, more=more)


def _compiled():
    """The modules of the fixture as .mpy files: list of paths."""
    return [mpy.compiled(source) for source in sorted(_FIXTURE.glob("fixture_*.py"))]


def say(text):
    print(text, flush=True)


class Run:
    """One side and revision.  outcomes: list of `suite.Outcome`s."""

    def __init__(self, side, revision, outcomes):
        self.title = "%s %s" % (side, revision)
        self.outcomes = outcomes
        self._scored = suite.Requirements(side, revision).scored

    def failed(self):
        return [o.name for o in self.outcomes if not o.passed]

    def total(self):
        scored = [o for o in self.outcomes if o.name in self._scored]
        others = [o for o in self.outcomes if o.name not in self._scored]
        line = "%s: %s scored scenarios, " % (self.title, _part(scored))
        if others:
            line += "%s that are not scored, " % _part(others)
        line += "%d checks" % sum(o.succeeded for o in self.outcomes)
        failed = self.failed()
        return line + ("; failed: " + ", ".join(failed) if failed else "")


def _part(outcomes):
    return "%d/%d" % (sum(o.passed for o in outcomes), len(outcomes))


def run_server(revision, folder, given, found):
    scenario = given.scenario
    if given.url:
        return suite.run_server(revision, given.url, given.token, folder, scenario, found)
    with fixture_server() as server:
        outcomes = suite.run_server(revision, server.url + "/mcp", TOKEN, folder, scenario, found)
        (folder / "server.log").write_text(server.output(), "utf-8")
    return outcomes


def run_client(revision, folder, given, found):
    outcomes = []
    names = suite.Requirements("client", revision).listed()
    for name in [given.scenario] if given.scenario else names:
        outcomes.append(suite.run_client(revision, name, folder / name))
        found(outcomes[-1])
    return outcomes


SIDES = {"server": run_server, "client": run_client}


def options(arguments):
    parser = argparse.ArgumentParser(prog="make conformance", description=__doc__)
    add = parser.add_argument
    add("--only", choices=SIDES, help="one side")
    add("--scenario", metavar="NAME", help="one scenario")
    add("--url", help="of a server that runs already, /mcp and all, in place of ours")
    add("--token", help="its token")
    add("-o", dest="folder", type=Path, metavar="DIR", help="keep the suite's files in this folder")
    given = parser.parse_args(arguments)
    if given.url:
        given.only = given.only or "server"
    if given.url and given.only != "server":
        parser.error("--url is for servers")
    if given.token and not given.url:
        parser.error("--token is for --url")
    if given.folder and given.folder.exists() and any(given.folder.iterdir()):
        parser.error("%s is not empty" % given.folder)
    return given


def run_all(given, folder):
    """The list of `Run`s that the options ask for."""
    runs = []
    for side, run in SIDES.items():
        if given.only in (None, side):
            for revision in suite.REVISIONS:
                wanted = suite.Requirements(side, revision).listed(oauth=True)
                if given.scenario and given.scenario not in wanted:
                    continue
                say("%s %s" % (side, revision))
                where = folder / ("%s-%s" % (side, revision))
                runs.append(
                    Run(side, revision, run(revision, where, given, lambda o: say("  " + o.report())))
                )
    return runs


def main(arguments):
    given = options(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        runs = run_all(given, given.folder.resolve() if given.folder else Path(temporary))
    if not runs:
        sys.exit("no revision asks for the scenario " + given.scenario)
    say("")
    for run in runs:
        say(run.total())
    sys.exit(any(run.failed() for run in runs))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Failed as e:
        sys.exit(str(e))
