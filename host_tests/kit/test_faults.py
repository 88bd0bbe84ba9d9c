"""Faults by themselves: what goes out, and whether the responder behind was asked."""

import asyncio
import json

import pytest

from kit.playing import Client, call, note, request, run, text
from tsumiki.errors import Unreadable
from tsumiki.fault_kinds import FAULTS
from tsumiki.fault_options import before
from tsumiki.fault_rules import Rule, short
from tsumiki.faults import Faults
from tsumiki.pipeline import Channel, Close, Delay, Exit, Notify, RawBytes, Reply, Responder, Silence, Status

LOG = note("notifications/message", level="info", data="working")


class Inner(Responder):
    """Tells what it is asked, and answers with a note before each answer."""

    def __init__(self, answer=None):
        self.asked = []
        self.closed = False
        self._answer = answer

    async def handle(self, exchange):
        self.asked.append(exchange.tool or exchange.method)
        if exchange.id is None:
            await exchange.send(Reply(b"", 202))
            return
        await exchange.send(Notify(json.dumps(LOG).encode()))
        answer = self._answer(exchange) if self._answer else text(exchange.id, "21 sheep")
        headers = (("Mcp-Session-Id", "s%d" % len(self.asked)),) if exchange.method == "initialize" else ()
        await exchange.send(Reply(json.dumps(answer).encode(), 200, headers))

    async def close(self):
        self.closed = True


def met(fault, message=None, answer=None, http=False, era="legacy", **rule):
    """(actions, what the responder was asked) of one message that meets a fault."""
    inner = Inner(answer)
    made = short("*=" + fault) if isinstance(fault, str) else Rule(dict(fault, **rule))
    faults = Faults(inner, [made])
    client = Client(faults, era, http)
    actions = run(client.send(message or call(7, "count", {})))
    assert made.fired == 1
    return actions, inner.asked


def raw(actions):
    assert isinstance(actions[-1], Reply)
    return actions[-1].raw


@pytest.mark.parametrize(
    "fault, action",
    [
        ("timeout", Silence()),
        ("disconnect", Exit(70)),
        ("disconnect:3", Exit(3)),
        ("malformed", Reply(b"{not-json}")),
    ],
)
def test_what_takes_the_place_of_an_answer(fault, action):
    assert met(fault) == ([action], [])


def test_a_request_may_be_carried_out_all_the_same():
    actions, asked = met({"do": "timeout", "consume": True})
    assert (actions, asked) == ([Silence()], ["count"])
    assert met({"do": "late", "with": {"ms": 5}, "consume": True})[1] == ["count"]


def test_an_error_and_a_refusal_of_the_tool():
    (reply,), asked = met("error:-32000,stuck")
    assert json.loads(reply.raw) == {"jsonrpc": "2.0", "id": 7, "error": {"code": -32000, "message": "stuck"}}
    assert asked == []
    (reply,), asked = met("tool-error:servo_off: limp")
    result = {"content": [{"type": "text", "text": "servo_off: limp"}], "isError": True}
    assert json.loads(reply.raw) == {"jsonrpc": "2.0", "id": 7, "result": result}


@pytest.mark.parametrize("era, result", [("legacy", {}), ("modern", {"resultType": "complete"})])
def test_a_result_with_nothing_in_it_is_of_its_era(era, result):
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    message = request("a", "tools/list", {"_meta": meta} if era == "modern" else {})
    (reply,), _ = met("empty", message, http=True, era=era)
    assert json.loads(reply.raw) == {"jsonrpc": "2.0", "id": "a", "result": result}


def test_a_delay_is_before_the_request_and_lateness_before_the_answer():
    actions, _ = met("delay:30")
    assert [type(action) for action in actions] == [Delay, Notify, Reply] and actions[0].ms == 30
    actions, _ = met("late:40")
    assert [type(action) for action in actions] == [Notify, Delay, Reply] and actions[1].ms == 40


def test_who_has_left_meanwhile_is_not_served():
    inner = Inner()
    client = Client(Faults(inner, [short("*=delay:30")]))
    channel = Channel()
    channel.left = True
    run(client.responder.handle(client.exchange(call(1, "count", {}), channel)))
    assert inner.asked == []


def test_the_end_behind_the_answer():
    actions, _ = met("disconnect-after:9")
    assert actions[-1] == Exit(9) and isinstance(actions[-2], Reply)


def test_an_answer_that_comes_twice():
    actions, _ = met("duplicate")
    assert actions[-2].raw == actions[-1].raw and type(actions[-2]) is Notify


GOOD = text(7, "21 sheep")
CHANGED = [
    ("wrong-id", dict(GOOD, id=1000007)),
    ("string-id", dict(GOOD, id="7")),
    ("no-jsonrpc", {"id": 7, "result": GOOD["result"]}),
    ("both", dict(GOOD, result={}, error={"code": -32603, "message": "Injected fault"})),
]


@pytest.mark.parametrize("how, expected", CHANGED)
def test_answers_to_nobody(how, expected):
    actions, asked = met("malformed:" + how)
    assert (json.loads(raw(actions)), asked) == (expected, ["count"])


