"""What the tests of resources, prompts and completion share: a server that has nothing else, and one request to it."""

import json

from serving import Log, run

from harness import eq, raises
from umcp.errors import CannotAsk, RemoteError, ToolError, Violation
from umcp.rpc import Message
from umcp.session import Session
from umcp.version import MODERN

ERAS = (Session("2025-06-18"), Session(MODERN))
ERAS[1].modern = True


class FakeServer:
    """As much of `umcp.server.Server` as a feature uses."""

    def __init__(self, max_result=24 * 1024):
        self.max_result = max_result
        self.log = Log()
        self.seen = []
        self.bounded = 0
        self.used = []

    def changed(self, kind):
        self.seen.append(kind)

    def use(self, part):
        self.used.append(part)

    def bound(self, awaitable, ms=None):
        self.bounded += 1
        return awaitable

    def context(self, message, session, peer):
        return FakeContext(session.version, peer)


class FakeContext:
    """What a handler gets that wants a context.  seen: (version, peer)."""

    over = False

    def __init__(self, *seen):
        self.seen = seen

    def __eq__(self, other):
        return self.over and self.seen == other

    __hash__ = None


def ask(feature, method, params=None, session=ERAS[0], peer=None):
    """The result of a request, decoded.  params: a dict, its JSON, or None."""
    message = Message()
    raw = '{"jsonrpc":"2.0","id":1,"method":"%s"%s}'
    if type(params) is not str:
        params = None if params is None else json.dumps(params)
    raw = (raw % (method, "" if params is None else ',"params":' + params)).encode()
    assert message.parse(raw, 0, len(raw)) == 1
    members = feature.methods[message.method](message, session, peer)
    # The buffer is another request's by the time that a handler has waited.
    message.buf = b"#" * len(raw)
    if type(members) is not bytes:
        members = run(members)
    return json.loads(b"{%s}" % members)


def refused(feature, method, params=None, session=ERAS[0], peer=None):
    """The RemoteError of a request that is refused."""
    return raises(RemoteError, ask, feature, method, params, session, peer)


def code(*arguments):
    """Its code, and its data."""
    e = refused(*arguments)
    eq(e.status, 200)
    return e.code, e.data


def failing(handler_of, ask_it, server):
    """Check what becomes of each kind of failure of a handler.

    handler_of: makes a handler that does as its argument tells: a function that raises.  ask_it: calls it.
    """
    for how, wanted in (
        (Violation("/x", "must be odd"), (-32602, "invalid_arguments: /x: must be odd")),
        (ToolError("off", "is off"), (-32603, "off: is off")),
        (ToolError("off", "x" * 9000), (-32603, "off: " + "x" * 495)),
        (RuntimeError("secret 4711"), (-32603, "Internal error")),
        # Another server's error, say: it is none of ours, and has a code of its own.
        (RemoteError(-32022, "secret 4711", {"a": 1}, 400), (-32603, "Internal error")),
    ):
        for later in (False, True):
            server.log.lines = []
            e = raises(RemoteError, ask_it, handler_of(_raiser(how, later)))
            eq((e.code, e.message, e.data, e.status), wanted + (None, 200))
            logged = [
                (level, text.split(" ")[-1])
                for level, text, exception in server.log.lines
                if exception is how
            ]
            eq(logged, [("error", "failed")] if e.message == "Internal error" else [])
    for later in (False, True):
        e = raises(CannotAsk, ask_it, handler_of(_raiser(CannotAsk("roots"), later)))
        eq(e.capability, "roots")
        raises(Ended, ask_it, handler_of(_raiser(Ended(), later)))


def giving(value):
    """A handler that takes anything and returns the value."""
    return lambda *_: value


class Ended(BaseException):
    """As an `InputRequired` of `net.runtime`: no handler's failure."""


def _raiser(e, later):
    def now(*_):
        raise e

    async def then(*_):
        raise e

    return then if later else now
