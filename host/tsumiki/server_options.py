"""The options by which a command is told of a live server: `--url URL` or `-- COMMAND`, and how to speak to it."""

import os

from .errors import Unreadable
from .live import TIMEOUT_S, Live


def add_arguments(parser):
    """Add --url, --token-env, --era and --timeout."""
    group = parser.add_argument_group("a live server", "--url URL, or a command line behind a lone --")
    group.add_argument("--url", help="of Streamable HTTP, as http://robot.local/mcp")
    group.add_argument(
        "--token-env", metavar="NAME", help="the environment variable that holds the bearer token"
    )
    group.add_argument(
        "--era", choices=("auto", "legacy", "modern"), default="auto",
        help="auto asks server/discover first; legacy is initialize, modern 2026-07-28 (%(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--timeout",
        type=float,
        default=TIMEOUT_S,
        metavar="S",
        help="seconds a request may take (%(default)g)",
    )


def is_given(options):
    """True if the options name a server.  Raises Unreadable if they name two."""
    if options.url is not None and options.command is not None:
        raise Unreadable("--url or a command behind --, not both")
    return options.url is not None or options.command is not None


def live(options, era=None):
    """The `Live` that the options name, not open yet.  era: str, where they leave it to us.  Raises Unreadable."""
    asked = era if era and options.era == "auto" else options.era
    if options.timeout <= 0:
        raise Unreadable("--timeout: more than 0")
    return Live(options.command, options.url, token(options), asked, options.timeout)


def label(options):
    """How the server is called in what is printed; it holds no secrets: of a command line, the program."""
    return options.url if options.url is not None else " ".join(options.command[:1])


def token(options):
    """The bearer token, str, or None.  Raises Unreadable if the variable is not set."""
    if options.token_env is None:
        return None
    found = os.environ.get(options.token_env)
    if not found:
        raise Unreadable("--token-env %s: it is not set" % options.token_env)
    return found
