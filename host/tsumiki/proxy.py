"""tsumiki proxy: stand between a client and a real server; change nothing, or what the faults say.

    tsumiki proxy --fault 'tools/call#2=status:503' --listen 127.0.0.1:9000 --url http://robot.local/mcp
    tsumiki proxy --listen 192.168.1.5:9000 --token-env TOKEN -- npx some-server       a stdio server on the network
    tsumiki proxy --restart -- node weather.js             to a client that starts its servers; crashes are mended

Whoever may reach a command's address starts processes here, so a bearer is asked for: that of --token-env, or one that
is made up and told, unless --no-token. Over HTTP each session is a process of its own; one that has crashed is a
session that is lost. In front of a URL the clients' own credentials go through.
"""

import secrets
from pathlib import Path

from . import fault_options, people, record, sides
from .errors import Unreadable
from .redact import add_rules

TAKES_COMMAND = True


def add_arguments(parser):
    parser.epilog = "example: tsumiki proxy --listen 127.0.0.1:9000 -- npx some-server"
    record.add_upstream(parser)
    parser.add_argument(
        "--restart",
        action="store_true",
        help="on stdio: start a command that has left again, its handshake unseen by the client",
    )
    parser.add_argument(
        "--no-token", action="store_true", help="serve whoever reaches the address of --listen"
    )
    parser.add_argument("--record", metavar="F", help="write a cassette of what the client and this say")
    parser.add_argument("--force", action="store_true", help="replace the cassette if it is there")
    add_rules(parser)
    fault_options.add_arguments(parser)
    sides.add_arguments(parser, sessions=False)


def run(options):
    """`tsumiki proxy`: returns the exit status."""
    if options.http == "stdio":
        options.http = None
    transport = sides.transport(options)
    token = _token(options, transport)
    responder, url_token, name = record.upstream(options)
    if options.restart:
        responder = _restarting(options, transport)
    responder = fault_options.wrapped(responder, options, transport, people.tell)
    http = {"token": token}
    if options.record is None:
        return sides.run(responder, options, name, http)
    from .cassette import Writer
    from .recorder import header

    writer = Writer(Path(options.record), header(), options.force)
    return record.recorded(responder, writer, options, url_token or token, name, http)


def _restarting(options, transport):
    if options.command is None or transport != sides.STDIO:
        raise Unreadable("--restart is for a command behind --, and a client on stdio")
    from .upstream_restart import RestartingUpstream

    return RestartingUpstream(options.command, people.tell)


# The bearer that is made up, or None.
def _token(options, transport):
    if options.no_token and (transport == sides.STDIO or options.token_env):
        raise Unreadable("--no-token goes with --listen, and without --token-env")
    if transport == sides.STDIO or options.no_token or options.token_env or options.command is None:
        return None
    token = secrets.token_urlsafe(24)
    people.tell("token: %s" % token)
    return token
