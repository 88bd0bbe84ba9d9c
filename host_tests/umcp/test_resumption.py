"""Replies that a client comes back for (MCP 2025-11-25, transports: resumability and redelivery)."""

import asyncio

from modernity import Listener, Runtime, ask, modern, peer_of, turns
from serving import post, request

from harness import eq, raises
from umcp.errors import RemoteError
from umcp.ram import Ram
from umcp.resumption import RETRY_MS
from umcp.tool import Tool
from umcp.types import Boolean, Integer, Object


class Worker:
    """A tool that logs, waits for its `go`, and logs again."""

    def __init__(self):
        self.go = asyncio.Event()

    async def run(self, context, notes, leave):
        for i in range(notes):
            await context.log("info", i)
        if leave:
            await context.close_stream(500)
        await self.go.wait()
        for i in range(notes):
            await context.log("info", notes + i)
        return "done"

    def server(self, **options):
        types = Object((("notes", Integer()), ("leave", Boolean())))
        options.setdefault("streams", 2)
        options.setdefault("sessions", Ram())
        from serving import make

        return make([Tool("work", "", types, self.run, context=True)], runtime=Runtime(), **options)


def session_of(made, version="2025-11-25"):
    return post(made, request("initialize", {"protocolVersion": version, "capabilities": {}}))[2]


def work(notes=1, leave=False, id=1):
    return request("tools/call", {"name": "work", "arguments": {"notes": notes, "leave": leave}}, id)


def data(peer):
    """The numbers that were logged, and "done" for the answer."""
    return [m["params"]["data"] if "method" in m else m["result"]["content"][0]["text"]
            for m in peer.sent if type(m) is dict]  # fmt: skip


def back(made, session, event_id):
    peer = Listener(session, b"2025-11-25")
    peer.last_event_id = event_id
    return peer, asyncio.create_task(made.open_stream(peer, 0))


async def test_a_reply_that_streams_begins_with_an_id_and_each_message_has_one():
    worker = Worker()
    made = worker.server()
    peer = Listener(session_of(made), b"2025-11-25")
    task = asyncio.create_task(ask(made, work(2), peer))
    await turns()
    worker.go.set()
    eq(await task, None)  # The answer went out as the last message.
    eq((peer.sent[0], data(peer)), (RETRY_MS, [0, 1, 2, 3, "done"]))
    stream = peer.ids[0].split(b".")[0]
    eq(peer.ids, [b"%s.%d" % (stream, i) for i in range(6)])


async def test_a_client_that_lost_the_connection_gets_the_rest():
    worker = Worker()
    made = worker.server()
    session = session_of(made)
    peer = Listener(session, b"2025-11-25")
    task = asyncio.create_task(ask(made, work(2), peer))
    await turns()
    peer.left = True
    # It saw only the first of two.
    again, stream = back(made, session, peer.ids[1])
    await turns()
    eq((data(again), again.allowed, again.stops_with_peer), ([1], [None], True))
    worker.go.set()
    await task
    eq(await stream, None)
    eq(data(again), [1, 2, 3, "done"])
    # And once more, when all is over.
    last, stream = back(made, session, again.ids[-2])
    eq((await stream, data(last)), (None, ["done"]))


async def test_a_handler_lets_its_client_go():
    worker = Worker()
    made = worker.server()
    session = session_of(made)
    peer = Listener(session, b"2025-11-25")
    task = asyncio.create_task(ask(made, work(0, True), peer))
    await turns()
    eq((peer.closed, peer.sent[-1]), (True, 500))
    worker.go.set()
    eq(await task, None)
    again, stream = back(made, session, peer.ids[-1])
    eq((await stream, data(again)), (None, ["done"]))


async def test_the_last_who_comes_back_is_served():
    worker = Worker()
    made = worker.server()
    session = session_of(made)
    peer = Listener(session, b"2025-11-25")
    task = asyncio.create_task(ask(made, work(1, True), peer))
    await turns()
    first, held = back(made, session, peer.ids[0])
    await turns()
    second, stream = back(made, session, peer.ids[0])
    await turns()
    eq(await held, None)
    worker.go.set()
    await task
    await stream
    eq((data(first), data(second)), ([0], [0, 1, "done"]))


async def test_a_handler_whose_clients_have_all_left_leaves_turns_to_others():
    worker = Worker()
    made = worker.server()
    session = session_of(made)
    peer = Listener(session, b"2025-11-25")
    task = asyncio.create_task(ask(made, work(7, True), peer))
    await turns()
    _, stream = back(made, session, peer.ids[0])
    await turns()
    stream.cancel()
    await turns()
    worker.go.set()
    await task
    # As many as it says then, and the answer.
    eq(made.runtime.pauses, 8)


async def test_an_id_of_another_session_or_none_of_ours_opens_a_plain_stream():
    worker = Worker()
    made = worker.server()
    session, other = session_of(made), session_of(made)
    peer = Listener(session, b"2025-11-25")
    task = asyncio.create_task(ask(made, work(1, True), peer))
    await turns()
    for whose, id in (
        (other, peer.ids[0]),
        (session, b"nothing.1"),
        (session, b"x"),
        (session, peer.ids[0] + b"x"),
    ):
        again, stream = back(made, whose, id)
        await turns()
        eq(data(again), [])
        stream.cancel()
        await turns()
    worker.go.set()
    await task


