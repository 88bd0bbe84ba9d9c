"""OpenAI's responses: POST {url}/responses, https://platform.openai.com/docs/api-reference/responses.

Nothing is kept there (`store` is false): each request has the whole dialogue. The calls of a turn go back without their
item ids, so that no reasoning items are asked for.
"""

from umcp.codec import dumps

from .errors import ModelError
from .messages import ASSISTANT, TOOL, joined, said, text

URL = "https://api.openai.com/v1"
PATH = "/responses"
# The others repeat the whole request, or what has been told already.
WANTED = (b"response.output_text.delta", b"response.refusal.delta", b"response.output_item.done", b"error")
_ENDS = (b"response.completed", b"response.incomplete")
_ENDED = ("completed", "incomplete")


def headers(key):
    """See `openai_chat`."""
    return {"Authorization": "Bearer " + key} if key else {}


def pieces(model, system, messages, tools):
    """See `openai_chat`."""
    yield b'{"model":%s,"stream":true,"store":false,"input":' % text(model)
    yield from joined(map(_items, messages))
    if system:
        yield b',"instructions":%s' % text(system)
    if tools:
        yield b',"tools":'
        yield from joined(map(_tool, tools))
    yield b"}"


# A message as one or more items, with their commas.
def _items(one):
    if one[0] == TOOL:
        return (dumps({"type": "function_call_output", "call_id": one[1], "output": one[2]}),)
    items = []
    if one[1] or one[0] != ASSISTANT:
        items.append(said(one[0], one[1]))
    if one[0] == ASSISTANT:
        for id, name, arguments in one[2]:
            items.append(
                dumps({"type": "function_call", "call_id": id, "name": name, "arguments": arguments})
            )
    return (b",".join(items),)


# Functions are strict unless told otherwise, and then take no optional arguments.
def _tool(tool):
    head = b'{"type":"function","strict":false,"name":%s,"description":%s,"parameters":'
    return head % (text(tool.name), text(tool.description)), tool.schema, b"}"


def event(answer, kind, value):
    """See `openai_chat`.  value: b"" of an event that is not wanted."""
    if kind in _ENDS:
        answer.ended = True
    elif kind == b"response.failed":
        raise ModelError("server_error", "the response failed")
    elif not isinstance(value, dict):
        return
    elif kind == b"error":
        raise ModelError("server_error", fault(value))
    elif kind == b"response.output_item.done":
        _item(answer, value.get("item"), False)
    elif isinstance(value.get("delta"), str):
        answer.add(value["delta"])


def whole(answer, value):
    """See `openai_chat`."""
    items = value.get("output")
    for item in items if isinstance(items, list) else ():
        _item(answer, item, True)
    answer.ended = value.get("status") in _ENDED


def fault(value):
    """See `openai_chat`."""
    error = value.get("error")
    said = error.get("message") if isinstance(error, dict) else value.get("message")
    return said if isinstance(said, str) else ""


# The text of a message has come in pieces before, if it was a stream.
def _item(answer, item, with_text):
    if not isinstance(item, dict):
        return
    if item.get("type") == "function_call":
        answer.whole_call(item.get("call_id"), item.get("name"), item.get("arguments"))
    elif item.get("type") == "message" and with_text:
        parts = item.get("content")
        for part in parts if isinstance(parts, list) else ():
            said = (part.get("text") or part.get("refusal")) if isinstance(part, dict) else None
            if isinstance(said, str):
                answer.add(said)
