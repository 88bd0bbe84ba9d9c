"""Prompts: messages that a client's user picks by name (MCP: server features, prompts).

    prompts = Prompts(server)
    prompts.add(Prompt("greet", "Greet someone.", lambda values: "Say hello to " + values["who"],
        (Argument("who", "A name.", required=True),)))

`get` returns the text of one user message, or a list of (role, content): role "user" or "assistant", content a str
or a block of `umcp.content`.
"""

from .content import Block, entry, put
from .errors import INVALID_PARAMS, LocalError, RemoteError
from .handlers import MAX_NAME, call, check_calls, check_text
from .pages import Pages
from .rpc import ARGUMENTS, NAME

_ROLES = ("user", "assistant")
_MAX_ARGUMENTS = 64


class Argument:
    """name: str, 1 to 128 bytes.  description: str.  required: bool.  title: str or None.

    complete: called as complete(value, others) with what the user typed so far (str) and the other arguments (dict of
    str, what is known of them); returns a list of str, the best first. None: the argument completes to nothing.
    Raises LocalError.
    """

    def __init__(self, name, description="", required=False, complete=None, title=None):
        check_text("an argument's name", name, MAX_NAME)
        if complete is not None:
            check_calls("an argument completes with", complete)
        self.name = name
        self.required = required
        self.complete = complete
        self._more = (description, None, title)

    def listed(self):
        """Its part of the prompt's entry, as JSON bytes."""
        return entry(
            {"name": self.name, "required": True} if self.required else {"name": self.name}, *self._more
        )


class Prompt:
    """name: str, 1 to 128 bytes.  description: str.  arguments: `Argument`s, at most 64.

    get: called with one dict of str, those of the arguments that the client gave.  title: str or None.
    icons: list of dicts or None.  context: bool; True for a coroutine that talks to its client: its first argument is
    a `umcp.context.Context`.
    Raises LocalError for what clients would refuse.
    """

    def __init__(self, name, description, get, arguments=(), title=None, icons=None, context=False):
        check_text("a prompt's name", name, MAX_NAME)
        check_calls("a prompt gets its messages with", get)
        self.arguments = tuple(arguments)
        if len(self.arguments) > _MAX_ARGUMENTS or not all([isinstance(a, Argument) for a in self.arguments]):
            raise LocalError("arguments are at most %d Arguments" % _MAX_ARGUMENTS)
        if len({argument.name for argument in self.arguments}) < len(self.arguments):
            raise LocalError("prompt %s has two arguments of one name" % name)
        self.name = name
        self.description = description
        self.get = get
        self.context = context
        self._more = (description, None, title, None, icons)

    def listed(self):
        """The entry of prompts/list, as JSON bytes."""
        raw = entry({"name": self.name}, *self._more)
        if not self.arguments:
            return raw
        return b'%s,"arguments":[%s]}' % (raw[:-1], b",".join([a.listed() for a in self.arguments]))

    def argument(self, name):
        """The `Argument` of that name (str), or None."""
        for argument in self.arguments:
            if argument.name == name:
                return argument
        return None


class Prompts:
    """The prompts of a server.  server: `umcp.server.Server`.

    methods: dict of bytes -> function(message, session, peer): see `umcp.server`.
    """

    def __init__(self, server):
        self._server = server
        self._prompts = Pages("prompts", server.max_result)
        self.methods = {b"prompts/list": self._prompts.list, b"prompts/get": self._get}

    def add(self, prompt):
        """Offer a `Prompt`; it takes the place of one of its name. Raises LocalError if its entry is too large."""
        self._prompts.add(prompt.name.encode(), prompt)
        if prompt.context:
            self._server.use("levels")
        self._server.changed("prompts")

    def remove(self, name):
        """Withdraw the prompt of that name; True if there was one."""
        removed = self._prompts.remove(name.encode())
        if removed:
            self._server.changed("prompts")
        return removed

    def get(self, name):
        """The `Prompt` of that name (str), or None."""
        return self._prompts.get(name.encode())

    def _get(self, message, session, peer):
        name = message.text(NAME)
        given = message.object(ARGUMENTS)
        if name is None or given is None:
            raise RemoteError(INVALID_PARAMS, "prompts/get needs a name and an object of arguments")
        prompt = self._prompts.get(name)
        if prompt is None:
            raise RemoteError(INVALID_PARAMS, "Unknown prompt: %s" % name.decode()[:64])
        return call(
            self._server,
            "prompt " + prompt.name,
            prompt.get,
            (_values(prompt, given),),
            lambda value: _result(prompt, value, session.version, self._server.max_result),
            self._server.context(message, session, peer) if prompt.context else None,
        )


# The declared ones of the given; others are left out, as clients expect.
def _values(prompt, given):
    if not all([type(value) is str for value in given.values()]):
        raise RemoteError(INVALID_PARAMS, "the arguments of a prompt are strings")
    values = {}
    for argument in prompt.arguments:
        if argument.name in given:
            values[argument.name] = given[argument.name]
        elif argument.required:
            raise RemoteError(INVALID_PARAMS, "Missing required argument: " + argument.name)
    return values


def _result(prompt, value, version, limit):
    if type(value) is str or isinstance(value, Block):
        value = (("user", value),)
    # A coroutine that was not awaited can be iterated on MicroPython, and that breaks the event loop.
    if not isinstance(value, (list, tuple)):
        raise LocalError("a prompt gives a str or a list, not %s" % type(value).__name__)
    parts = [b'"messages":[']
    if prompt.description:
        parts[0] = b"%s,%s" % (entry({}, prompt.description)[1:-1], parts[0])
    size = len(parts[0]) + 1
    for i, (role, block) in enumerate(value):
        if role not in _ROLES:
            raise LocalError("the role of a message is user or assistant, not %r" % (role,))
        parts.append(b'%s{"role":"%s","content":' % (b"," if i else b"", role.encode()))
        size = put(parts, block, version, size + len(parts[-1]) + 1, limit)
        parts.append(b"}")
    parts.append(b"]")
    return b"".join(parts)
