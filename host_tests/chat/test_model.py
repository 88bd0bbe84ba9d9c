"""What is sent to each provider, and what is taken from it: streams, whole replies, faults."""

import asyncio
import time

from scripted_model import (
    DIALECTS,
    END,
    STREAM,
    Anthropic,
    OpenAIChat,
    OpenAIResponses,
    ScriptedModel,
    answer,
    chunk,
    cut,
    fails,
    raw,
    reply,
)

from chat.errors import ModelError
from chat.model import Model, _Taker, _wire
from chat.servers import read_ca
from chat.tools import ChatTool
from harness import araises, eq, raises, splits
from umcp.client_errors import ConfigError

KEY = "sk-very-secret"
TOOLS = [
    ChatTool("say", "Say it.", b'{"type":"object","properties":{"text":{"type":"string"}}}'),
    ChatTool("nod", "", b'{"type":"object"}'),
]
CALLS = [("c1", "say", '{"text":"hé"}'), ("c2", "nod", "{}")]
MESSAGES = [
    ("user", "Hello"),
    ("assistant", "Wait", CALLS),
    ("tool", "c1", "done", False),
    ("tool", "c2", "servo_off: no", True),
]
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}


def model_of(server, **options):
    return Model(server.dialect.provider, "m1", server.url, options.pop("key", KEY), **options)


def calls_of(found):
    return [(call.id, call.name, call.raw.decode()) for call in found.calls]


async def ask(script, dialect=OpenAIChat, messages=MESSAGES, tools=TOOLS, **options):
    """(answer, server)"""
    async with ScriptedModel(script, dialect) as server:
        model = model_of(server, **options)
        try:
            return await asyncio.wait_for_ms(model.ask("Be brief.", messages, tools), 5000), server
        finally:
            model.close()


async def fault_of(script, dialect=OpenAIChat, **options):
    """(reason, text) of what is raised."""
    e = await araises(ModelError, ask(script, dialect, **options))
    assert KEY not in str(e), e
    return e.reason, str(e)


async def test_each_provider_streams_text_and_calls():
    for dialect in DIALECTS:
        for whole in (False, True):
            step = answer("Hé, 🤖!", ("say", '{"text":"hi"}'), ("nod", "{}"), whole=whole)
            found, server = await ask([step], dialect)
            eq(found.text, "Hé, 🤖!")
            eq(calls_of(found), [("c0", "say", '{"text":"hi"}'), ("c1", "nod", "{}")])
            head = server.heads[0].decode()
            assert head.startswith("POST %s HTTP/1.1" % dialect.path), head


async def test_what_openai_chat_is_sent():
    _, server = await ask([answer("ok")])
    tools = [
        {"type": "function", "function": {"name": "say", "description": "Say it.", "parameters": SCHEMA}},
        {
            "type": "function",
            "function": {"name": "nod", "description": "", "parameters": {"type": "object"}},
        },
    ]
    calls = [
        {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
        for id, name, arguments in CALLS
    ]
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Wait", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
        {"role": "tool", "tool_call_id": "c2", "content": "servo_off: no"},
    ]
    eq(server.bodies, [{"model": "m1", "stream": True, "messages": messages, "tools": tools}])
    assert b"\r\nAuthorization: Bearer " + KEY.encode() + b"\r\n" in server.heads[0] + b"\r\n"


async def test_what_openai_responses_is_sent():
    _, server = await ask([answer("ok")], OpenAIResponses)
    items = [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Wait"},
        {"type": "function_call", "call_id": "c1", "name": "say", "arguments": '{"text":"hé"}'},
        {"type": "function_call", "call_id": "c2", "name": "nod", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "done"},
        {"type": "function_call_output", "call_id": "c2", "output": "servo_off: no"},
    ]
    body = server.bodies[0]
    eq((body["store"], body["stream"], body["instructions"]), (False, True, "Be brief."))
    eq(body["input"], items)
    eq(
        body["tools"][0],
        {"type": "function", "strict": False, "name": "say", "description": "Say it.", "parameters": SCHEMA},
    )


async def test_what_anthropic_is_sent():
    _, server = await ask([answer("ok")], Anthropic)
    messages = [
        {"role": "user", "content": "Hello"},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Wait"},
                {"type": "tool_use", "id": "c1", "name": "say", "input": {"text": "hé"}},
                {"type": "tool_use", "id": "c2", "name": "nod", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "done", "is_error": False},
                {"type": "tool_result", "tool_use_id": "c2", "content": "servo_off: no", "is_error": True},
            ],
        },
    ]
    body = server.bodies[0]
    eq(body["messages"], messages)
    eq((body["system"], body["max_tokens"] > 0), ("Be brief.", True))
    eq(body["tools"][0], {"name": "say", "description": "Say it.", "input_schema": SCHEMA})
    assert b"x-api-key: " + KEY.encode() in server.heads[0]
    assert b"anthropic-version: 2023-06-01" in server.heads[0]


