"""Which era a server is of, found by asking it (2026-07-28, versioning: backward compatibility).

A client asks `server/discover`, and falls back to `initialize` where the reply says that the server is older. What is
found stays in `session.era`; a reply that says nothing about the era (a server that is busy, or down) leaves no trace.
HTTP+SSE, the transport of 2024-11-05 with two addresses, is not spoken.
"""

from . import codec
from .client_errors import AuthError, Busy, ClientError, HttpError, RpcError, UnsupportedVersion
from .exchange import Exchange
from .version import LEGACY, MODERN

HEADER_MISMATCH = -32020
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022

# Statuses by which servers that know no `server/discover` refuse it, and codes where they do so with 200.
_REFUSALS = (400, 404, 405, 406, 415)
_UNKNOWN = (-32601, -32600, -32602)

_PREFIX = "io.modelcontextprotocol/"


def opening(session):
    """Flow: open the session in the era of the server; returns the result of `server/discover` or `initialize`.

    Raises what the era says: UnsupportedVersion where there is none in common, AuthError, RpcError.
    """
    if session.era == "legacy":
        try:
            return (yield from session.handshake())
        except (HttpError, RpcError, UnsupportedVersion) as e:
            if isinstance(e, (AuthError, Busy)) or (isinstance(e, HttpError) and e.status not in _REFUSALS):
                raise
        session.era = session.only
    era, result = yield from _asked(session)
    if era == "modern":
        return _begin(session, result)
    try:
        made = yield from session.handshake()
    except ClientError:
        # A server that was modern, and is only out of order, has more to say than that it knows no `initialize`.
        if era is None and session.era == "modern" and isinstance(result, ClientError):
            raise result
        raise
    session.era = era  # now that it has been shown to be true
    return made


def meta(session):
    """What every request of 2026-07-28 has in `params._meta`: bytes, as JSON without the brace at its end."""
    made = {
        _PREFIX + "protocolVersion": MODERN,
        _PREFIX + "clientInfo": session.info,
        _PREFIX + "clientCapabilities": session.capabilities,
    }
    if session.log_level:
        made[_PREFIX + "logLevel"] = session.log_level
    return codec.dumps(made)[:-1]


def chosen(session, error):
    """The era to go on with after the error -32022 of a server: "modern" or "legacy".

    Raises UnsupportedVersion where it supports nothing that we speak.
    """
    data = error.get("data")
    supported = data.get("supported") if isinstance(data, dict) else None
    if not isinstance(supported, list):
        supported = ()
    if MODERN in supported:
        return "modern"
    if session.only != "modern" and any([version in LEGACY for version in supported]):
        return "legacy"
    raise UnsupportedVersion(session.clean(", ".join([str(version) for version in supported[:8]]) or MODERN))


def code_of(error):
    """The JSON-RPC code of an exception, or None."""
    if isinstance(error, RpcError):
        return error.code
    body = error.error if isinstance(error, HttpError) else None
    return body.get("code") if body else None


def _begin(session, result):
    from .modern_client import Modern  # late (RAM): an old server needs none of it

    session.begin()
    session.set_version(MODERN, None)
    session.modern = Modern(session)
    session.era = "modern"
    session.initialized = True
    session.stale = False
    return result


# (era, the result or the exception that it was): None stands for a try that leaves nothing to remember.
def _asked(session):
    for _ in range(2):
        session.begin()
        session.set_version(MODERN, None)
        body = b'{"jsonrpc":"2.0","id":%d,"method":"server/discover","params":{"_meta":%s}}}'
        id = session.next_id()
        exchange = Exchange(session, "POST", body % (id, meta(session)), id, "Initialize failed", True)
        exchange.fields = b"Mcp-Method: server/discover\r\n"
        exchange.plain = False
        exchange.probes = exchange.keeps = session.only is None
        yield exchange
        era, error = _judged(session, exchange)
        if era != "again":
            break
    if era == "again" or (session.only == "modern" and era != "modern"):
        raise error or UnsupportedVersion("none of 2026-07-28")
    return era, error or exchange.outcome()


# (era, the exception that says so or None); "again" for a server that takes the version which it has just refused.
def _judged(session, exchange):
    error = exchange.error
    if error is None:
        return _listed(session, exchange.outcome()), None
    code = code_of(error)
    if code == UNSUPPORTED_VERSION:
        body = error.error if isinstance(error, HttpError) else {"data": error.data}
        era = chosen(session, body)
        return "again" if era == "modern" else era, error
    if code in (HEADER_MISMATCH, MISSING_CAPABILITY) or isinstance(error, AuthError):
        raise error
    if exchange.status in _REFUSALS or (exchange.status == 200 and code in _UNKNOWN):
        return "legacy", error
    return None, error


def _listed(session, result):
    versions = result.get("supportedVersions") if isinstance(result, dict) else None
    if not isinstance(versions, list):
        return None
    return chosen(session, {"data": {"supported": versions}})
