"""What a server asks of its client, by the same callbacks in both eras: on the stream of a call until 2025-11-25, as
input that a result requires in 2026-07-28."""

from scripted import ACCEPTED, READY, STREAM, Lines, open_modern, open_session, result_of, run, with_session

from harness import eq, raises
from umcp import client_errors as ce
from umcp import codec
from umcp.client import ClientSession

_DEFAULTS = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
        "free": {"type": "string"},
    },
}


def _message(method, params=None, **more):
    made = dict({"jsonrpc": "2.0", "method": method}, **more)
    if params is not None:
        made["params"] = params
    return b"message " + codec.dumps(made) + b"\n"


def _ask(method, params=None, **callbacks):
    """What a legacy server gets as its answer to one request on the stream of a call."""
    session = open_session(callbacks=callbacks)
    posted = []
    body = _message(method, params, id="q") + b'message {"jsonrpc":"2.0","id":2,"result":{}}\n'
    _, _, error = run(session.call_tool("t"), (200, STREAM, body), session=session, posted=posted)
    eq((error, len(posted), posted[0]["id"], posted[0]["jsonrpc"]), (None, 1, "q", "2.0"))
    return posted[0].get("result", posted[0].get("error"))


def _elicit(value, **params):
    return _ask("elicitation/create", dict({"message": "?", "requestedSchema": _DEFAULTS}, **params),
                on_elicit=lambda params: value)  # fmt: skip


async def _later(value):
    return value


def test_capabilities_are_those_of_the_callbacks():
    callbacks = {"on_elicit": lambda params: {}, "on_sample": lambda params: {}, "on_roots": list}
    session = ClientSession(Lines, callbacks=callbacks)
    _, sent, _ = run(session.initialize(), with_session(READY), ACCEPTED)
    wanted = {"elicitation": {}, "sampling": {}, "roots": {}}
    eq(codec.loads(sent[0].body)["params"]["capabilities"], wanted)
    modern = open_modern(
        callbacks={"on_roots": list, "on_progress": print, "on_log": print, "on_change": print}
    )
    _, sent, _ = run(modern.list_tools(), result_of({"tools": []}))
    meta = codec.loads(sent[0].body)["params"]["_meta"]
    eq(meta["io.modelcontextprotocol/clientCapabilities"], {"roots": {}})


def test_callbacks_that_there_are_not():
    for callbacks in ({"on_nothing": print}, {"on_elicit": None}):
        raises(ce.ConfigError, ClientSession, Lines, callbacks=callbacks)


def test_what_is_not_declared_is_not_there():
    for method in ("elicitation/create", "sampling/createMessage", "roots/list", "what/ever"):
        eq(_ask(method, {})["code"], -32601)
        eq(_ask(method, {}, on_progress=print)["code"], -32601)
    eq(_ask("ping"), {})


def test_an_elicitation_gets_the_defaults_of_its_schema():
    all_of_them = {"name": "John Doe", "age": 30, "score": 95.5, "status": "active", "verified": True}
    eq(_elicit({}), {"action": "accept", "content": all_of_them})
    eq(_elicit({"name": "Jane", "free": "x", "verified": False})["content"],
       dict(all_of_them, name="Jane", free="x", verified=False))  # fmt: skip
    eq(_elicit({"action": "accept", "content": {"age": 1}})["content"]["age"], 1)
    eq(_elicit({"action": "accept"})["content"], all_of_them)
    for schema in (None, [], {}, {"properties": []}, {"properties": {"a": 1}}):
        eq(_elicit({"a": "b"}, requestedSchema=schema), {"action": "accept", "content": {"a": "b"}})


def test_an_elicitation_may_be_declined():
    eq(_elicit(None), {"action": "decline"})
    for action in ("decline", "cancel"):
        eq(_elicit({"action": action}), {"action": action})
    eq(_elicit({"action": "walk"})["content"]["action"], "walk")


def test_only_forms_are_taken():
    eq(_elicit({}, mode="form")["action"], "accept")
    eq(_elicit({}, mode="url", url="http://x/")["code"], -32602)
    eq(_ask("elicitation/create", [1], on_elicit=lambda params: {})["code"], -32602)