async def test_without_tools_system_or_key_none_is_sent():
    for dialect in DIALECTS:
        async with ScriptedModel([answer("ok")], dialect) as server:
            model = model_of(server, key=None)
            eq((await model.ask("", MESSAGES[:1], [])).text, "ok")
            body = server.bodies[0]
            assert not {"tools", "system", "instructions"} & set(body), body
            assert b"uthorization" not in server.heads[0] and b"x-api-key" not in server.heads[0]
            model.close()


async def test_a_long_request_goes_out_whole():
    many = [ChatTool("tool_%d" % i, "x" * 900, TOOLS[0].schema) for i in range(40)]
    for dialect in DIALECTS:
        _, server = await ask([answer("ok")], dialect, tools=many)
        eq(server.offered(), [tool.name for tool in many])


def _fed(dialect, pieces):
    taker = _Taker(_wire(dialect.provider))
    taker.head(200, "", {b"content-type": b"text/event-stream"})
    for piece in pieces:
        taker.feed(piece)
    return taker.finished()


def test_a_stream_may_be_cut_anywhere():
    for dialect in DIALECTS:
        events = b"".join(dialect.events("Hé 🤖", [("say", '{"text": "hi"}')]))
        for pieces in splits(events.replace(b"x" * 30000, b"xyz")):
            found = _fed(dialect, pieces)
            eq((found.text, calls_of(found)), ("Hé 🤖", [("c0", "say", '{"text": "hi"}')]))


def test_what_a_provider_repeats_takes_no_memory():
    import gc

    events = b"".join(OpenAIResponses.events("Hello", []))
    assert len(events) > 90000
    pieces = [events[i : i + 1000] for i in range(0, len(events), 1000)]
    taker = _Taker(_wire("openai_responses"))
    taker.head(200, "", {b"content-type": b"text/event-stream"})
    most = 0
    gc.collect()
    before = gc.mem_alloc()
    for piece in pieces:
        taker.feed(piece)
        gc.collect()
        most = max(most, gc.mem_alloc() - before)
    eq(taker.finished().text, "Hello")
    assert most < 4000, most


def test_many_lines_that_nobody_wants_are_no_long_event():
    echo = b"event: response.created\n" + b"data: xxxxxxxxxxxxxxxx\n" * 2000 + b"\n"
    for size in (100000, 100):
        pieces = [echo[i : i + size] for i in range(0, len(echo), size)]
        eq(_fed(OpenAIResponses, pieces + OpenAIResponses.events("Hi", [])[2:]).text, "Hi")


async def test_local_servers_leave_things_out():
    call = {"function": {"name": "say", "arguments": {"text": "a"}}}
    events = [
        {"choices": [{"delta": {"tool_calls": [call, call]}}]},
        {"choices": [{"delta": {"content": None}, "finish_reason": "stop"}]},
    ]
    import json

    body = b"".join([b"data:%s\r\n\r\n" % json.dumps(one).encode() for one in events])
    found, _ = await ask([raw(STREAM, chunk(body), END)])
    eq(calls_of(found), [("", "say", '{"text":"a"}'), ("", "say", '{"text":"a"}')])


async def test_the_end_of_an_answer_is_not_waited_for():
    for dialect in DIALECTS:
        events = [chunk(one) for one in dialect.events("Hi", [])]
        begun = time.ticks_ms()
        found, _ = await ask([raw(STREAM, *events + [3000])], dialect)
        eq(found.text, "Hi")
        assert time.ticks_diff(time.ticks_ms(), begun) < 1500


async def test_one_connection_for_a_turn():
    async with ScriptedModel([answer("one"), answer("two")]) as server:
        model = model_of(server)
        eq((await model.ask("", MESSAGES[:1], TOOLS)).text, "one")
        eq((await model.ask("", MESSAGES[:1], TOOLS)).text, "two")
        eq(server.connections, 1)
        model.close()
        eq((await model.ask("", MESSAGES[:1], TOOLS)).text, "two")
        eq(server.connections, 2)
        model.close()


async def test_a_refusal_says_why_and_never_the_key():
    cases = (
        (b"401 Unauthorized", "refused"),
        (b"429 Too Many Requests", "busy"),
        (b"400 Bad Request", "bad_request"),
        (b"500 Oops", "server_error"),
        (b"404 Not Found", "bad_request"),
        (b"529 Overloaded", "busy"),
        (b"302 Found", "bad_request"),
    )
    for dialect in DIALECTS:
        for status, reason in cases:
            seen, text = await fault_of([fails(status, "no such key: " + KEY)], dialect)
            eq(seen, reason)
            assert "no such key: ***" in text, text