def test_the_id_of_a_text_is_another_text_or_a_number():
    asked = request("seven", "tools/call", {"name": "count"})
    assert json.loads(raw(met("malformed:wrong-id", asked)[0]))["id"] == "seven-x"
    assert json.loads(raw(met("malformed:string-id", asked)[0]))["id"] == 0


def test_bytes_that_are_no_message():
    whole = json.dumps(GOOD).encode()
    cut = raw(met("malformed:truncate")[0])
    assert whole.startswith(cut) and len(cut) == len(whole) // 2
    stray = raw(met("malformed:stray-line")[0])
    assert stray.endswith(b"\n" + whole) and stray.count(b"\n") == 1
    big = raw(met("malformed:oversize:5000")[0])
    assert len(big) == len(whole) + 5000 and json.loads(big) == GOOD
    bad = raw(met("malformed:bad-utf8")[0])
    with pytest.raises(UnicodeDecodeError):
        bad.decode()
    assert json.loads(bad.decode("utf-8", "replace"))["id"] == 7


TOOLS = [
    {"name": "say", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}},
    {
        "name": "move_head",
        "inputSchema": {"type": "object", "properties": {"yaw": {"type": "number"}}, "required": ["yaw"]},
    },
    {"name": "move_neck"},
]


def listed(fault, message=None):
    actions, asked = met(
        fault,
        message or request(7, "tools/list"),
        lambda e: {"jsonrpc": "2.0", "id": e.id, "result": {"tools": TOOLS}},
    )
    return json.loads(raw(actions)), asked


@pytest.mark.parametrize(
    "fault, names",
    [
        ("drop-tool", ["move_head", "move_neck"]),
        ("drop-tool:say", ["move_head", "move_neck"]),
        ("drop-tool:move_*", ["say"]),
        ("drop-tool:none", ["say", "move_head", "move_neck"]),
    ],
)
def test_a_tool_that_is_gone(fault, names):
    answer, asked = listed(fault)
    assert ([tool["name"] for tool in answer["result"]["tools"]], asked) == (names, ["tools/list"])


def test_a_call_of_a_tool_that_is_gone():
    answer, asked = listed("drop-tool:move_*", call(7, "move_neck", {}))
    assert (answer["error"]["code"], asked) == (-32602, [])


@pytest.mark.parametrize(
    "how, properties, required",
    [
        ("required", {"yaw": {"type": "number"}, "drift": {"type": "string"}}, ["yaw", "drift"]),
        ("type", {"yaw": {"type": "string"}}, ["yaw"]),
        ("renamed", {"yaw_2": {"type": "number"}}, ["yaw_2"]),
    ],
)
def test_schemas_that_drift(how, properties, required):
    tools = listed("schema-drift:%s,move_*" % how)[0]["result"]["tools"]
    assert tools[0] == TOOLS[0]
    assert (tools[1]["inputSchema"]["properties"], tools[1]["inputSchema"]["required"]) == (
        properties,
        required,
    )
    assert TOOLS[1]["inputSchema"]["required"] == ["yaw"]


@pytest.mark.parametrize(
    "result, expected",
    [
        (
            {
                "content": [{"type": "text", "text": '{"n":21,"at":[0.5]}'}],
                "structuredContent": {"n": 21, "at": [0.5]},
            },
            {
                "content": [{"type": "text", "text": '{"n":12,"at":[0.6]}'}],
                "structuredContent": {"n": 12, "at": [0.6]},
            },
        ),
        ({"content": [{"type": "text", "text": "Ok"}]}, {"content": [{"type": "text", "text": "oK"}]}),
        ({"contents": [{"uri": "a://1", "text": "90"}]}, {"contents": [{"uri": "a://1", "text": "80"}]}),
        (
            {"messages": [{"role": "user", "content": {"type": "text", "text": "7 up"}}]},
            {"messages": [{"role": "user", "content": {"type": "text", "text": "8 up"}}]},
        ),
        ({"structuredContent": {"on": True, "x": None}}, {"structuredContent": {"on": False, "x": None}}),
        ({"structuredContent": [-3, 1e300]}, {"structuredContent": [-4, -1e300]}),
    ],
)
def test_values_that_are_others(result, expected):
    actions, _ = met("corrupt-valid", answer=lambda e: {"jsonrpc": "2.0", "id": e.id, "result": result})
    assert json.loads(raw(actions))["result"] == expected


def test_where_there_is_nothing_to_change_people_are_told():
    said = []
    faults = Faults(Inner(), [short("*=drop-tool")], said.append)
    answer = run(Client(faults).ask("prompts/list"))
    assert answer["result"]["content"] and said == [
        "*=drop-tool: the answer to prompts/list has nothing to change"
    ]


