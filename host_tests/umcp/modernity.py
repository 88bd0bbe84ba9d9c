"""What the tests of the modern era share: requests with their `_meta`, and peers that note what they are sent."""

import asyncio
import json

from serving import Peer, request

META = "io.modelcontextprotocol/"
VERSION = "2026-07-28"


class Runtime:
    """As net.runtime, on any interpreter.  now_s: int, the clock.  pauses: int, how many there were."""

    now_s = 1000
    pauses = 0

    class InputRequired(asyncio.CancelledError):
        def __init__(self, members):
            super().__init__()
            self.members = members

    def event(self):
        return asyncio.Event()

    def current_task(self):
        return asyncio.current_task()

    def spawn(self, awaitable):
        return asyncio.create_task(awaitable)

    def pause(self):
        self.pauses += 1
        return asyncio.sleep(0)

    def seconds(self):
        return self.now_s

    async def in_time(self, awaitable, ms):
        return await awaitable


class Listener(Peer):
    """A peer that takes messages before the answer.  sent: list of decoded messages.  ids: their event ids."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.sent = []
        self.ids = []
        self.allowed = []
        self.closed = False

    def can_stream(self):
        return True

    async def send(self, raw, event_id=b"", retry_ms=None):
        assert b"\n" not in raw, raw
        if not self.left:
            self.sent.append(json.loads(raw) if raw else retry_ms)
            self.ids.append(event_id)

    async def close_stream(self):
        self.closed = self.left = True

    def allow(self, ms):
        self.allowed.append(ms)


class Line(Listener):
    """A peer on a line: no header fields, and a session of its own."""

    headed = False

    def __init__(self):
        super().__init__()
        from umcp.one import One

        self.sessions = One()


def modern(method, params=None, capabilities=None, id=1, **meta):
    """A request of the modern era.  meta: further members of its `_meta`."""
    params = dict(params or {})
    params["_meta"] = {META + "protocolVersion": VERSION, META + "clientCapabilities": capabilities or {}}
    params["_meta"].update({name.replace("__", "/"): value for name, value in meta.items()})
    return request(method, params, id)


def peer_of(message, version=VERSION, kind=Listener):
    """The peer whose header fields say what a request does."""
    made = kind(None, version.encode() if version else None)
    made.mcp_method = message["method"].encode()
    params = message.get("params") or {}
    name = params.get("name", params.get("uri"))
    if type(name) is str:
        made.mcp_name = name.encode()
    return made


async def ask(server, message, peer=None):
    """(status, decoded body or None) of a message (JSON value or str), awaited; None if nothing is said."""
    raw = (message if type(message) is str else json.dumps(message)).encode()
    reply = server.handle(raw, 0, len(raw), peer or peer_of(message), 0)
    if type(reply) is not tuple:
        reply = await reply
    if reply is None:
        return None
    status, body, _ = reply
    body = b"".join(body) if type(body) is tuple else body
    return status, json.loads(body) if body else None


async def turns(count=5):
    """Let other tasks go on."""
    for _ in range(count):
        await asyncio.sleep(0)
