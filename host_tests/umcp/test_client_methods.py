"""Resources, prompts, completion and log levels, in both eras."""

from scripted import (
    ACCEPTED,
    READY,
    error_of,
    lines_of,
    open_modern,
    open_session,
    result_of,
    run,
    with_session,
)

from harness import eq
from umcp import client_errors as ce
from umcp import client_methods as methods
from umcp import codec
from umcp.errors import LocalError

_BOTH = (open_session, open_modern)


def _sent(exchange):
    """(method, params without _meta) of a request."""
    message = codec.loads(exchange.body)
    params = dict(message.get("params", {}))
    params.pop("_meta", None)
    return message["method"], params


def _one(session, flow, result):
    value, sent, error = run(flow, result_of(result))
    eq((error, len(sent)), (None, 1))
    return value, sent[0]


def test_lists():
    for make in _BOTH:
        for flow, key, method in (
            (methods.list_resources, "resources", "resources/list"),
            (methods.list_resource_templates, "resourceTemplates", "resources/templates/list"),
            (methods.list_prompts, "prompts", "prompts/list"),
        ):
            session = make()
            first = result_of({key: [{"name": "a"}], "nextCursor": ""})
            last = result_of({key: [{"name": "b"}]})
            found, sent, error = run(flow(session), first, last)
            eq((error, found), (None, [{"name": "a"}, {"name": "b"}]))
            eq([_sent(x) for x in sent], [(method, {}), (method, {"cursor": ""})])
            if session.modern:
                eq(lines_of(sent[1]), ["Mcp-Method: " + method])
            assert isinstance(run(flow(make()), result_of({key: [{}]}))[2], ce.InvalidResponse)
            circle = [result_of({key: [], "nextCursor": c}) for c in ("x", "y", "x")]
            eq(str(run(flow(make()), *circle)[2]), method + ": the cursors run in a circle")
            many = result_of({key: [{"name": "a"}] * 3})
            eq(str(run(flow(make(max_tools=2)), many)[2]), "%s: more than 2 %s" % (method, key))


def test_reading():
    for make in _BOTH:
        session = make()
        contents = [{"uri": "a://b", "text": "x"}, {"uri": "a://b", "blob": "eA=="}]
        found, sent = _one(session, methods.read_resource(session, "a://b"), {"contents": contents})
        eq((found, _sent(sent)), (contents, ("resources/read", {"uri": "a://b"})))
        if session.modern:
            eq(lines_of(sent), ["Mcp-Method: resources/read", "Mcp-Name: a://b"])
        assert isinstance(run(methods.read_resource(session, "a"), result_of({}))[2], ce.InvalidResponse)
        assert isinstance(run(methods.read_resource(session, 1))[2], LocalError)


def test_a_resource_that_is_not_there_is_one_error_in_all_eras():
    for make in _BOTH:
        for code in (-32002, -32602):
            for status in (200, 400) if make is open_modern else (200,):
                reply = error_of(code, status, data={"uri": "a://b"})
                error = run(methods.read_resource(make(), "a://b"), reply)[2]
                eq((type(error), error.code, error.data), (ce.NotFound, code, {"uri": "a://b"}))
        eq(type(run(methods.read_resource(make(), "a"), error_of(-32603))[2]), ce.RpcError)


def test_prompts():
    for make in _BOTH:
        session = make()
        result = {"messages": [{"role": "user", "content": {"type": "text", "text": "x"}}]}
        found, sent = _one(session, methods.get_prompt(session, "p", {"a": "1"}), result)
        eq((found, _sent(sent)), (result, ("prompts/get", {"name": "p", "arguments": {"a": "1"}})))
        eq(_sent(_one(session, methods.get_prompt(session, "p"), result)[1]), ("prompts/get", {"name": "p"}))
        assert isinstance(
            run(methods.get_prompt(session, "p"), result_of({"messages": 1}))[2], ce.InvalidResponse
        )
        error = run(methods.get_prompt(session, "p"), error_of(-32602))[2]
        eq((type(error), str(error)), (ce.RpcError, "Get prompt failed: no"))


