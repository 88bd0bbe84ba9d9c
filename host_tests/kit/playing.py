"""Cassettes made by tests, and a client that asks a responder without a transport."""

import asyncio
import json
import os
from pathlib import Path

import pytest

from tsumiki import cassette
from tsumiki.pipeline import Channel, Exchange, Http, Notify, Reply, Status
from tsumiki.replay import Replay

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
GREENHOUSE = SAMPLES / "greenhouse.ndjson"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def original(name):
    """Path of a file of the article's, or the test is skipped."""
    folder = os.environ.get("TSUMIKI_SAMPLES")
    if not folder:
        pytest.skip("TSUMIKI_SAMPLES names the folder with the article's files")
    return Path(folder) / name


def request(id, method, params=None):
    found = {"jsonrpc": "2.0", "id": id, "method": method}
    return found if params is None else dict(found, params=params)


def call(id, name, arguments):
    return request(id, "tools/call", {"name": name, "arguments": arguments})


def result(id, **members):
    return {"jsonrpc": "2.0", "id": id, "result": members}


def text(id, words):
    return result(id, content=[{"type": "text", "text": words}])


def note(method, **params):
    return {"jsonrpc": "2.0", "method": method, "params": params}


def row(direction, message, **more):
    raw = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)
    return dict({"direction": direction, "raw": raw}, **more)


def c2s(message, **more):
    return row("c2s", message, **more)


def s2c(message, **more):
    return row("s2c", message, **more)


def written(folder, *rows, name="tape.ndjson"):
    """Path of a cassette with these rows (dict)."""
    path = folder / name
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
    return path


def loaded(folder, *rows, **options):
    return cassette.load(written(folder, *rows), **options)


class Staying(Channel):
    """A client that waits for its answer."""

    async def gone(self):
        await asyncio.Event().wait()


class Client:
    """Asks a responder.  era: legacy or modern.  http: bool.  session: str or None, as a server gave it."""

    def __init__(self, responder, era="legacy", http=False):
        self.responder = responder
        self.era = era
        self.http = http
        self.session = None
        self.headers = {}
        self._id = 100

    def exchange(self, message, channel, kind=None):
        raw = message if isinstance(message, bytes) else json.dumps(message).encode()
        if not self.http:
            return Exchange(raw, "stdio", None, channel, kind=kind)
        headers = dict(self.headers, **({"mcp-session-id": self.session} if self.session else {}))
        if self.era == "modern":
            headers["mcp-protocol-version"] = "2026-07-28"
        return Exchange(raw, "http", None, channel, Http("POST", "/mcp", headers), kind)

    async def send(self, message, kind=None):
        """The actions that a message leads to."""
        channel = Channel() if kind == "get" else Staying()
        await self.responder.handle(self.exchange(message, channel, kind))
        for action in channel.sent:
            if isinstance(action, Reply):
                fields = {name.lower(): value for name, value in action.headers}
                self.session = fields.get("mcp-session-id", self.session)
        return channel.sent

    async def ask(self, method, params=None, id=None):
        """The answer to a request, parsed; what came before it is in `before`."""
        if id is None:
            self._id += 1
            id = self._id
        if self.era == "modern":
            params = dict(params or {}, _meta=dict(META, **(params or {}).get("_meta", {})))
        actions = await self.send(request(id, method, params))
        self.before = [json.loads(a.raw) for a in actions if isinstance(a, Notify)]
        self.last = next(a for a in actions if isinstance(a, (Reply, Status)))
        return json.loads(self.last.raw) if isinstance(self.last, Reply) else self.last

    async def call(self, name, arguments, **more):
        return await self.ask("tools/call", {"name": name, "arguments": arguments}, **more)

    async def say(self, name, arguments):
        """The text of a call's result, or its error."""
        found = await self.call(name, arguments)
        return found["result"]["content"][0]["text"] if "result" in found else found["error"]


def run(coroutine, seconds=20):
    return asyncio.run(asyncio.wait_for(coroutine, seconds))


CALLS = (
    c2s(call(1, "t", {"n": 1})), s2c(text(1, "one")),
    c2s(call(2, "t", {"n": 2})), s2c(text(2, "two")),
    c2s(call(3, "t", {"n": 1})), s2c(text(3, "one again")),
)  # fmt: skip


def replayed(found, **options):
    notes = []
    options.setdefault("note", notes.append)
    replay = Replay(found, **options)
    replay.told = notes
    return replay


def client(tmp_path, *rows, era="legacy", http=False, **options):
    return Client(replayed(loaded(tmp_path, *rows), **options), era, http)