async def test_errors_that_are_no_json():
    page = reply(b"<html>" + b"x" * 20000, b"502 Bad Gateway", b"text/html")
    eq(await fault_of([raw(page)]), ("server_error", "server_error: 502 Bad Gateway"))
    eq((await fault_of([raw(reply(b"hello"))]))[0], "malformed")
    eq((await fault_of([raw(reply(b"[]"))]))[0], "malformed")
    eq((await fault_of([raw(b"SSH-2.0-x\r\n\r\n")]))[0], "unreachable")


async def test_faults_inside_a_stream():
    eq((await fault_of([raw(STREAM, chunk(b"data: {oops\n\n"), END)]))[0], "malformed")
    seen = await fault_of([raw(STREAM, chunk(b'data: {"error":{"message":"ran out"}}\n\n'), END)])
    eq(seen, ("server_error", "server_error: ran out"))
    over = b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"later"}}\n\n'
    eq(await fault_of([raw(STREAM, chunk(over), END)], Anthropic), ("busy", "busy: later"))
    failed = b'event: response.failed\ndata: {"response":{}}\n\n'
    eq((await fault_of([raw(STREAM, chunk(failed), END)], OpenAIResponses))[0], "server_error")
    said = b'event: error\ndata: {"type":"error","message":"no more"}\n\n'
    eq((await fault_of([raw(STREAM, chunk(said), END)], OpenAIResponses))[1], "server_error: no more")


async def test_a_stream_that_breaks_is_no_answer():
    for dialect in DIALECTS:
        for after in range(0, 3):
            eq((await fault_of([cut(after)], dialect))[0], "broken")
        whole = dialect.events("Hello", [])
        ended = raw(STREAM, *[chunk(one) for one in whole[:3]] + [END])
        eq(await fault_of([ended], dialect), ("broken", "broken: the answer ended early"))


async def test_a_stream_that_keeps_still_or_drips():
    begun = time.ticks_ms()
    eq((await fault_of([cut(2, pause_ms=3000)], idle_ms=200))[0], "timeout")
    drip = []
    for _ in range(100):
        drip += [chunk(b": still here\n\n"), 50]
    eq((await fault_of([raw(STREAM, *drip)], idle_ms=200, total_ms=400))[0], "timeout")
    eq((await fault_of([raw(3000)], idle_ms=200))[0], "timeout")
    assert time.ticks_diff(time.ticks_ms(), begun) < 2500


async def test_what_has_no_end_is_cut_off():
    delta = chunk(b'data: {"choices":[{"delta":{"content":"%s"}}]}\n\n' % (b"x" * 1000))
    eq((await fault_of([raw(STREAM, *[delta] * 20)]))[0], "too_large")
    function = b'{"index":0,"function":{"name":"say","arguments":"%s"}}' % (b"x" * 1000)
    delta = chunk(b'data: {"choices":[{"delta":{"tool_calls":[%s]}}]}\n\n' % function)
    eq((await fault_of([raw(STREAM, *[delta] * 20)]))[0], "too_large")
    eq((await fault_of([answer("", *[("nod", "{}")] * 17)]))[0], "too_large")
    eq((await fault_of([raw(STREAM, *[chunk(b"data: " + b"x" * 20000)])]))[0], "too_large")
    eq((await fault_of([raw(reply(b" " * 40000))]))[0], "too_large")


async def test_nobody_is_there():
    model = Model("openai_chat", "m", "http://127.0.0.1:1/v1", KEY)
    eq((await araises(ModelError, model.ask("", MESSAGES[:1], []))).reason, "unreachable")


async def test_tls_waits_for_the_clock_and_wants_a_ca():
    e = raises(ConfigError, Model, "openai_chat", "m", "https://127.0.0.1:1/v1", KEY)
    assert "DER" in str(e)
    raises(ConfigError, Model, "openai_chat", "m", None, KEY)
    raises(ConfigError, Model, "nobody", "m", "http://127.0.0.1/")
    assert KEY not in str(
        raises(ConfigError, Model, "openai_chat", "m", "http://127.0.0.1/", KEY + "\r\nX: y")
    )
    ca = read_ca(__file__.rsplit("/", 1)[0] + "/ca.der")
    model = Model("openai_chat", "m", "https://127.0.0.1:1/v1", KEY, ca, has_date=lambda: False)
    eq((await araises(ModelError, model.ask("", MESSAGES[:1], []))).reason, "no_clock")
    model = Model("openai_chat", "m", "https://127.0.0.1:1/v1", KEY, ca, has_date=lambda: True)
    eq((await araises(ModelError, model.ask("", MESSAGES[:1], []))).reason, "unreachable")


async def test_what_stops_the_loop_waits_for_rest():
    rests = []

    async def rest():
        rests.append(1)

    async with ScriptedModel([answer("ok")]) as server:
        model = model_of(server, rest=rest)
        await model.ask("", MESSAGES[:1], [])
        await model.ask("", MESSAGES[:1], [])
        model.close()
        await model.ask("", MESSAGES[:1], [])
        eq(rests, [1])  # The address is known by then.
        model.close()