def test_completion():
    for make in _BOTH:
        session = make()
        ref = {"type": "ref/prompt", "name": "p"}
        result = {"completion": {"values": ["ab", "ac"], "total": 2}}
        found, sent = _one(session, methods.complete(session, ref, "x", "a"), result)
        wanted = {"ref": ref, "argument": {"name": "x", "value": "a"}}
        eq((found, _sent(sent)), (result["completion"], ("completion/complete", wanted)))
        _, sent = _one(session, methods.complete(session, ref, "x", "a", {"y": "b"}), result)
        eq(_sent(sent)[1]["context"], {"arguments": {"y": "b"}})
        for bad in ({}, {"completion": 1}, {"completion": {}}, {"completion": {"values": [1]}}):
            assert isinstance(
                run(methods.complete(session, ref, "x", "a"), result_of(bad))[2], ce.InvalidResponse
            )


def test_log_level():
    session = open_session()
    _, sent = _one(session, methods.set_log_level(session, "warning"), {})
    eq(_sent(sent), ("logging/setLevel", {"level": "warning"}))
    assert isinstance(run(methods.set_log_level(session, "loud"))[2], LocalError)
    eq(str(run(methods.set_log_level(session, "info"), error_of(-32601))[2]), "Set log level failed: no")
    eq(session.log_level, "warning")


def test_subscriptions():
    session = open_session()
    for flow, method in ((methods.subscribe, "subscribe"), (methods.unsubscribe, "unsubscribe")):
        _, sent = _one(session, flow(session, "a://b"), {})
        eq(_sent(sent), ("resources/" + method, {"uri": "a://b"}))
    eq(session.watched, ())
    modern = open_modern()
    for uri in ("a://b", "a://b", "a://c"):
        eq(run(methods.subscribe(modern, uri)), (None, [], None))
    eq(modern.watched, ("a://b", "a://c"))
    run(methods.unsubscribe(modern, "a://b"))
    eq(modern.watched, ("a://c",))
    for i in range(63):
        run(methods.subscribe(modern, str(i)))
    assert isinstance(run(methods.subscribe(modern, "x"))[2], LocalError)


def test_a_subscription_that_is_refused_is_none():
    session = open_session()
    eq(type(run(methods.subscribe(session, "a"), error_of(-32602))[2]), ce.RpcError)
    eq(session.watched, ())


def test_a_renewed_session_knows_what_the_old_one_did():
    session = open_session()
    _one(session, methods.subscribe(session, "a://b"), {})
    _one(session, methods.set_log_level(session, "info"), {})
    ready = with_session(READY, b"s2")
    for told, last, kind in (
        (result_of({}), result_of({"prompts": []}), type(None)),
        (error_of(-32601), result_of({"prompts": []}), type(None)),
        ((404, {}, b""), (404, {}, b""), ce.SessionLost),
    ):
        _, sent, error = run(methods.list_prompts(session), (404, {}, b""), ready, ACCEPTED, told, told, last)
        eq([_sent(x)[0] for x in sent[3:5]], ["resources/subscribe", "logging/setLevel"])
        eq(type(error), kind)


def test_methods_of_a_session_that_is_not_open():
    session = open_session()
    session.reset()
    for flow in (methods.list_prompts(session), methods.read_resource(session, "a"), methods.subscribe(session, "a"),
                 methods.set_log_level(session, "info")):  # fmt: skip
        eq(type(run(flow)[2]), ce.NotInitialized)


def test_a_lost_session_is_renewed_and_the_request_sent_once_more():
    session = open_session()
    ready = with_session(READY, b"s2")
    lost = (404, {}, b"")
    found, sent, _ = run(
        methods.read_resource(session, "a"), lost, ready, ACCEPTED, result_of({"contents": []})
    )
    eq((found, len(sent), sent[3].headers["Mcp-Session-Id"]), ([], 4, "s2"))
    eq(type(run(methods.read_resource(session, "a"), lost, ready, ACCEPTED, lost)[2]), ce.SessionLost)
