"""A responder at one of the two transports, from the command line until it is over."""

import asyncio
import os
import signal

from .errors import Failed, Unreadable
from .people import tell

HTTP = "http"
STDIO = "stdio"
SSE = ("never", "accept", "always")
SESSIONS = ("off", "optional", "required")
_INTERRUPTED = 130  # 128 + SIGINT
_TERMINATED = 143  # 128 + SIGTERM
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def add_arguments(parser, sessions=True):
    """The options of the transport."""
    parser.add_argument(
        "--stdio", action="store_true", help="serve whoever started this, over stdin and stdout (the default)"
    )
    parser.add_argument(
        "--http",
        "--listen",
        metavar="HOST:PORT",
        help="serve Streamable HTTP there; port 0 is a free one, which is told",
    )
    parser.add_argument("--path", help="of the endpoint (/mcp)")
    parser.add_argument(
        "--token-env", metavar="NAME", help="the environment variable with the bearer token that clients need"
    )
    parser.add_argument(
        "--sse", choices=SSE,
        help="event streams: never; accept: where something comes before an answer and the client takes one; "
        "always (accept)",
    )  # fmt: skip
    if sessions:
        parser.add_argument(
            "--session", choices=SESSIONS, help="Mcp-Session-Id, for older clients over HTTP (off)"
        )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a further name or address of this server",
    )
    parser.add_argument(
        "--allow-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="a web page's origin that may call",
    )


def transport(options):
    """HTTP or STDIO.  Raises Unreadable for options that do not go together."""
    if options.http is None:
        for name in ("path", "token_env", "sse", "session", "allow_host", "allow_origin"):
            if getattr(options, name, None):
                raise Unreadable("--%s goes with --http" % name.replace("_", "-"))
        return STDIO
    if options.stdio:
        raise Unreadable("--stdio or --http, not both")
    return HTTP


def address(text):
    """(host, port) of HOST:PORT, or of PORT alone.  Raises Unreadable."""
    host, _, port = text.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        raise Unreadable("%s is no HOST:PORT" % text)
    return host.strip("[]") or "127.0.0.1", int(port)


def token_of(name):
    """The token in an environment variable: str, or None if no variable is named.  Raises Unreadable."""
    if name is None:
        return None
    token = os.environ.get(name, "").strip()
    if not token:
        raise Unreadable("the environment variable %s has no token in it" % name)
    return token


def log(level, text, exception=None):
    """The log of servers: what is no info goes to stderr."""
    if level != "info":
        tell("%s: %s" % (level, text) + (": %r" % exception if exception else ""))


def run(responder, options, name="", http=None):
    """Serve until the input ends, or until interrupted; returns the exit status.  Raises Failed if it cannot listen.

    name: str, what is served, for people.  http: dict of what the options leave open: path, token_env, sse; and token.
    """
    if transport(options) == STDIO:
        return serve_stdio(responder)
    side = http_side(responder, options, http or {})
    return asyncio.run(_ended(_http(side, name), responder))


def serve_stdio(responder):
    """The same on stdio, whatever the options."""
    return asyncio.run(_ended(_stdio(responder), responder))


def http_side(responder, options, http):
    """The `HttpSide` that the options ask for.  Raises Unreadable."""
    from .http_side import HttpSide

    host, port = address(options.http)
    token = http.get("token") or token_of(options.token_env or http.get("token_env"))
    if token is None and host not in _LOOPBACK:
        tell("warning: no token is asked for: whoever reaches %s is served" % host)
    path = options.path or http.get("path") or "/mcp"
    sse = options.sse or http.get("sse") or "accept"
    return HttpSide(responder, host, port, path, token, sse, options.allow_host, options.allow_origin, log)


async def _stdio(responder):
    from .stdio_side import StdioSide

    return await StdioSide(responder, log=log).serve()


async def _http(side, name):
    try:
        await side.start()
    except OSError as e:
        # asyncio adds words of its own, and the address once more.
        reason = os.strerror(e.errno) if (e.errno or 0) > 0 else e.strerror or e
        raise Failed("cannot listen on %s:%d: %s" % (side.host, side.port, reason)) from None
    tell("%slistening on %s:%d, %s" % (name and name + ": ", side.host, side.port, side.url))
    try:
        await asyncio.Event().wait()
    finally:
        await side.close()


# Whatever ends it, the responder is closed: a recording is written down.
async def _ended(serving, responder):
    ended_by = []
    task = asyncio.ensure_future(_begun(serving, responder, ended_by))

    def end(status):
        ended_by.append(status)
        task.cancel()

    loop = asyncio.get_running_loop()
    for number, status in ((signal.SIGINT, _INTERRUPTED), (signal.SIGTERM, _TERMINATED)):
        try:
            loop.add_signal_handler(number, end, status)
        except NotImplementedError:
            pass  # Windows: KeyboardInterrupt alone.
    try:
        status = await task
    except asyncio.CancelledError:
        if not ended_by:
            raise
        status = responder.exit_status or ended_by[0]
    finally:
        await responder.close()
    return status or responder.exit_status


async def _begun(serving, responder, ended_by):
    try:
        await responder.start()
    except BaseException:
        serving.close()
        raise
    if responder.ended is not None:
        task = asyncio.current_task()
        responder.ended.add_done_callback(lambda _: (ended_by.append(0), task.cancel()))
    return await serving
