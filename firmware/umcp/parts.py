"""The parts of a `Server` that not every server needs, each made and loaded when it is first used."""

try:
    from micropython import const
except ImportError:
    const = int

_GRACE_MS = const(1000)  # in which a tool that is late can still be told so


def use(server, name):
    """The server's part of that name (str): the attribute of it, or a new one."""
    part = getattr(server, name)
    if part is None:
        part = _class(name)(server)
        setattr(server, name, part)
        capability = _CAPABILITIES.get(name)
        if capability:
            server.features[capability] = {}
            server.methods.update(part.methods)
    return part


# The capability that comes with a part; its methods are then the server's.
_CAPABILITIES = {
    "levels": "logging",
    "resources": "resources",
    "prompts": "prompts",
    "completion": "completions",
}


def _class(name):
    if name == "modern":
        from .modern import Modern as part
    elif name == "running":
        from .running import Running as part
    elif name == "asking":
        from .asking import Asking as part
    elif name == "resumption":
        from .resumption import Resumption as part
    elif name == "subscriptions":
        from .subscriptions import Subscriptions as part
    elif name == "levels":
        from .levels import Levels as part
    elif name == "resources":
        from .resources import Resources as part
    elif name == "prompts":
        from .prompts import Prompts as part
    else:
        from .completion import Completion as part
    return part


def tool_added(server, tool):
    """What a tool needs besides its place in the list."""
    if tool.context:
        use(server, "levels")
    if b'"x-mcp-header"' in tool.listed():
        from .param_headers import headers

        tool.headers = headers(tool)


def prepare(server, tool, arguments, message, session, peer):
    """What comes before the call of a tool that is more than a function of its arguments: its Context, or None."""
    if tool.headers and session.modern and peer.headed:
        from .param_headers import check

        check(tool.headers, arguments, peer)
    if tool.time_ms:
        peer.allow(tool.time_ms + _GRACE_MS)
    return server.context(message, session, peer) if tool.context else None


def open_stream(server, session, peer):
    """The awaitable of a stream that a legacy client opens with GET: what follows its Last-Event-ID, or changes."""
    stream = None
    if server.resumption is not None and peer.last_event_id:
        stream = server.resumption.resume(peer)
    return _silent(stream or use(server, "subscriptions").hold(peer))


# The end of a stream says nothing.
async def _silent(stream):
    await stream
