"""Faults of the messages, which both transports can have."""

from fnmatch import fnmatchcase

from . import http_answer
from .pipeline import Close, Delay, Exit, Notify, RawBytes, Reply, Silence, dumped, error_reply, parsed

_INVALID_PARAMS = -32602
_BANNER = b"Server listening on port 3000\n"
# Digits that stand for others: a number stays one, and no longer than it was.
_OTHER = str.maketrans("123456789", "214365878")


async def timeout(met):
    await met.send(Silence())


async def delay(met):
    await met.send(Delay(met.given["ms"]))
    if not met.exchange.left:
        await met.pass_on()


async def late(met):
    reply = await met.answer()
    if reply is not None:
        await met.send(Delay(met.given["ms"]))
        await met.send(reply)


async def disconnect(met):
    await met.send(Exit(met.given["code"]))


async def disconnect_after(met):
    reply = await met.answer(met.nothing if met.http else None)
    if reply is None:
        return
    if met.http:
        await met.send(RawBytes(http_answer.plain(reply, met.exchange.peer)))
        await met.send(Close())
    else:
        await met.send(reply)
        await met.send(Exit(met.given["code"]))


async def malformed(met):
    change = MALFORMED[met.given["how"]]
    if change is None:
        await met.send(Reply(b"{not-json}"))
        return
    reply = await met.answer()
    if reply is not None:
        raw = change(reply.raw, met.given) if reply.raw else reply.raw
        await met.send(Reply(raw, reply.status, reply.headers))


async def duplicate(met):
    reply = await met.answer()
    if reply is not None:
        if reply.raw:
            await met.send(Notify(reply.raw))
        await met.send(reply)


async def reorder(met):
    reply = await met.answer()
    if reply is not None:
        await met.wait_for_another(met.given["ms"])
        await met.send(reply)


async def error(met):
    await met.send(error_reply(met.exchange.id, met.given["code"], met.given["message"]))


async def tool_error(met):
    await met.send(met.result({"content": [{"type": "text", "text": met.given["text"]}], "isError": True}))


async def empty(met):
    await met.send(met.result({}))


async def drop_tool(met):
    name = met.given["tool"]
    if met.exchange.method == "tools/call" and fnmatchcase(met.exchange.tool or "", name or "*"):
        await met.send(error_reply(met.exchange.id, _INVALID_PARAMS, "Unknown tool: %s" % met.exchange.tool))
        return

    def change(result):
        tools = result.get("tools")
        if not isinstance(tools, list):
            return False
        kept = [one for one in tools if not _is_called(one, name)] if name else tools[1:]
        result["tools"] = kept
        return len(kept) < len(tools)

    await _changed(met, change)


async def schema_drift(met):
    drift = DRIFTS[met.given["how"]]

    def change(result):
        tools = result.get("tools")
        hit = [one for one in tools if _is_called(one, met.given["tool"])] if isinstance(tools, list) else ()
        for tool in hit:
            schema = tool.get("inputSchema")
            tool["inputSchema"] = dict(schema if isinstance(schema, dict) else {}, **drift(schema or {}))
        return bool(hit)

    await _changed(met, change)


async def corrupt_valid(met):
    def change(result):
        before = dumped(result)
        for key in ("content", "contents", "messages"):
            if isinstance(result.get(key), list):
                result[key] = [_with_other_text(item) for item in result[key]]
        if "structuredContent" in result:
            result["structuredContent"] = _other(result["structuredContent"])
        return dumped(result) != before

    await _changed(met, change)


# Sends the answer with its result changed by `change(result)`, which tells if it found what to change.
async def _changed(met, change):
    reply = await met.answer()
    if reply is None:
        return
    message = met.parsed(reply)
    result = message.get("result")
    if isinstance(result, dict) and change(result):
        reply = Reply(dumped(message), reply.status, reply.headers)
    else:
        met.note("the answer to %s has nothing to change" % (met.exchange.method or "it"))
    await met.send(reply)


def _is_called(tool, pattern):
    return isinstance(tool, dict) and fnmatchcase(str(tool.get("name")), pattern)


# One that was not wanted before.
def _required(schema):
    properties = schema.get("properties") or {}
    wanted = schema.get("required") or []
    return {"properties": dict(properties, drift={"type": "string"}), "required": [*wanted, "drift"]}


def _type(schema):
    properties = schema.get("properties") or {}
    return {"properties": {name: {"type": _another(one)} for name, one in properties.items()}}


def _another(schema):
    return "integer" if isinstance(schema, dict) and schema.get("type") == "string" else "string"


def _renamed(schema):
    properties = schema.get("properties") or {}
    wanted = schema.get("required") or []
    return {
        "properties": {name + "_2": one for name, one in properties.items()},
        "required": [name + "_2" for name in wanted],
    }


DRIFTS = {"required": _required, "type": _type, "renamed": _renamed}


def _with_other_text(item):
    if not isinstance(item, dict):
        return item
    item = dict(item)
    if isinstance(item.get("content"), dict):
        item["content"] = _with_other_text(item["content"])
    if isinstance(item.get("text"), str):
        text = _other(item["text"])
        item["text"] = text if text != item["text"] else text.swapcase()
    return item


# A value of the same type, and of the same length.
def _other(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return value.translate(_OTHER)
    if isinstance(value, int):
        return int(str(value).translate(_OTHER))
    if isinstance(value, float):
        return float(repr(value).translate(_OTHER)) if "e" not in repr(value) else -value
    if isinstance(value, list):
        return [_other(one) for one in value]
    if isinstance(value, dict):
        return {name: _other(one) for name, one in value.items()}
    return value


# What becomes of the bytes of an answer.  given: dict, the fault's parameters.
def _truncated(raw, given):
    return raw[: len(raw) // 2]


def _with(raw, **members):
    message = parsed(raw)
    if not isinstance(message, dict):
        return raw
    message.update(members)
    return dumped({name: value for name, value in message.items() if value is not Ellipsis})


def _wrong_id(raw, given):
    return _with(raw, id=another_id(_id(raw)))


# Of the other type that an id can have.
def _string_id(raw, given):
    id_ = _id(raw)
    return _with(raw, id=0 if isinstance(id_, str) else str(id_))


def another_id(id_):
    """An id of the same type that is nobody's.  id_: str or int."""
    return id_ + "-x" if isinstance(id_, str) else (id_ or 0) + 1000000


def _id(raw):
    message = parsed(raw)
    return message.get("id") if isinstance(message, dict) else None


def _no_jsonrpc(raw, given):
    return _with(raw, jsonrpc=...)


def _both(raw, given):
    return _with(raw, result={}, error={"code": -32603, "message": "Injected fault"})


def _stray_line(raw, given):
    return _BANNER + raw


def _oversize(raw, given):
    return b" " * given["size"] + raw


def _bad_utf8(raw, given):
    return raw[:1] + b'"\xff\xfe":0,' + raw[1:]


MALFORMED = {
    "not-json": None,
    "truncate": _truncated,
    "wrong-id": _wrong_id,
    "string-id": _string_id,
    "no-jsonrpc": _no_jsonrpc,
    "both": _both,
    "stray-line": _stray_line,
    "oversize": _oversize,
    "bad-utf8": _bad_utf8,
}
