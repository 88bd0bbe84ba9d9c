# heap: 4096K
"""A model's server that means harm: a turn ends soon with a reason, little is kept, and the next one works."""

import asyncio
import gc
import time

from robots import until
from scripted_model import (
    END,
    STREAM,
    Anthropic,
    OpenAIChat,
    OpenAIResponses,
    ScriptedModel,
    answer,
    chunk,
    raw,
    reply,
)
from scripted_model import _event as event
from talking import Tool

from chat.dialogue import MAX_REFUSAL, Dialogue
from chat.model import Model
from harness import eq, port
from umcp.client_errors import ToolFailed

KEY = "sk-of-the-owner-1234"
DONE = b"data: [DONE]\n\n"


def events(*documents):
    """A stream of these: bytes, or what becomes an event of JSON."""
    pieces = [chunk(one if isinstance(one, bytes) else event(one)) for one in documents]
    return raw(STREAM, *(pieces + [END]))


def deltas(**delta):
    return {"choices": [{"delta": delta}]}


def called(count, id="c", name="say", arguments="{}"):
    """Events that call tools: so many, one each."""
    found = []
    for i in range(count):
        function = {"name": name, "arguments": arguments}
        found.append(deltas(tool_calls=[{"index": i, "id": "%s%d" % (id, i), "function": function}]))
    return found


def named(*pairs):
    return raw(STREAM, *([chunk(event(value, kind)) for kind, value in pairs] + [END]))


# (what is sent, the reason that the turn ends with)
CHAT = (
    (events(b"data: \n\n", b"data:\n\n", b"event: x\n\n"), "broken"),
    (events([1, 2]), "malformed"),
    (events(b"data: " + b"[" * 5000 + b"\n\n"), "malformed"),
    (events(b'data: {"a":' + b"[" * 5000 + b"]" * 5000 + b"}\n\n"), "malformed"),
    (events({"choices": 3}, {"choices": [None, 3, {"delta": 5}]}), "broken"),
    (events(b'data: {"choices":[{"delta":{"content":"\xff\xfe"}}]}\n\n'), "malformed"),
    (events(*called(1000)), "too_large"),
    (events(deltas(tool_calls=[{"index": i} for i in range(250)])), "too_large"),
    (events(*called(16, id="i" * 7000)), "too_large"),
    (events(*(called(16, arguments='"' + "a" * 3000 + '"') + [DONE])), "too_large"),
    (events({"error": {"message": "not this key: " + KEY + "x" * 3000}}), "server_error"),
    (raw(STREAM, chunk(b"x" * 20000), END), "too_large"),
    (raw(reply(b'{"choices":[' + b"[]," * 10000 + b"1]}")), "malformed"),
    (raw(reply(b'{"a":"' + b"x" * 100000 + b'"}')), "too_large"),
    (raw(reply(b"null")), "malformed"),
    (raw(reply({"error": KEY}, b"401 " + KEY.encode())), "refused"),
    (raw(reply(b"", b"302 Found", more=b"Location: http://%s.x/\r\n" % KEY.encode())), "bad_request"),
    (raw(b"SSH-2.0 %s\r\n" % KEY.encode()), "unreachable"),
    (raw(b"HTTP/1.1 \xff\xff\r\n\r\n"), "unreachable"),
)
ANTHROPIC = (
    (named((b"error", {"error": {"message": KEY}})), "server_error"),
    (named((b"error", [1])), "malformed"),
)
RESPONSES = ((named((b"error", {"message": KEY})), "server_error"),)
# These are no calls and no text, and leave an answer all the same.
ODD_CHAT = (
    events(deltas(tool_calls=[{"index": {"a": 1}, "id": 5, "function": {"name": 7, "arguments": 9}}]), DONE),
    events(*(called(1, name='sa"y\u0000\n') + [DONE])),
    events(*(called(16, name="n" * 7000) + [DONE])),
    events(*(called(3, arguments='{"text":5,"x":[[[]]]}') + [DONE])),
)
ODD_ANTHROPIC = (
    named(
        (b"content_block_start", {"index": 0, "content_block": {"type": "tool_use", "id": [], "name": 3}}),
        (b"content_block_delta", {"index": 0, "delta": {"type": "input_json_delta", "partial_json": 5}}),
        (b"content_block_delta", {"index": [], "delta": {"type": "text_delta", "text": 5}}),
        (b"message_stop", {}),
    ),
)
ODD_RESPONSES = (
    raw(reply({"status": "completed", "output": [{"type": "function_call", "name": [], "arguments": {}}]})),
)
NO_TEXT = (
    raw(reply({"status": "completed", "output": [{"type": "message", "content": [3, {"text": {}}, None]}]})),
    raw(reply({"status": "completed", "output": [{"type": "message", "content": 7}, 3, None]})),
)