def test_sampling_and_roots():
    answer = {"role": "assistant", "content": {"type": "text", "text": "x"}, "model": "m"}
    eq(_ask("sampling/createMessage", {"maxTokens": 1}, on_sample=lambda params: dict(answer, n=params["maxTokens"])),
       dict(answer, n=1))  # fmt: skip
    eq(_ask("roots/list", None, on_roots=lambda: [{"uri": "file:///a"}]), {"roots": [{"uri": "file:///a"}]})
    eq(_ask("roots/list", {}, on_roots=lambda: {"roots": []}), {"roots": []})


def test_callbacks_may_be_coroutines():
    eq(_ask("roots/list", None, on_roots=lambda: _later([])), {"roots": []})


def _raising(params):
    raise OSError(5)


def test_what_a_callback_raises_ends_the_call_behind_an_answer():
    for callback, method in (
        (_raising, "sampling/createMessage"),
        (lambda params: "no dict", "sampling/createMessage"),
        (lambda params: {"action": "accept", "content": [1]}, "elicitation/create"),
        (lambda params: "no dict", "elicitation/create"),
    ):
        session = open_session(callbacks={"on_sample": callback, "on_elicit": callback})
        posted = []
        body = _message(method, {}, id=5)
        _, _, error = run(session.call_tool("t"), (200, STREAM, body), session=session, posted=posted)
        eq((type(error), error.method), (ce.CallbackFailed, method))
        eq(posted, [{"jsonrpc": "2.0", "id": 5, "error": {"code": -32603, "message": "Internal error"}}])
        eq(run(session.call_tool("t"), result_of({"ok": 1}))[0], {"ok": 1})
    assert isinstance(error.cause, TypeError)


def test_a_server_that_asks_without_end():
    session = open_session(callbacks={"on_roots": list})
    body = _message("roots/list", id=1) * 100
    _, _, error = run(session.call_tool("t"), (200, STREAM, body), session=session, posted=[])
    eq(str(error), "Malformed response: more than 32 requests")


def _heard(session, *messages, method="tools/call"):
    """A call whose stream has these messages before the answer."""
    body = b"".join(messages) + b'message {"jsonrpc":"2.0","id":%d,"result":{}}\n'
    return run(
        session.call_tool("t"),
        (200, STREAM, lambda request: body % request["id"]),
        session=session,
        posted=[],
    )


def _keeping(seen):
    """Callbacks that keep what they are told in the list `seen`."""
    return {
        "on_log": lambda params: seen.append(params["data"]),
        "on_change": lambda method, params: seen.append((method, params)),
        "on_progress": lambda params: seen.append(params["progress"]),
    }


def test_notifications_are_heard():
    for make in (open_session, open_modern):
        seen = []
        callbacks = _keeping(seen)
        changed = (
            "tools/list_changed",
            "prompts/list_changed",
            "resources/list_changed",
            "resources/updated",
        )
        messages = [_message("notifications/" + name, {"uri": "a"}) for name in changed]
        messages.append(_message("notifications/message", {"data": "half"}))
        messages.append(_message("notifications/message", [1]) + _message("notifications/other", {}))
        messages.append(_message("notifications/tools/list_changed"))
        _, _, error = _heard(make(callbacks=callbacks), *messages)
        wanted = [("notifications/" + name, {"uri": "a"}) for name in changed]
        eq((error, seen), (None, wanted + ["half", ("notifications/tools/list_changed", {})]))


def test_progress_is_asked_for_where_it_is_wanted():
    for make in (open_session, open_modern):
        _, sent, _ = _heard(make(callbacks={"on_log": print}))
        assert b"progressToken" not in sent[0].body
        seen = []
        session = make(callbacks=_keeping(seen))
        told = [_message("notifications/progress", {"progressToken": t, "progress": p})
                for t, p in ((2, 1), ("2", 2), (3, 3), (True, 4), (2.0, 5), (2, 50))]  # fmt: skip
        _, sent, error = _heard(session, *told)
        eq((error, seen), (None, [1, 50]))
        eq(codec.loads(sent[0].body)["params"]["_meta"]["progressToken"], 2)
        run(session.list_tools(), result_of({"tools": []}))


def test_a_notification_callback_that_raises():
    session = open_session(callbacks={"on_log": _raising})
    eq(type(_heard(session, _message("notifications/message", {"data": 1}))[2]), ce.CallbackFailed)
    eq(_heard(session)[2], None)


# 2026-07-28, patterns: multi round-trip requests.


