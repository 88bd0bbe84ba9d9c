"""What resources, prompts and completion share: the checks of a definition, and the call of a handler.

A handler is a plain function or a coroutine. Unlike a tool's, its failure has no result of its own, and is a JSON-RPC
error: a `ToolError` it raises is -32603 with its text, a `Violation` (a value that one of its types refuses) is
-32602, and any other exception is -32603 without details, with its traceback in the log only.
"""

from .errors import INTERNAL_ERROR, INVALID_PARAMS, CannotAsk, LocalError, RemoteError, ToolError, Violation

MAX_NAME = 128  # bytes
_MAX_MESSAGE = 500  # characters of an error text


def check_text(what, value, most):
    """Raise LocalError unless the value is a str of 1 to `most` bytes without control characters."""
    if type(value) is not str or not 0 < len(value.encode()) <= most or min(value) < " ":
        raise LocalError("%s is a text of 1 to %d bytes, not %r" % (what, most, value))


def check_calls(what, *functions):
    """Raise LocalError unless each can be called."""
    if not all([callable(function) for function in functions]):
        raise LocalError("what %s calls must be a function" % what)


def call(server, what, handler, arguments, render, context=None):
    """What `render` makes of a handler's value, or an awaitable of it.

    server: `umcp.server.Server`.  what: str, for the log.  arguments: tuple.
    render: called with the value; may raise what a handler may, and RemoteError.
    context: that of a handler that wants one, as its first argument, or None.
    Raises RemoteError; CannotAsk as it comes.
    """
    if context is not None:
        arguments = (context,) + arguments
    try:
        value = handler(*arguments)
    except Exception as e:
        raise _told(server, what, e)
    if type(value) is not str and hasattr(value, "send"):
        return _call_later(server, what, value, render, context)
    return _rendered(server, what, value, render)


async def _call_later(server, what, awaitable, render, context):
    if context is not None:
        context.over = False
    try:
        value = await server.bound(awaitable)
    except Exception as e:
        raise _told(server, what, e)
    finally:
        if context is not None:
            context.over = True
    return _rendered(server, what, value, render)


def _rendered(server, what, value, render):
    try:
        return render(value)
    except RemoteError:
        raise
    except Exception as e:
        raise _told(server, what, e)


def _told(server, what, e):
    if isinstance(e, CannotAsk):
        return e
    if isinstance(e, Violation):
        return RemoteError(INVALID_PARAMS, ("invalid_arguments: %s" % e)[:_MAX_MESSAGE])
    if isinstance(e, ToolError):
        return RemoteError(INTERNAL_ERROR, str(e)[:_MAX_MESSAGE])
    server.log("error", "%s failed" % what, e)
    return RemoteError(INTERNAL_ERROR, "Internal error")
