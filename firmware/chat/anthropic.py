"""Anthropic's messages: POST {url}/messages, https://docs.anthropic.com/en/api/messages."""

from umcp.codec import dumps

from .errors import ModelError
from .messages import ASSISTANT, TOOL, joined, said, text

URL = "https://api.anthropic.com/v1"
PATH = "/messages"
WANTED = (b"content_block_start", b"content_block_delta", b"error")
_VERSION = "2023-06-01"
_MAX_TOKENS = 1024  # It must be told; `answer.MAX_TEXT` bounds the bytes.


def headers(key):
    """See `openai_chat`."""
    found = {"anthropic-version": _VERSION}
    if key:
        found["x-api-key"] = key
    return found


def pieces(model, system, messages, tools):
    """See `openai_chat`."""
    yield b'{"model":%s,"stream":true,"max_tokens":%d,"messages":' % (text(model), _MAX_TOKENS)
    yield from joined(_grouped(messages))
    if system:
        yield b',"system":%s' % text(system)
    if tools:
        yield b',"tools":'
        yield from joined(map(_tool, tools))
    yield b"}"


# The results of one round of calls are one message.
def _grouped(messages):
    results = []
    for one in messages:
        if one[0] == TOOL:
            results.append(_result(one))
            continue
        if results:
            yield _results(results)
            results = []
        yield (_message(one),)
    if results:
        yield _results(results)


def _results(results):
    return (b'{"role":"user","content":[', b",".join(results), b"]}")


def _result(one):
    return dumps({"type": "tool_result", "tool_use_id": one[1], "content": one[2], "is_error": one[3]})


def _message(one):
    if one[0] != ASSISTANT or not one[2]:
        return said(one[0], one[1])
    blocks = [dumps({"type": "text", "text": one[1]})] if one[1] else []
    for id, name, arguments in one[2]:
        head = b'{"type":"tool_use","id":%s,"name":%s,"input":%s}'
        blocks.append(head % (text(id), text(name), arguments.encode()))
    return b'{"role":"assistant","content":[%s]}' % b",".join(blocks)


def _tool(tool):
    head = b'{"name":%s,"description":%s,"input_schema":'
    return head % (text(tool.name), text(tool.description)), tool.schema, b"}"


def event(answer, kind, value):
    """See `openai_chat`."""
    if kind == b"message_stop":
        answer.ended = True
    elif not isinstance(value, dict):
        return
    elif kind == b"error":
        raise ModelError("busy" if _is_overload(value) else "server_error", fault(value))
    elif kind == b"content_block_start":
        block = value.get("content_block")
        if isinstance(block, dict):
            _begin(answer, value.get("index"), block)
    else:
        delta = value.get("delta")
        if isinstance(delta, dict):
            _go_on(answer, value.get("index"), delta)


def whole(answer, value):
    """See `openai_chat`."""
    blocks = value.get("content")
    for i, block in enumerate(blocks if isinstance(blocks, list) else ()):
        if isinstance(block, dict):
            _begin(answer, i, block)
            if block.get("type") == "tool_use":
                answer.call(i).add(dumps(block.get("input")).decode())
    answer.ended = bool(value.get("stop_reason"))


def fault(value):
    """See `openai_chat`."""
    error = value.get("error")
    said = error.get("message") if isinstance(error, dict) else None
    return said if isinstance(said, str) else ""


def _is_overload(value):
    error = value.get("error")
    return isinstance(error, dict) and error.get("type") in ("overloaded_error", "rate_limit_error")


# In a stream the input that a block begins with is empty, and comes in pieces.
def _begin(answer, index, block):
    if block.get("type") == "tool_use":
        answer.call(index).named(block.get("id"), block.get("name"))
    elif block.get("type") == "text" and isinstance(block.get("text"), str):
        answer.add(block["text"])


def _go_on(answer, index, delta):
    if delta.get("type") == "input_json_delta":
        answer.call(index).add(delta.get("partial_json"))
    elif delta.get("type") == "text_delta" and isinstance(delta.get("text"), str):
        answer.add(delta["text"])
