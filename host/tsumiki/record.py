"""tsumiki record: stand between a client and a real server, change nothing, and write a cassette.

    tsumiki record --server weather --scenario paris -- node weather.js     to a client that starts its servers
    tsumiki record --out paris.ndjson --http 127.0.0.1:8081 --url https://example.org/mcp

Secrets are taken out before anything is written. The cassette is in its place when the client or the server leaves, or
at Ctrl+C (status 130); where no message passed, nothing is written. On stdio the exit status is the server's.
"""

import argparse
import re
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from . import people, sides
from .cassette import Writer
from .errors import Unreadable
from .recorder import Recorder, header
from .redact import Redactor, add_rules

TAKES_COMMAND = True

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_MIN_VALUE = 8  # characters of a value in a URL's query: a shorter one may be an ordinary word


def add_arguments(parser):
    parser.description, parser.formatter_class = __doc__, argparse.RawDescriptionHelpFormatter
    add_upstream(parser)
    parser.add_argument("--out", metavar="F", help="the cassette")
    parser.add_argument("--server", metavar="NAME", help="without --out: cassettes/NAME/SCENARIO.ndjson")
    parser.add_argument("--scenario", metavar="NAME")
    parser.add_argument("--force", action="store_true", help="replace the cassette if it is there")
    add_rules(parser)
    sides.add_arguments(parser, sessions=False)


def add_upstream(parser):
    """The options that name the server behind."""
    group = parser.add_argument_group("the server", "--url URL, or a command line behind a lone --")
    group.add_argument("--url", help="of Streamable HTTP, as http://robot.local/mcp")
    group.add_argument(
        "--url-token-env", metavar="NAME", help="the environment variable with the bearer token for the URL"
    )


def upstream(options):
    """(responder, token or None, str for people) of the server that the options name.  Raises Unreadable."""
    from .upstream import upstream as relay

    if (options.url is None) == (options.command is None):
        raise Unreadable("one server, please: --url URL or -- COMMAND")
    if options.command is not None and (not options.command or options.url_token_env):
        raise Unreadable(
            "--url-token-env goes with --url" if options.command else "what is to start behind -- ?"
        )
    token = sides.token_of(options.url_token_env)
    found = relay(sides.transport(options), options.command, options.url, token, people.tell)
    name = options.command[0] if options.command else urlsplit(options.url).hostname
    return found, token, name


def run(options):
    """`tsumiki record`: returns the exit status."""
    path = _path(options)
    responder, token, name = upstream(options)
    writer = Writer(path, header(options.server, options.scenario), options.force)
    return recorded(responder, writer, options, token, name)


def recorded(responder, writer, options, token, name, http=None):
    """Serve a responder, as `sides.run` does, and write down what passes.  writer: `cassette.Writer`.

    token: str, a secret besides those in the options, or None.
    """
    redactor = Redactor(options.redact)
    for secret in _secrets(options, token):
        redactor.learn(secret)
    recorder = Recorder(responder, writer, redactor)
    try:
        return sides.run(recorder, options, name, http)
    finally:
        writer.discard()
        told(recorder.path, writer.count, redactor.count)


def told(path, rows, redacted):
    """Say what became of a recording.  path: of the cassette, or None for none."""
    if path is None:
        people.tell("no message passed: nothing was written")
    else:
        people.tell("wrote %s (%d messages, %d redacted)" % (path, rows, redacted))


def _path(options):
    for name in (options.server, options.scenario):
        if name is not None and not _NAME.fullmatch(name):
            raise Unreadable("%s: a name is of letters, digits, . _ and -" % name)
    if options.out is not None:
        return Path(options.out)
    if options.server is None or options.scenario is None:
        raise Unreadable("--out F, or --server NAME and --scenario NAME: where is the cassette to be?")
    return Path("cassettes", options.server, options.scenario + ".ndjson")


# What must not stand in a cassette wherever it comes from.
def _secrets(options, token):
    found = [token, sides.token_of(options.token_env)]
    if options.url is not None:
        found += [value for _, value in parse_qsl(urlsplit(options.url).query) if len(value) >= _MIN_VALUE]
    return [secret for secret in found if secret]
