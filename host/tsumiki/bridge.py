"""tsumiki bridge: a robot for a client that only knows servers which it starts itself, over stdin and stdout.

tsumiki bridge serial:/dev/ttyACM0          the robot on a cable: no network, no token
tsumiki bridge http://192.168.0.5:8080/mcp --allow-http      its token in $TSUMIKI_TOKEN
"""

import os
import signal
import sys

from .errors import Failed
from .relay import client as stdio

_SERIAL = "serial:"
_TOKEN = "TSUMIKI_TOKEN"
_TERMINATED = 128 + signal.SIGTERM


def add_arguments(parser):
    parser.epilog = "example: TSUMIKI_TOKEN=... tsumiki bridge http://robot.local/mcp --allow-http"
    parser.add_argument(
        "target",
        metavar="serial:PORT[@BAUD] or URL",
        help="a port, or a URL of pyserial's; `serial:` alone is the only board on USB; or the robot's "
        "http://HOST:PORT/mcp, its token in the environment: TSUMIKI_TOKEN",
    )
    parser.add_argument(
        "--allow-http",
        action="store_true",
        help="send the token unencrypted in your own network: to private addresses and .local names, no others",
    )


def run(options):
    client = stdio.stdio()
    link = _link(options, client)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(_TERMINATED))
    link.start()
    try:
        stdio.serve(sys.stdin.buffer, link, client)
    finally:
        link.close()
    return 0


def _link(options, client):
    if options.target.startswith(_SERIAL):
        return _serial_link(options.target[len(_SERIAL) :], client)
    if "://" not in options.target:
        raise Failed("%s is neither serial:PORT nor a URL" % options.target)
    from .relay.address import Target
    from .relay.http_link import HttpLink

    return HttpLink(Target(options.target, options.allow_http), _token(), client)


# It goes into a header: what has no place there is told here, and not shown.
def _token():
    token = os.environ.get(_TOKEN, "").strip()
    if not (token.isascii() and token.isprintable()):
        raise Failed("%s has characters that no token has" % _TOKEN)
    return token or None


def _serial_link(port, client):
    from .ports import find
    from .relay.serial_link import SerialLink
    from .relay.serial_port import BAUD, ERRORS, Port

    name, at, baud = port.rpartition("@")
    if not (at and baud.isdigit()):
        name, baud = port, BAUD
    if not name:
        name = find()
    return SerialLink(lambda: Port(name, int(baud)), name, client, ERRORS)