def test_an_answer_behind_the_next():
    async def work():
        inner = Inner()
        client = Client(Faults(inner, [short("tools/call:slow=reorder:5000")]))
        order = []

        async def ask(name):
            await client.call(name, {})
            order.append(name)

        first = asyncio.ensure_future(ask("slow"))
        await asyncio.sleep(0.05)
        assert not first.done() and inner.asked == ["slow"]
        await client.send(note("notifications/initialized"))
        await asyncio.sleep(0.05)
        assert not first.done()
        await ask("quick")
        await first
        return order

    assert run(work()) == ["quick", "slow"]


def test_an_answer_that_no_other_comes_before():
    assert isinstance(met("reorder:50")[0][-1], Reply)


def test_the_first_rule_that_hits_has_it_and_each_counts_for_itself():
    rules = [
        short(text) for text in ("tools/call:a=error:1,one", "tools/call#3=error:2,two", "*#1=error:3,three")
    ]
    client = Client(Faults(Inner(), rules))

    async def work():
        return [(await client.call(name, {})).get("error", {}).get("code") for name in "abca"]

    assert run(work()) == [1, None, 2, 1]
    assert [rule.fired for rule in rules] == [2, 1, 0]


def test_a_batch_passes():
    inner = Inner()
    rule = short("*=timeout")
    run(Client(Faults(inner, [rule])).send(b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]'))
    assert (inner.asked, rule.fired) == ([None], 0)


def test_the_note_of_a_fault_is_for_the_call_log():
    class Noted(Faults):
        async def handle(self, exchange):
            await super().handle(exchange)
            notes.append(exchange.notes)

    notes = []
    client = Client(Noted(Inner(), [short("*#2=timeout")]))
    run(client.send(call(1, "a", {})))
    run(client.send(call(2, "a", {})))
    assert notes == [{}, {"fault": "timeout"}]


@pytest.mark.parametrize("must", [False, True])
def test_a_rule_that_never_fired_is_told(must):
    said = []
    rules = [short("tools/call=timeout"), short("tools/list#2=timeout")]
    inner = Inner()
    faults = Faults(inner, rules, said.append, must)
    run(Client(faults).send(call(1, "a", {})))
    run(faults.close())
    assert said == ["tools/list#2=timeout never fired"] and inner.closed
    assert faults.exit_status == (1 if must else 0)
    inner.exit_status = 3
    assert faults.exit_status == 3


def test_all_that_fired():
    said = []
    faults = Faults(Inner(), [short("*=timeout")], said.append, True)
    run(Client(faults).send(call(1, "a", {})))
    run(faults.close())
    assert (said, faults.exit_status) == ([], 0)


def test_without_rules_there_is_nothing_between():
    inner = Inner()
    assert before(inner, [], "stdio", print) is inner


@pytest.mark.parametrize("name", [name for name, fault in FAULTS.items() if fault.http_only])
def test_a_fault_of_http_is_none_of_stdio(name):
    rules = [Rule({"do": name})]
    with pytest.raises(Unreadable, match="a fault of HTTP"):
        before(Inner(), rules, "stdio", print)
    assert isinstance(before(Inner(), rules, "http", print), Faults)


def test_a_session_that_is_lost_stays_so_and_another_does_not():
    async def work():
        inner = Inner()
        client = Client(Faults(inner, [short("tools/call#2=session-lost")]), http=True)
        await client.ask("initialize")
        first = client.session
        found = [await client.call("a", {}) for _ in range(4)]
        client.session = None
        await client.ask("initialize")
        assert client.session != first
        found.append(await client.call("a", {}))
        return [one.code if isinstance(one, Status) else "ok" for one in found], inner.asked

    assert run(work()) == (["ok", 404, 404, 404, "ok"], ["initialize", "a", "initialize", "a"])


def test_a_stream_without_an_answer_is_cut():
    class Broken(Responder):
        async def handle(self, exchange):
            await exchange.send(Notify(json.dumps(LOG).encode()))

    client = Client(Faults(Broken(), [short("*=sse")]), http=True)

    class Request:
        keep_alive, http10, cors = True, False, b""

    async def work():
        channel = Channel()
        exchange = client.exchange(call(1, "a", {}), channel)
        exchange.peer = Request
        await client.responder.handle(exchange)
        return channel.sent

    *pieces, last = run(work())
    assert [type(piece) for piece in pieces] == [RawBytes, RawBytes] and last == Close()


def test_the_second_session():
    async def work():
        faults = Faults(Inner(), [short("tools/call@2#1=error:5,x")])
        found = []
        for _ in range(3):
            client = Client(faults, http=True)
            await client.ask("initialize")
            found += [(await client.call("a", {})).get("error", {}).get("code") for _ in range(2)]
        return found

    assert run(work()) == [None, None, 5, None, None, None]


def test_sessions_on_a_line_follow_each_other():
    async def work():
        client = Client(Faults(Inner(), [short("tools/call@each#2=error:5,x")]))
        found = []
        for _ in range(2):
            await client.ask("initialize")
            found += [(await client.call("a", {})).get("error", {}).get("code") for _ in range(3)]
        return found

    assert run(work()) == [None, 5, None, None, 5, None]
