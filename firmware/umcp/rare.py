"""What a server seldom has to say: to a request for a method it has not, and where a client cannot be asked."""

from .errors import INTERNAL_ERROR, METHOD_NOT_FOUND, RemoteError

try:
    from micropython import const
except ImportError:
    const = int

_MISSING_CAPABILITY = const(-32021)  # 2026-07-28, basic: error codes

# Some clients ask for these without looking at the capabilities, and show -32601 as a failure.
_EMPTY = {
    b"resources/list": b'"resources":[]',
    b"resources/templates/list": b'"resourceTemplates":[]',
    b"prompts/list": b'"prompts":[]',
}


def method_of(server, name, peer):
    """The method of a legacy client that the server's table does not have.  Raises RemoteError -32601."""
    members = _EMPTY.get(name)
    if members is not None:
        return lambda message, session, peer: members
    if server.resources is not None and (server.streams or not peer.headed):
        found = server.use("subscriptions").methods.get(name)
        if found is not None:
            return found
    raise RemoteError(METHOD_NOT_FOUND, "Method not found")


def cannot_ask(e, session):
    """The RemoteError for a CannotAsk that no tool's result can tell."""
    if session.modern:
        data = {"requiredCapabilities": {e.capability: {}}}
        return RemoteError(_MISSING_CAPABILITY, "Missing capability: " + e.capability, data, 400)
    return RemoteError(INTERNAL_ERROR, str(e))
