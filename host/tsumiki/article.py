"""tsumiki article: a fixture that records or replays as its environment says; python -m tsumiki.article starts sooner.

    MODE=record UPSTREAM_BIN=node UPSTREAM_ARGS='["server.js"]' tsumiki article

    MODE            replay (the default) or record
    CASSETTE        ./cassette.ndjson
    FAULT_METHOD    a method whose requests all meet FAULT: timeout, disconnect or malformed; in replay
    UPSTREAM_BIN    the server to record; UPSTREAM_ARGS: its arguments, a JSON array

Replay has a queue a method, each answer once, and knows nothing that was not recorded; what is no message gets no
answer. A recording replaces the cassette, in one step, when it ends; its rows are direction and raw, and what was
redacted.
"""

import json
import os
import sys
from pathlib import Path

if __name__ == "__main__":  # started by its own name, and quickly: clients wait
    _firmware = Path(__file__).resolve().parents[2] / "firmware"
    if (_firmware / "umcp").is_dir():
        sys.path.append(str(_firmware))

from tsumiki.errors import Failed, Unreadable

MODES = ("replay", "record")


def add_arguments(parser):
    import argparse  # late: it starts sooner without

    parser.description, parser.formatter_class = __doc__, argparse.RawDescriptionHelpFormatter


def run(options=None, environ=os.environ):
    """environ: mapping of str.  Returns the exit status.  Raises Failed."""
    mode = environ.get("MODE") or "replay"
    path = Path(environ.get("CASSETTE") or "./cassette.ndjson")
    if mode not in MODES:
        raise Unreadable("MODE is %s or %s, not %s" % (*MODES, mode))
    return _record(path, environ) if mode == "record" else _replay(path, environ)


def _replay(path, environ):
    from tsumiki import cassette, fault_options, people, sides
    from tsumiki.replay import Replay

    replay = Replay(cassette.load(path), "method", "error", complete=False, quiet=True, order_s=0)
    return sides.serve_stdio(fault_options.by_environment(replay, environ, people.tell))


def _record(path, environ):
    from tsumiki import people, record, sides
    from tsumiki.cassette import Writer
    from tsumiki.recorder import Recorder
    from tsumiki.redact import Redactor
    from tsumiki.upstream import CommandUpstream

    program = environ.get("UPSTREAM_BIN")
    if not program:
        raise Unreadable("UPSTREAM_BIN is required in record mode")
    relay = CommandUpstream([program, *_arguments(environ)], "stdio", people.tell)
    writer = Writer(path, None, force=True)
    redactor = Redactor()
    recorder = Recorder(relay, writer, redactor, plain=True)
    try:
        return sides.serve_stdio(recorder)
    finally:
        writer.discard()
        record.told(recorder.path, writer.count, redactor.count)


def _arguments(environ):
    try:
        found = json.loads(environ.get("UPSTREAM_ARGS") or "[]")
    except ValueError:
        found = None
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise Unreadable("UPSTREAM_ARGS is a JSON array of strings")
    return found


def main():
    """The entry of `python -m tsumiki.article`: returns the exit status."""
    if os.environ.get("MODE") != "record":
        # asyncio goes without it, and so does a replay: it is a tenth of the time until the first answer.
        sys.modules.setdefault("ssl", None)
    try:
        return run()
    except Failed as e:
        from tsumiki.people import note

        note("tsumiki article: %s" % e)
        return e.status


if __name__ == "__main__":
    sys.exit(main())
