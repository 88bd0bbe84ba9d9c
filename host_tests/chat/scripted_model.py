"""A provider of a few lines: what its model answers is the test's affair, in the dialect of any of the three.

A step of the script is called with the dialect and gives what is sent: a list of bytes, where an int is a pause in
ms, and None ends the connection there. What a step does not end is left open.
"""

import asyncio
import json

from harness import port


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


END = b"0\r\n\r\n"
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def reply(body, status=b"200 OK", kind=b"application/json", more=b""):
    if not isinstance(body, bytes):
        body = json.dumps(body).encode()
    head = b"HTTP/1.1 %s\r\nContent-Type: %s\r\n%sContent-Length: %d\r\n\r\n"
    return head % (status, kind, more, len(body)) + body


def _event(value, kind=None):
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return (b"event: %s\n" % kind if kind else b"") + b"data: %s\n\n" % raw


def halves(text):
    """A text in two pieces, the second perhaps empty."""
    return [one for one in (text[: len(text) // 2], text[len(text) // 2 :]) if one] or [text]


class OpenAIChat:
    provider = "openai_chat"
    path = "/v1/chat/completions"

    @staticmethod
    def events(text, calls):
        found = [{"role": "assistant", "content": ""}]
        found += [{"content": one} for one in halves(text)] if text else []
        for i, (name, arguments) in enumerate(calls):
            function = {"name": name, "arguments": ""}
            found.append(
                {"tool_calls": [{"index": i, "id": "c%d" % i, "type": "function", "function": function}]}
            )
            for one in halves(arguments):
                found.append({"tool_calls": [{"index": i, "function": {"arguments": one}}]})
        end = "tool_calls" if calls else "stop"
        events = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in found]
        events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": end}]})
        return [b": keep-alive\n\n"] + [_event(one) for one in events] + [_event(b"[DONE]")]

    @staticmethod
    def whole(text, calls):
        message = {"role": "assistant", "content": text or None}
        if calls:
            message["tool_calls"] = [
                {"id": "c%d" % i, "type": "function", "function": {"name": name, "arguments": arguments}}
                for i, (name, arguments) in enumerate(calls)
            ]
        return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}

    @staticmethod
    def fault(text):
        return {"error": {"message": text, "type": "invalid_request_error", "code": None}}

    @staticmethod
    def results(body):
        """{id: text} of the results that a request carries."""
        return {one["tool_call_id"]: one["content"] for one in body["messages"] if one["role"] == "tool"}

    @staticmethod
    def offered(body):
        return [tool["function"]["name"] for tool in body.get("tools", ())]


class OpenAIResponses:
    provider = "openai_responses"
    path = "/v1/responses"

    @classmethod
    def events(cls, text, calls):
        # What the provider repeats is longer than any event may be that is read.
        echo = {"response": {"id": "r1", "tools": ["x" * 30000], "output": []}}
        found = [("response.created", echo), ("response.in_progress", echo)]
        if text:
            found += [("response.output_text.delta", {"delta": one}) for one in halves(text)]
            found.append(("response.output_text.done", {"text": text}))
        for item in cls._items(text, calls):
            if item["type"] == "function_call":
                found.append(("response.function_call_arguments.delta", {"delta": item["arguments"]}))
            found.append(("response.output_item.done", {"item": item}))
        found.append(("response.completed", echo))
        return [_event(dict(value, type=kind), kind.encode()) for kind, value in found]

    @staticmethod
    def _items(text, calls):
        items = [{"type": "reasoning", "id": "rs1", "summary": []}]
        if text:
            items.append({"type": "message", "content": [{"type": "output_text", "text": text}]})
        for i, (name, arguments) in enumerate(calls):
            call = {"type": "function_call", "id": "fc%d" % i, "call_id": "c%d" % i}
            items.append(dict(call, name=name, arguments=arguments))
        return items

    @classmethod
    def whole(cls, text, calls):
        return {"status": "completed", "output": cls._items(text, calls)}

    fault = OpenAIChat.fault

    @staticmethod
    def results(body):
        return {
            one["call_id"]: one["output"]
            for one in body["input"]
            if one.get("type") == "function_call_output"
        }

    @staticmethod
    def offered(body):
        return [tool["name"] for tool in body.get("tools", ())]


class Anthropic:
    provider = "anthropic"
    path = "/v1/messages"

    @classmethod
    def events(cls, text, calls):
        found = [("message_start", {"message": {"id": "m1", "usage": {}}}), ("ping", {})]
        for i, block in enumerate(cls._blocks(text, calls)):
            is_text = block["type"] == "text"
            first = dict(block, text="") if is_text else dict(block, input={})
            found.append(("content_block_start", {"index": i, "content_block": first}))
            pieces = halves(block["text"] if is_text else calls[i - bool(text)][1])
            for one in pieces:
                delta = (
                    {"type": "text_delta", "text": one}
                    if is_text
                    else {"type": "input_json_delta", "partial_json": one}
                )
                found.append(("content_block_delta", {"index": i, "delta": delta}))
            found.append(("content_block_stop", {"index": i}))
        found += [("message_delta", {"delta": {"stop_reason": "end_turn"}}), ("message_stop", {})]
        return [_event(dict(value, type=kind), kind.encode()) for kind, value in found]

    @staticmethod
    def _blocks(text, calls):
        blocks = [{"type": "text", "text": text}] if text else []
        for i, (name, arguments) in enumerate(calls):
            try:
                input = json.loads(arguments)
            except ValueError:
                input = {}
            blocks.append({"type": "tool_use", "id": "c%d" % i, "name": name, "input": input})
        return blocks

    @classmethod
    def whole(cls, text, calls):
        return {"type": "message", "content": cls._blocks(text, calls), "stop_reason": "end_turn"}

    @staticmethod
    def fault(text):
        return {"type": "error", "error": {"type": "invalid_request_error", "message": text}}

    @staticmethod
    def results(body):
        found = {}
        for one in body["messages"]:
            for block in one["content"] if isinstance(one["content"], list) else ():
                if block["type"] == "tool_result":
                    found[block["tool_use_id"]] = block["content"]
        return found

    @staticmethod
    def offered(body):
        return [tool["name"] for tool in body.get("tools", ())]


DIALECTS = (OpenAIChat, OpenAIResponses, Anthropic)

####################################################################################################
# Steps


def answer(text="", *calls, whole=False):
    """The model says a text, and calls tools: (name, arguments), which are JSON as str, or a dict."""
    calls = [(name, given if isinstance(given, str) else json.dumps(given)) for name, given in calls]

    def step(dialect):
        if whole:
            return [reply(dialect.whole(text, calls))]
        return [STREAM] + [chunk(one) for one in dialect.events(text, calls)] + [END]

    return step


def cut(after, text="Hello there", pause_ms=None):
    """A stream that ends after some events: with the connection, or it keeps still for so long."""

    def step(dialect):
        events = [chunk(one) for one in dialect.events(text, [])[:after]]
        return [STREAM] + events + ([None] if pause_ms is None else [pause_ms, None])

    return step


def fails(status, text="no", **options):
    """A refusal in the provider's own words."""
    return lambda dialect: [reply(dialect.fault(text), status, **options)]


def raw(*pieces):
    return lambda dialect: list(pieces)


class ScriptedModel:
    """script: list of steps, one a request; the last of them again and again.  bodies, heads: of the requests."""

    def __init__(self, script, dialect=OpenAIChat):
        self.dialect = dialect
        self.script = list(script)
        self.bodies = []
        self.heads = []
        self.connections = 0
        self._port = port()
        self.url = "http://127.0.0.1:%d/v1" % self._port

    def results(self, i=-1):
        return self.dialect.results(self.bodies[i])

    def offered(self, i=-1):
        return self.dialect.offered(self.bodies[i])

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._port)
        return self

    async def __aexit__(self, *error):
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, reader, writer):
        self.connections += 1
        try:
            while await self._one(reader, writer):
                pass
        except OSError:
            pass
        writer.close()
        await writer.wait_closed()

    async def _one(self, reader, writer):
        head = b""
        while b"\r\n\r\n" not in head:
            data = await reader.read(4096)
            if not data:
                return False
            head += data
        head, _, body = head.partition(b"\r\n\r\n")
        size = 0
        for line in head.split(b"\r\n"):
            if line.lower().startswith(b"content-length:"):
                size = int(line[15:])
        while len(body) < size:
            body += await reader.read(4096)
        self.heads.append(head)
        self.bodies.append(json.loads(body))
        step = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        for piece in step(self.dialect):
            if piece is None:
                return False
            if isinstance(piece, int):
                await asyncio.sleep_ms(piece)
            else:
                writer.write(piece)
                await writer.drain()
        return True
