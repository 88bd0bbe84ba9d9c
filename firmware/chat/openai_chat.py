"""OpenAI's chat completions, which local servers speak too (llama.cpp, Ollama, vLLM, LM Studio, ...).

POST {url}/chat/completions: https://platform.openai.com/docs/api-reference/chat. What local servers leave out (ids,
indices, `[DONE]`) is not insisted on, and no limit of tokens is sent, for its name is not the same everywhere.
"""

from umcp.codec import dumps

from .errors import ModelError
from .messages import ASSISTANT, TOOL, joined, said, text

URL = "https://api.openai.com/v1"
PATH = "/chat/completions"
WANTED = None  # Each event counts.


def headers(key):
    """dict of str.  key: str or None."""
    return {"Authorization": "Bearer " + key} if key else {}


def pieces(model, system, messages, tools):
    """Yield the body of a request, bytes.  model, system: str.  messages: see `messages`.  tools: of `ChatTool`."""
    yield b'{"model":%s,"stream":true,"messages":' % text(model)
    yield from joined(_messages(system, messages))
    if tools:
        yield b',"tools":'
        yield from joined(map(_tool, tools))
    yield b"}"


def _messages(system, messages):
    if system:
        yield (said("system", system),)
    for one in messages:
        yield (_message(one),)


def _message(one):
    if one[0] == TOOL:
        return b'{"role":"tool","tool_call_id":%s,"content":%s}' % (text(one[1]), text(one[2]))
    if one[0] != ASSISTANT or not one[2]:
        return said(one[0], one[1])
    message = {"role": "assistant", "tool_calls": [_call(*call) for call in one[2]]}
    if one[1]:
        message["content"] = one[1]
    return dumps(message)


def _call(id, name, arguments):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _tool(tool):
    head = b'{"type":"function","function":{"name":%s,"description":%s,"parameters":'
    return head % (text(tool.name), text(tool.description)), tool.schema, b"}}"


def event(answer, kind, value):
    """Take one event of the stream.  answer: `Answer`.  kind: bytes.  value: dict, or b"[DONE]".  Raises ModelError."""
    if value == b"[DONE]":
        answer.ended = True
        return
    for choice in _list(value.get("choices")):
        _take(answer, choice.get("delta"))
        if choice.get("finish_reason"):
            answer.ended = True
    if "error" in value:
        raise ModelError("server_error", fault(value))


def whole(answer, value):
    """Take a reply that is no stream: dict."""
    for choice in _list(value.get("choices")):
        _take(answer, choice.get("message"))
        answer.ended = True


def fault(value):
    """What an error's body says: str."""
    error = value.get("error")
    said = error.get("message") if isinstance(error, dict) else error
    return said if isinstance(said, str) else ""


def _take(answer, delta):
    if not isinstance(delta, dict):
        return
    for name in ("content", "refusal"):
        if isinstance(delta.get(name), str):
            answer.add(delta[name])
    for one in _list(delta.get("tool_calls")):
        _take_call(answer, one)


# Pieces of a call have its index. Servers without them send each call whole.
def _take_call(answer, one):
    index = one.get("index")
    call = answer.call(len(answer.calls) if index is None else index)
    function = one.get("function")
    call.named(one.get("id"), None)
    if isinstance(function, dict):
        call.named(None, function.get("name"))
        arguments = function.get("arguments")
        if isinstance(arguments, dict):  # Some send the object itself.
            arguments = dumps(arguments).decode()
        call.add(arguments)


def _list(value):
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else ()