async def _against(dialect, steps):
    """Let a server do each of `steps`, with a good answer behind it: list of (reply, what was logged)."""
    found = []
    for step in steps:
        found.append(await _one(dialect, step))
    return found


async def _one(dialect, step):
    log = []
    async with ScriptedModel([step, answer("Hi")], dialect) as server:
        model = Model(dialect.provider, "m", server.url, KEY, idle_ms=400)
        dialogue = Dialogue(model, {"say": Tool("say")}, log=lambda *told: log.append(told))
        since = time.ticks_ms()
        reply = await dialogue.post("Hello")
        assert time.ticks_diff(time.ticks_ms(), since) < 2000
        eq((await dialogue.post("Hello")).text, "Hi")
    return reply, log


async def test_what_is_no_answer_is_told_by_its_reason_and_not_in_the_servers_words():
    for dialect, cases in ((OpenAIChat, CHAT), (Anthropic, ANTHROPIC), (OpenAIResponses, RESPONSES)):
        for i, (told, log) in enumerate(await _against(dialect, [step for step, _ in cases])):
            eq((i, told.ok, told.reason, log), (i, False, cases[i][1], []))
            assert KEY not in told.detail and len(told.detail) < 230, told.detail


async def test_odd_calls_are_answered():
    for dialect, steps in (
        (OpenAIChat, ODD_CHAT),
        (Anthropic, ODD_ANTHROPIC),
        (OpenAIResponses, ODD_RESPONSES),
    ):
        for told, log in await _against(dialect, steps):
            eq((told.ok, told.text, log), (True, "Hi", []))
            assert told.calls, "nothing was called"
    for told, log in await _against(OpenAIResponses, NO_TEXT):
        eq((told.reason, log), ("empty", []))


class Endless:
    """A server that says the same for ever.  over: bool, its client has hung up."""

    def __init__(self, piece):
        self._piece = chunk(piece)
        self._port = port()
        self.url = "http://127.0.0.1:%d/v1" % self._port
        self.over = False

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._port)
        return self

    async def __aexit__(self, *error):
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, reader, writer):
        try:
            await reader.read(4096)
            writer.write(STREAM)
            while True:
                writer.write(self._piece)
                await writer.drain()
        except OSError:
            self.over = True
        writer.close()


async def test_an_endless_answer_is_left_and_takes_no_memory():
    # Comments, text, and an event that never ends and that nobody wants.
    for dialect, piece, reason in (
        (OpenAIChat, b": nothing\n" * 90, "timeout"),
        (OpenAIChat, event(deltas(content="x" * 50)) * 4, "too_large"),
        (OpenAIResponses, b"event: response.created\ndata: " + b"x" * 900 + b"\n", "timeout"),
    ):
        async with Endless(piece) as server:
            dialogue = Dialogue(Model(dialect.provider, "m", server.url, KEY, total_ms=600), {})
            gc.collect()
            before = gc.mem_alloc()
            since = time.ticks_ms()
            eq((await dialogue.post("Hello")).reason, reason)
            assert time.ticks_diff(time.ticks_ms(), since) < 2500
            gc.collect()
            assert gc.mem_alloc() - before < 12000, gc.mem_alloc() - before
            await until(lambda server=server: server.over)


async def test_why_a_tool_was_not_used_any_more_is_short():
    long = Tool("say", ToolFailed({}, "no_luck: " + "x" * 20000))
    async with ScriptedModel([answer("", ("say", {})), answer("Hi")]) as server:
        told = []
        dialogue = Dialogue(
            Model("openai_chat", "m", server.url), {"say": long}, watch=lambda *seen: told.append(seen)
        )
        reply = await dialogue.post("Hello")
        eq([(name, len(why)) for name, why in reply.refusals], [("say", MAX_REFUSAL)])
        eq(max([len(detail) for _, detail in told]), MAX_REFUSAL)
