"""What not every `Server` needs: its parts, each made and loaded when it is first used, and further methods."""

from .session import owner

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


def method(server, name):
    """The function of that name (str) as a method of the server.  Raises AttributeError if it is none of `_METHODS`."""
    found = _METHODS.get(name)
    if found is None:
        raise AttributeError(name)
    return lambda *arguments: found(server, *arguments)


def remove_tool(server, name):
    """Withdraw the tool of that name; True if there was one."""
    removed = server.tools.remove(name.encode())
    if removed:
        server.changed("tools")
    return removed


def get_tools(server):
    """A copy of the list of tools, in the order they were added."""
    return server.tools.all()


def add_resource(server, resource):
    """Offer an `umcp.resources.Resource`; it takes the place of one of its URI."""
    use(server, "resources").add(resource)


def add_template(server, template):
    """Offer an `umcp.resources.ResourceTemplate`."""
    use(server, "resources").add_template(template)
    if template.complete:
        use(server, "completion")


def remove_resource(server, uri):
    """Withdraw the resource of that URI, or the template written like that; True if there was one."""
    return use(server, "resources").remove(uri)


def add_prompt(server, prompt):
    """Offer an `umcp.prompts.Prompt`; it takes the place of one of its name."""
    use(server, "prompts").add(prompt)
    if any([argument.complete for argument in prompt.arguments]):
        use(server, "completion")


def remove_prompt(server, name):
    """Withdraw the prompt of that name; True if there was one."""
    return use(server, "prompts").remove(name)


def publish(server, uri):
    """The resource at `uri` (str) has changed: tell those who subscribed to it."""
    if server.lines or server.subscriptions is not None:
        use(server, "subscriptions").updated(uri)


def end_streams(server):
    """End every stream for changes: their clients may open others, if they still may."""
    if server.subscriptions is not None:
        server.subscriptions.close()


def forget(server, peer):
    """A line has ended: its peer is told of nothing any more."""
    if peer in server.lines:
        server.lines.remove(peer)
    if server.subscriptions is not None:
        server.subscriptions.forget(owner(peer))


def context(server, message, session, peer):
    """The `Context` of a handler that wants one, made before the request's bytes are gone."""
    from .context import Context

    return Context(server, message, session, peer)


def sealing_key(server):
    """The key (bytes) under which this server's own words come back from clients."""
    if type(server.secret) is not bytes:
        from .sealed import kept_key

        server.secret = server.secret() if server.secret else kept_key({})
    return server.secret


_METHODS = {
    "remove_tool": remove_tool,
    "get_tools": get_tools,
    "context": context,
    "sealing_key": sealing_key,
    "add_resource": add_resource,
    "add_template": add_template,
    "remove_resource": remove_resource,
    "add_prompt": add_prompt,
    "remove_prompt": remove_prompt,
    "publish": publish,
    "end_streams": end_streams,
    "forget": forget,
}


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
    return context(server, message, session, peer) if tool.context else None


def open_stream(server, session, peer):
    """The awaitable of a stream that a legacy client opens with GET: what follows its Last-Event-ID, or changes."""
    stream = None
    if server.resumption is not None and peer.last_event_id:
        stream = server.resumption.resume(peer)
    return _silent(stream or use(server, "subscriptions").hold(peer))


# The end of a stream says nothing.
async def _silent(stream):
    await stream
