"""Faults by themselves: what goes out, and whether the responder behind was asked."""

import asyncio
import json

import pytest

from kit.faulting import LOG, Inner, met
from kit.playing import Client, call, note, request, run
from tsumiki.errors import Unreadable
from tsumiki.fault_kinds import FAULTS
from tsumiki.fault_options import before
from tsumiki.fault_rules import Rule, short
from tsumiki.faults import Faults
from tsumiki.pipeline import Channel, Close, Delay, Exit, Notify, RawBytes, Reply, Responder, Silence, Status


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