async def test_what_is_kept_is_bounded():
    worker = Worker()
    made = worker.server()
    session = session_of(made)
    peer = Listener(session, b"2025-11-25")
    task = asyncio.create_task(ask(made, work(400), peer))
    await turns()
    (reply,) = made.resumption._replies
    assert reply.size <= 16 * 1024, reply.size
    assert reply.first > 1
    again, stream = back(made, session, peer.ids[0])
    worker.go.set()
    await task
    await stream
    assert data(again)[-1] == "done" and len(data(again)) < 801
    for id in range(6):
        await ask(made, work(1, False, id), Listener(session, b"2025-11-25"))
    eq(len(made.resumption._replies), 4)


class Slow(Listener):
    """A peer that takes its second message when `gate` is set."""

    def __init__(self, *args):
        super().__init__(*args)
        self.gate = asyncio.Event()

    async def send(self, raw, event_id=b"", retry_ms=None):
        if self.sent:
            await self.gate.wait()
        await super().send(raw, event_id, retry_ms)


async def test_a_slow_client_that_comes_back_gets_what_is_still_kept_in_its_order():
    worker = Worker()
    made = worker.server()
    session = session_of(made)
    peer = Listener(session, b"2025-11-25")
    task = asyncio.create_task(ask(made, work(130), peer))
    await turns()
    again = Slow(session, b"2025-11-25")
    again.last_event_id = peer.ids[0]
    stream = asyncio.create_task(made.open_stream(again, 0))
    await turns()
    (reply,) = made.resumption._replies
    eq((reply.first, data(again)), (1, [0]))
    worker.go.set()
    await task
    again.gate.set()
    await stream
    seen = data(again)
    assert reply.first > 10, reply.first
    eq((seen[:2], seen[-1]), ([0, 1], "done"))
    eq(sorted(seen[:-1]), seen[:-1])


async def test_who_waits_for_a_reply_that_is_kept_no_longer_is_let_go():
    worker = Worker()
    made = worker.server()
    session = session_of(made)
    peers = [Listener(session, b"2025-11-25") for _ in range(5)]
    tasks = [asyncio.create_task(ask(made, work(1, True, 0), peers[0]))]
    await turns()
    again, stream = back(made, session, peers[0].ids[-1])
    await turns()
    for i in range(1, 5):
        assert not stream.done()
        tasks.append(asyncio.create_task(ask(made, work(1, True, i), peers[i])))
        await turns()
    eq((await stream, data(again)), (None, []))
    worker.go.set()
    for task in tasks:
        await task


async def test_nothing_follows_the_answer():
    go = asyncio.Event()

    async def fork(context):
        tasks.append(asyncio.create_task(context.log("info", 0)))
        await turns(1)
        return "done"

    tasks = []

    class Late(Listener):
        async def send(self, raw, event_id=b"", retry_ms=None):
            await go.wait()
            await super().send(raw, event_id, retry_ms)

    made = Worker().server()
    made.add_tool(Tool("fork", "", None, fork, context=True))
    peer = Late(session_of(made), b"2025-11-25")
    call = asyncio.create_task(ask(made, request("tools/call", {"name": "fork"}), peer))
    await turns()
    go.set()
    eq(await call, None)
    await tasks[0]
    eq(data(peer), ["done"])


async def test_the_next_request_of_a_connection_is_another_reply():
    worker = Worker()
    worker.go.set()
    made = worker.server()
    peer = Listener(session_of(made), b"2025-11-25")
    await ask(made, work(1), peer)
    first = peer.ids[0].split(b".")[0]
    peer.sent.clear()
    peer.ids.clear()
    await ask(made, work(1), peer)
    assert peer.ids[0].split(b".")[0] != first
    eq(data(peer), [0, 1, "done"])


async def test_a_cancelled_call_leaves_nothing_to_wait_for():
    worker = Worker()
    made = worker.server()
    session = session_of(made)
    peer = Listener(session, b"2025-11-25")
    task = asyncio.create_task(ask(made, work(1, True), peer))
    await turns()
    again, stream = back(made, session, peer.ids[0])
    await turns()
    await ask(made, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
              Listener(session, b"2025-11-25"))  # fmt: skip
    eq((await task, await stream, data(again)), (None, None, [0]))


async def test_others_have_plain_streams():
    for options, version in (
        ({"streams": 0}, "2025-11-25"),
        ({}, "2025-06-18"),
        ({"sessions": None}, "2025-11-25"),
    ):
        made = Worker().server(**options)
        peer = Listener(session_of(made, version), version.encode())
        task = asyncio.create_task(ask(made, work(1, True), peer))
        await turns()
        eq((peer.ids, peer.closed), ([b""], False))
        task.cancel()
        await turns()
    made = Worker().server()
    message = modern("tools/call", {"name": "work", "arguments": {"notes": 1, "leave": True}},
                     **{"io.modelcontextprotocol/logLevel": "info"})  # fmt: skip
    peer = peer_of(message)
    task = asyncio.create_task(ask(made, message, peer))
    await turns()
    eq((peer.ids, peer.closed), ([b""], False))
    task.cancel()
    await turns()


def test_a_session_that_is_none_comes_back_for_nothing():
    made = Worker().server()
    peer = Listener(b"nobody", b"2025-11-25")
    peer.last_event_id = b"a.1"
    eq(raises(RemoteError, made.open_stream, peer, 0).status, 404)
