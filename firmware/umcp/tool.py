"""A typed tool: a name, one sentence, the types of its arguments (and result), and a handler.

    add = Tool("add", "Add two numbers.", Object((("a", Number()), ("b", Number()))), lambda a, b: a + b)

The handler is a plain function or coroutine of checked values; it knows nothing of MCP. A value it returns becomes
the result; a `ToolError` it raises is a refusal that the model reads; any other exception is reported as a failure,
with its traceback in the log only.
"""

from .codec import dumps, dumps_text
from .errors import CannotAsk, LocalError, ToolError, Violation
from .version import MODERN

try:
    from micropython import const
except ImportError:
    const = int

_MAX_NAME = const(64)
_MAX_MESSAGE = const(500)  # characters of an error text

_NAME_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"


class Tool:
    """name: str, 1-64 of A-Z a-z 0-9 _ - (what every client takes).  description: str, one sentence.

    input: an `Object` of umcp.types, a dict of JSON Schema, or None for a tool without arguments.
    handler: called with the checked fields by name; fields beyond those, where `input` takes them, come as one dict
    `extra`.
    output: the same, for a handler that returns a dict; its result is checked and sent as `structuredContent` too.
    title: str or None.  annotations: dict or None (`{"readOnlyHint": True}`).  icons: list of dicts or None.
    context: bool; True for a coroutine handler that talks to its client: its first argument is a
    `umcp.context.Context`.  time_ms: int, what a waiting handler may take, or None for the server's default.
    Raises LocalError for a name or a schema that clients would refuse.
    """

    # Of the class where a tool has none: each that is its own takes 16 bytes or more.
    output = title = annotations = icons = time_ms = None
    context = False
    # What clients send as header fields too: see umcp.param_headers.
    headers = ()

    def __init__(
        self,
        name,
        description,
        input,
        handler,
        output=None,
        title=None,
        annotations=None,
        icons=None,
        context=False,
        time_ms=None,
    ):
        _check_name(name)
        self.name = name
        self.description = description
        self.input = _object_type(input)
        if self.input.extra and any([field == "extra" for field, _ in self.input.fields]):
            raise LocalError("a field of tool %s has the name of the dict for all others: extra" % name)
        self.handler = handler
        if output is not None:
            self.output = _object_type(output)
        if title:
            self.title = title
        if annotations:
            self.annotations = annotations
        if icons:
            self.icons = icons
        if context:
            self.context = context
        if time_ms:
            self.time_ms = time_ms

    def listed(self):
        """The tool's entry of tools/list, as JSON bytes."""
        entry = {"name": self.name, "description": self.description, "inputSchema": self.input.schema()}
        if self.output is not None:
            entry["outputSchema"] = self.output.schema()
        if self.title:
            entry["title"] = self.title
        if self.annotations:
            entry["annotations"] = self.annotations
        if self.icons:
            entry["icons"] = self.icons
        return dumps(entry)

    def run(self, arguments, host, version=MODERN, context=None):
        """Check the arguments, call the handler: the members of a CallToolResult as bytes, or an awaitable of them.

        arguments: dict.  host: whose `max_result` (bytes), `log(level, text, exception)` and `bound(awaitable, ms)`
        apply.  version: str, of the protocol.  context: a Context, for a handler that wants one.
        Raises CannotAsk in the modern era, where that is a protocol error, and nothing else.
        """
        try:
            values = self.input.check(arguments, "")
            if self.input.extra:
                values = _apart(self.input.fields, values)
            value = self.handler(context, **values) if self.context else self.handler(**values)
            if type(value) is not str and hasattr(value, "send"):
                return self._run_later(value, host, version, context)
            return self._result(value, host, version)
        except Exception as e:
            return self._failure(e, host, version)

    async def _run_later(self, awaitable, host, version, context):
        if context is not None:
            context.over = False
        try:
            return self._result(await host.bound(awaitable, self.time_ms), host, version)
        except Exception as e:
            return self._failure(e, host, version)
        finally:
            if context is not None:
                context.over = True

    def _result(self, value, host, version):
        if self.output is not None:
            raw = self._structured(value)
        elif type(value) is str:
            raw = dumps_text(value, _CONTENT, b"}]")
        else:
            raw = _other(value, host, version)
        if len(raw) > host.max_result:
            raise ToolError(
                "result_too_large", "%d bytes, the limit is %d; ask for less" % (len(raw), host.max_result)
            )
        return raw

    def _structured(self, value):
        try:
            raw = dumps(self.output.check(value, "", False))
        except Violation as e:
            raise LocalError("the result does not fit its schema: %s" % e)
        return dumps_text(raw.decode(), _CONTENT, b'}],"structuredContent":%s' % raw)

    def _failure(self, e, host, version):
        if isinstance(e, Violation):
            return refusal("invalid_arguments: %s" % e)
        if isinstance(e, CannotAsk) and version == MODERN:
            raise e
        if isinstance(e, ToolError):
            return refusal(str(e))
        host.log("error", "tool %s failed" % self.name, e)
        return refusal("Tool execution failed: %s" % (str(e) or type(e).__name__))


_CONTENT = b'"content":[{"type":"text","text":'


def refusal(text):
    """The members of a CallToolResult that tells a model why not, as bytes.  text: str, `code: why`."""
    return dumps_text(text[:_MAX_MESSAGE], _CONTENT, b'}],"isError":true')


# Content blocks, or a value as its JSON.
def _other(value, host, version):
    if value is None or type(value) in (bool, int, float, list, tuple, dict):
        return dumps_text("" if value is None else dumps(value).decode(), _CONTENT, b"}]")
    from .content import result  # late (RAM): most tools answer with text

    return result(value, version, host.max_result)


# MicroPython keeps every name of a keyword argument for ever: those that a peer makes up must not be some.
def _apart(fields, values):
    known = {}
    for name, _ in fields:
        if name in values:
            known[name] = values.pop(name)
    if values:
        known["extra"] = values
    return known


def _check_name(name):
    if (
        type(name) is not str
        or not 0 < len(name) <= _MAX_NAME
        or any(c not in _NAME_CHARACTERS for c in name)
    ):
        raise LocalError("a tool's name is 1 to %d of A-Z a-z 0-9 _ -: %r" % (_MAX_NAME, name))


def _object_type(given):
    from .types import Object

    if given is None:
        return Object(())
    if type(given) is dict:
        from .schema import load

        given = load(given)
    # A schema from elsewhere is listed as it came, and clients take nothing but "object".
    if given.TYPE != "object" or given.nullable or (given.loaded and given.loaded.get("type") != "object"):
        raise LocalError("a tool's input and output are objects")
    return given
