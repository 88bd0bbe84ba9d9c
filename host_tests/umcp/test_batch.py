"""Batches: a part of 2025-03-26 only."""

import asyncio
import json

from modernity import Listener, Runtime, ask, turns
from serving import Log, Peer, code, make, post, request

from harness import eq
from umcp.batch import MAX_BATCH
from umcp.ram import Ram
from umcp.tool import Tool
from umcp.version import LEGACY

NOTE = {"jsonrpc": "2.0", "method": "notifications/initialized"}
RESPONSE = {"jsonrpc": "2.0", "id": 9, "result": {}}
IN_2025_03_26 = Peer(None, b"2025-03-26")


def answers(entries, server=None, peer=IN_2025_03_26):
    status, body, _ = post(server or make(), entries, peer)
    eq(status, 200)
    return body


def test_only_2025_03_26_has_batches():
    for version in LEGACY:
        status = post(make(), [request("ping")], Peer(None, version.encode()))[0]
        eq((version, status), (version, 200 if version == "2025-03-26" else 400))
    eq(post(make(), [request("ping")])[0], 200)  # No header, no session: 2025-03-26 is assumed.


def test_the_session_s_version_decides():
    for version in LEGACY:
        server = make(sessions=Ram())
        params = {"protocolVersion": version, "capabilities": {}}
        id = post(server, request("initialize", params), Peer())[2]
        status, body, _ = post(server, [request("ping")], Peer(id))
        if version == "2025-03-26":
            eq((status, body), (200, [{"jsonrpc": "2.0", "id": 1, "result": {}}]))
        else:
            eq((status, body["id"], body["error"]["code"]), (400, None, -32600))
    eq(code(make(sessions=Ram()), [request("ping")]), (400, -32600))


def test_requests_are_answered_in_their_order():
    entries = [
        request("ping", id=1),
        NOTE,
        request("nope", id="two"),
        RESPONSE,
        request("tools/call", {"name": "fail"}, 3),
    ]
    body = answers(entries)
    eq([answer["id"] for answer in body], [1, "two", 3])
    eq((body[0]["result"], body[1]["error"]["code"], body[2]["result"]["isError"]), ({}, -32601, True))


def test_a_batch_that_asks_nothing_gets_nothing():
    for entries in ([NOTE], [RESPONSE], [NOTE, RESPONSE, NOTE]):
        eq(post(make(), entries, IN_2025_03_26), (202, None, None))


async def test_answers_and_cancellations_in_a_batch_count():
    server = make([Tool("greet", "", None, greet, context=True)], sessions=Ram(), runtime=Runtime())
    params = {"protocolVersion": "2025-03-26", "capabilities": {"elicitation": {}}}
    session = post(server, request("initialize", params))[2]
    call = request("tools/call", {"name": "greet"}, "c")
    for reply in (
        lambda id: {"jsonrpc": "2.0", "id": id, "result": {"action": "decline"}},
        lambda id: {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "c"}},
    ):
        peer = Listener(session)
        task = asyncio.create_task(ask(server, call, peer))
        await turns()
        eq(await ask(server, [reply(peer.sent[-1]["id"]), NOTE], Peer(session)), (202, None))
        answer = await task
        eq(answer and answer[1]["result"]["content"][0]["text"], answer and "decline")
    eq(answer, None)


def test_an_empty_or_too_long_batch_is_refused():
    eq(code(make(), [], IN_2025_03_26), (400, -32600))
    eq(len(answers([request("ping", id=i) for i in range(MAX_BATCH)])), MAX_BATCH)
    eq(code(make(), [request("ping", id=i) for i in range(MAX_BATCH + 1)], IN_2025_03_26), (400, -32600))


def test_an_entry_that_is_no_message_is_an_error_of_its_own():
    bad = [1, None, "a", [], [request("ping")], {}, {"jsonrpc": "2.0", "id": None, "method": "ping"}]
    body = answers(bad + [request("ping", id=5)])
    eq([(answer["id"], answer["error"]["code"]) for answer in body[:-1]], [(None, -32600)] * len(bad))
    eq(body[-1], {"jsonrpc": "2.0", "id": 5, "result": {}})


def test_initialize_may_not_be_in_a_batch():
    entries = [request("initialize", {"protocolVersion": "2025-03-26"}, 1), request("ping", id=2)]
    body = answers(entries)
    eq([answer.get("error", {}).get("code") for answer in body], [-32600, None])


def test_a_number_out_of_range_is_an_error_of_its_entry():
    body = answers(
        '[{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":1e999}},{"jsonrpc":"2.0","id":2,"method":"ping"}]'
    )
    eq([answer.get("error", {}).get("code") for answer in body], [-32600, None])


async def greet(context):
    return (await context.elicit("Who?", {"type": "object"}))["action"]


async def slowly():
    return "done"


def test_a_coroutine_handler_is_awaited_in_its_place():
    server = make([Tool("slow", "", None, slowly)])
    body = answers([request("tools/call", {"name": "slow"}, 1), request("ping", id=2)], server)
    eq([answer["id"] for answer in body], [1, 2])
    eq(body[0]["result"]["content"][0]["text"], "done")


def test_the_answers_together_have_the_limit_of_one():
    server = make([Tool("long", "", None, lambda: "x" * 600)], max_result=1000)
    body = answers(
        [request("tools/call", {"name": "long"}, 1), request("tools/call", {"name": "long"}, 2)], server
    )
    eq(len(body[0]["result"]["content"][0]["text"]), 600)
    eq(body[1]["error"]["code"], -32603)


def test_a_fault_of_ours_stays_in_its_entry():
    def broken(*_):
        raise RuntimeError("x")

    log = Log()
    server = make(log=log)
    server.get_tools()[0].run = broken
    body = answers([request("tools/call", {"name": "echo"}, 1), request("ping", id=2)], server)
    eq((body[0]["error"]["code"], body[1]["result"], len(log.lines)), (-32603, {}, 1))


def test_json_that_is_no_batch_is_a_parse_error():
    for text in ("[", "[1,]", "[1 2]", "[}", "[" * 30):
        eq(code(make(), text, IN_2025_03_26)[0], 400)
    eq(json.loads(make().handle(b"[1,]", 0, 4, IN_2025_03_26, 0)[1])["error"]["code"], -32700)