def _input(requests=None, state=None):
    result = {"resultType": "input_required"}
    if requests is not None:
        result["inputRequests"] = requests
    if state is not None:
        result["requestState"] = state
    return result_of(result)


def _form(**more):
    return {"method": "elicitation/create", "params": dict({"message": "?"}, **more)}


def _asked_back(*replies, **callbacks):
    callbacks = callbacks or {"on_elicit": lambda params: {"ok": True}}
    session = open_modern(callbacks=callbacks)
    result, sent, error = run(session.call_tool("t", {"a": 1}), *replies)
    return result, [codec.loads(x.body) for x in sent], error


_DONE = result_of({"resultType": "complete", "content": []})


def test_all_that_is_asked_for_is_answered():
    requests = {
        "who": _form(requestedSchema=_DEFAULTS),
        "what": {"method": "sampling/createMessage", "params": {"maxTokens": 5}},
        "where": {"method": "roots/list"},
    }
    result, sent, error = _asked_back(
        _input(requests, "st\u00e4te \U0001f600"), _DONE,
        on_elicit=lambda params: {"name": "Jane"}, on_sample=lambda params: {"role": "assistant"},
        on_roots=lambda: _later([{"uri": "file:///a"}]),
    )  # fmt: skip
    eq((error, result["content"]), (None, []))
    eq([message["id"] for message in sent], [2, 3])
    params = sent[1]["params"]
    eq(
        (params["name"], params["arguments"], params["requestState"]),
        ("t", {"a": 1}, "st\u00e4te \U0001f600"),
    )
    answers = params["inputResponses"]
    eq(sorted(answers), ["what", "where", "who"])
    eq((answers["who"]["action"], answers["who"]["content"]["name"], answers["who"]["content"]["age"]),
       ("accept", "Jane", 30))  # fmt: skip
    eq((answers["what"], answers["where"]), ({"role": "assistant"}, {"roots": [{"uri": "file:///a"}]}))


def test_a_state_is_for_its_round_only():
    _, sent, error = _asked_back(
        _input({"a": _form()}, "one"), _input({"b": _form()}), _input(None, "three"), _DONE
    )
    eq(error, None)
    seen = [
        (message["params"].get("requestState"), message["params"].get("inputResponses")) for message in sent
    ]
    yes = {"action": "accept", "content": {"ok": True}}
    eq(seen, [(None, None), ("one", {"a": yes}), (None, {"b": yes}), ("three", None)])


def test_nothing_of_a_round_is_in_another_call():
    session = open_modern(callbacks={"on_elicit": lambda params: {}})
    run(session.call_tool("t"), _input({"a": _form()}, "secret"), _DONE)
    _, sent, _ = run(session.call_tool("t"), _DONE)
    assert b"secret" not in sent[0].body and b"inputResponses" not in sent[0].body


def test_rounds_end():
    _, sent, error = _asked_back(*([_input(None, "s")] * 10), _DONE)
    eq((error, len(sent)), (None, 11))
    _, sent, error = _asked_back(*([_input(None, "s")] * 11))
    eq((type(error), len(sent)), (ce.LimitError, 11))


def test_requirements_that_are_none():
    for reply in (_input(), _input({}), _input([], "s"), _input({"a": 1}), _input({"a": {}}), _input({"a": _form()}, 1),
                  _input({"a": {"method": "ping"}}), _input({"a": {"method": "roots/list"}})):  # fmt: skip
        eq(type(_asked_back(reply)[2]), ce.InvalidResponse)


def test_what_a_callback_raises_ends_the_rounds():
    eq(type(_asked_back(_input({"a": _form()}), on_elicit=_raising)[2]), ce.CallbackFailed)
    _, sent, _ = _asked_back(_input({"a": _form(mode="url", url="x")}), _DONE, on_elicit=_raising)
    eq(sent[1]["params"]["inputResponses"], {"a": {"action": "decline"}})


def test_a_prompt_may_ask_back():
    from umcp.client_methods import get_prompt

    session = open_modern(callbacks={"on_elicit": lambda params: {"x": 1}})
    result, sent, error = run(get_prompt(session, "p"), _input({"a": _form()}), result_of({"messages": []}))
    eq((error, result, len(sent)), (None, {"messages": []}, 2))
    eq([x.fields for x in sent], [b"Mcp-Method: prompts/get\r\nMcp-Name: p\r\n"] * 2)
