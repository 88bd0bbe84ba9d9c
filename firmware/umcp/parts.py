"""The parts of a `Server` that not every server needs, each made and loaded when it is first used."""


def use(server, name):
    """The server's part of that name (str): the attribute of it, or a new one."""
    found = getattr(server, name)
    if found is None:
        found = _MAKERS[name](server)
        setattr(server, name, found)
    return found


def _modern(server):
    from .modern import Modern

    return Modern(server)


def _running(server):
    from .running import Running

    return Running(server.runtime)


def _asking(server):
    from .asking import Asking

    return Asking(server.runtime)


def _resumption(server):
    from .resumption import Resumption

    return Resumption(server.runtime)


def _subscriptions(server):
    from .subscriptions import Subscriptions

    return Subscriptions(server)


def _levels(server):
    from .levels import Levels

    server.features["logging"] = {}
    return _with_methods(server, Levels())


def _resources(server):
    from .resources import Resources

    server.features["resources"] = {}
    return _with_methods(server, Resources(server))


def _prompts(server):
    from .prompts import Prompts

    server.features["prompts"] = {}
    return _with_methods(server, Prompts(server))


def _completion(server):
    from .completion import Completion

    server.features["completions"] = {}
    return _with_methods(server, Completion(server))


def _with_methods(server, part):
    server.methods.update(part.methods)
    return part


_MAKERS = {
    "modern": _modern,
    "running": _running,
    "asking": _asking,
    "resumption": _resumption,
    "subscriptions": _subscriptions,
    "levels": _levels,
    "resources": _resources,
    "prompts": _prompts,
    "completion": _completion,
}


def tool_added(server, tool):
    """What a tool needs besides its place in the list."""
    if tool.context:
        use(server, "levels")
    if b'"x-mcp-header"' in tool.listed():
        from .param_headers import headers

        tool.headers = headers(tool)


def open_stream(server, session, peer):
    """The awaitable of a stream that a legacy client opens with GET: what follows its Last-Event-ID, or changes."""
    stream = None
    if server.resumption is not None and peer.last_event_id:
        stream = server.resumption.resume(peer)
    return _silent(stream or use(server, "subscriptions").hold(peer))


# The end of a stream says nothing.
async def _silent(stream):
    await stream
