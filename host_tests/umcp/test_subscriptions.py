"""Changes told to clients: subscriptions/listen, streams of legacy clients, and lines, from one publish."""

import asyncio

from modernity import META, Line, Listener, Runtime, ask, modern, peer_of, turns
from serving import Peer, code, make, post, request

from harness import eq
from umcp.prompts import Prompt
from umcp.ram import Ram
from umcp.resources import Resource
from umcp.tool import Tool

ID = META + "subscriptionId"
EVERYTHING = {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True}


def server(streams=2, **options):
    made = make(streams=streams, runtime=Runtime(), **options)
    made.add_resource(Resource("robot://battery", "battery", lambda: "80 %"))
    made.add_prompt(Prompt("greet", "Greet.", lambda values: "Hello"))
    return made


class Stream:
    """A stream that is held while a test goes on."""

    def __init__(self, awaitable, peer):
        self.peer = peer
        self.task = asyncio.create_task(awaitable)

    def notes(self):
        """What came since the last look: (method, params)."""
        seen = [(note["method"], note["params"]) for note in self.peer.sent if note]
        self.peer.sent.clear()
        return seen

    async def close(self):
        self.task.cancel()
        await turns()


async def listen(made, wanted, id=1):
    message = modern("subscriptions/listen", {"notifications": wanted}, id=id)
    peer = peer_of(message)
    stream = Stream(ask(made, message, peer), peer)
    await turns()
    return stream


def hold(made, session=None):
    """The stream that a legacy client opens with GET."""
    peer = Listener(session, b"2025-11-25")
    return Stream(made.open_stream(peer, 0), peer)


def changed(kind):
    return "notifications/%s/list_changed" % kind


async def test_the_first_message_says_what_is_honoured():
    for id in (7, "seven", 0):
        stream = await listen(
            server(), dict(EVERYTHING, resourceSubscriptions=["robot://battery"], other=True), id
        )
        note = stream.notes()[0]
        eq(note[0], "notifications/subscriptions/acknowledged")
        eq(note[1]["_meta"], {ID: id})
        eq(note[1]["notifications"], dict(EVERYTHING, resourceSubscriptions=["robot://battery"]))
        eq((stream.peer.allowed, stream.peer.stops_with_peer), ([None], True))
        await stream.close()
    bare = make(streams=1, runtime=Runtime())
    stream = await listen(bare, dict(EVERYTHING, resourceSubscriptions=["x:y"]))
    eq(stream.notes()[0][1]["notifications"], {"toolsListChanged": True})
    await stream.close()


async def test_only_what_was_asked_for_is_told_and_each_bears_the_id():
    made = server()
    tools = await listen(made, {"toolsListChanged": True, "promptsListChanged": False}, 1)
    rest = await listen(made, {"promptsListChanged": True, "resourceSubscriptions": ["robot://battery"]}, "b")
    tools.notes()
    rest.notes()
    made.add_tool(Tool("more", "", None, int))
    made.add_prompt(Prompt("more", "", lambda values: ""))
    made.add_resource(Resource("robot://more", "more", str))
    made.publish("robot://battery")
    made.publish("robot://more")
    await turns()
    eq(tools.notes(), [(changed("tools"), {"_meta": {ID: 1}})])
    eq(sorted(rest.notes(), key=lambda note: note[0]), [
        (changed("prompts"), {"_meta": {ID: "b"}}),
        ("notifications/resources/updated", {"uri": "robot://battery", "_meta": {ID: "b"}}),
    ])  # fmt: skip
    made.remove_tool("more")
    made.remove_prompt("more")
    await turns()
    eq((len(tools.notes()), len(rest.notes())), (1, 1))
    await tools.close()
    await rest.close()
    made.add_tool(Tool("later", "", None, int))
    await turns()
    eq((tools.notes(), rest.notes()), ([], []))


async def test_changes_while_one_is_told_are_told_once():
    made = server()
    stream = await listen(made, EVERYTHING)
    stream.notes()
    for i in range(50):
        made.add_tool(Tool("t%d" % i, "", None, int))
    await turns()
    eq(stream.notes(), [(changed("tools"), {"_meta": {ID: 1}})])
    await stream.close()


async def test_a_stream_ends_with_a_result_when_the_server_closes():
    made = server()
    stream = await listen(made, EVERYTHING, "x")
    made.subscriptions.close()
    status, body = await stream.task
    eq(status, 200)
    eq(body, {"jsonrpc": "2.0", "id": "x", "result": {"_meta": {ID: "x"}, "resultType": "complete"}})


async def test_what_is_no_subscription_is_refused():
    made = server()
    for params in (
        {},
        {"notifications": None},
        {"notifications": []},
        {"notifications": {"resourceSubscriptions": "robot://battery"}},
        {"notifications": {"resourceSubscriptions": [1]}},
        {"notifications": {"resourceSubscriptions": [""]}},
        {"notifications": {"resourceSubscriptions": ["x" * 2049]}},
        {"notifications": {"resourceSubscriptions": ["a:%d" % i for i in range(33)]}},
    ):
        status, body = await ask(made, modern("subscriptions/listen", params))
        eq((status, body["error"]["code"]), (200, -32602))
    message = modern("subscriptions/listen", {"notifications": {}})
    eq((await ask(made, message, peer_of(message, kind=Peer)))[1]["error"]["code"], -32600)


async def test_only_so_many_streams_are_held():
    made = server(streams=1)
    stream = await listen(made, EVERYTHING)
    status, body = await ask(made, modern("subscriptions/listen", {"notifications": EVERYTHING}))
    eq((status, body["error"]["code"]), (503, -32603))
    await stream.close()
    stream = await listen(made, EVERYTHING)
    eq(len(stream.notes()), 1)
    await stream.close()


# Legacy: a stream opened with GET.


def session_of(made, version="2025-11-25"):
    return post(made, request("initialize", {"protocolVersion": version, "capabilities": {}}))[2]


async def told(made, peer):
    return (await ask(made, request("resources/subscribe", {"uri": "robot://battery"}), peer))[1]["result"]


async def test_a_legacy_stream_tells_what_changed_untagged():
    made = server(sessions=Ram())
    session = session_of(made)
    stream = hold(made, session)
    await turns()
    eq(stream.peer.stops_with_peer, True)
    made.publish("robot://battery")
    made.add_tool(Tool("more", "", None, int))
    await turns()
    eq(stream.notes(), [(changed("tools"), {})])
    eq(await told(made, Peer(session)), {})
    made.publish("robot://battery")
    await turns()
    eq(stream.notes(), [("notifications/resources/updated", {"uri": "robot://battery"})])
    await ask(made, request("resources/unsubscribe", {"uri": "robot://battery"}), Peer(session))
    made.publish("robot://battery")
    await turns()
    eq(stream.notes(), [])
    await stream.close()


async def test_a_subscription_outlives_its_stream():
    made = server(sessions=Ram())
    session = session_of(made)
    await told(made, Peer(session))
    stream = hold(made, session)
    await turns()
    await stream.close()
    stream = hold(made, session)
    await turns()
    made.publish("robot://battery")
    await turns()
    eq(len(stream.notes()), 1)
    await stream.close()


async def test_the_newest_stream_of_a_session_wins():
    made = server(streams=1, sessions=Ram())
    session = session_of(made)
    first = hold(made, session)
    await turns()
    second = hold(made, session)
    await turns()
    eq(await first.task, None)
    made.add_tool(Tool("more", "", None, int))
    await turns()
    eq((first.notes(), len(second.notes())), ([], 1))
    # Another session finds no room: 405 is what every client bears.
    eq(refused(made, Listener(session_of(made), b"2025-11-25")), (405, -32600))
    await second.close()


def refused(made, peer):
    from umcp.errors import RemoteError

    try:
        made.open_stream(peer, 0)
    except RemoteError as e:
        return e.status, e.code
    raise AssertionError("not refused")


async def test_a_stream_is_refused_where_none_is_offered_or_taken():
    made = server(sessions=Ram())
    session = session_of(made)
    eq(refused(make(sessions=Ram()), Listener(session, b"2025-11-25")), (405, -32600))
    eq(refused(made, Listener(session, b"2026-07-28")), (405, -32600))
    eq(refused(made, Listener(None, b"2025-11-25")), (400, -32600))
    eq(refused(made, Listener(b"nobody", b"2025-11-25")), (404, -32600))
    eq(refused(made, Listener(session, b"1999-01-01")), (400, -32600))
    eq(refused(made, Peer(session, b"2025-11-25")), (406, -32600))


async def test_without_sessions_subscriptions_are_the_server_s():
    made = server()
    await told(made, Peer())
    stream = hold(made)
    await turns()
    made.publish("robot://battery")
    await turns()
    eq(len(stream.notes()), 1)
    await stream.close()


async def test_subscriptions_are_bounded():
    made = server(sessions=Ram(20))
    session = session_of(made)
    for uri in ("", "x" * 2049, 1, None):
        eq(code(made, request("resources/subscribe", {"uri": uri}), Peer(session)), (200, -32602))
    for i in range(32):
        eq(post(made, request("resources/subscribe", {"uri": "a:%d" % i}), Peer(session))[1]["result"], {})
    eq(code(made, request("resources/subscribe", {"uri": "a:32"}), Peer(session)), (200, -32602))
    eq(post(made, request("resources/subscribe", {"uri": "a:31"}), Peer(session))[1]["result"], {})
    other = session_of(made)
    for i in range(2):
        uri = "%d" % i * 2048
        eq(post(made, request("resources/subscribe", {"uri": uri}), Peer(other))[1]["result"], {})
    eq(code(made, request("resources/subscribe", {"uri": "a"}), Peer(other)), (200, -32602))
    # Of many sessions, one that holds no stream is forgotten.
    stream = hold(made, session)
    await turns()
    for _ in range(12):
        await told(made, Peer(session_of(made)))
    assert len(made.subscriptions._uris) <= 8
    made.publish("a:1")
    await turns()
    eq(len(stream.notes()), 1)
    await stream.close()


def test_what_cannot_be_told_is_not_offered():
    offered = {"tools": {"listChanged": True}, "prompts": {"listChanged": True},
               "resources": {"listChanged": True, "subscribe": True}}  # fmt: skip
    for made, wanted in ((server(), offered), (server(0), {"tools": {}, "prompts": {}, "resources": {}})):
        result = post(made, request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}}))[1][
            "result"
        ]
        eq(result["capabilities"], wanted)
        message = modern("server/discover")
        eq(post(made, message, peer_of(message))[1]["result"]["capabilities"], wanted)
        answer = post(made, request("resources/subscribe", {"uri": "robot://battery"}))[1]
        eq("result" in answer, wanted is offered)
    message = modern("resources/subscribe", {"uri": "robot://battery"})
    eq(code(server(), message, peer_of(message)), (404, -32601))


# Lines: nobody opens a stream there.


async def test_a_legacy_client_on_a_line_is_told_on_it():
    made = server(0)
    line = Line()
    await ask(made, request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}}), line)
    await told(made, line)
    for i in range(20):
        made.publish("robot://battery")
        made.add_tool(Tool("t%d" % i, "", None, int))
    await turns()
    eq(sorted([note["method"] for note in line.sent]), ["notifications/resources/updated", changed("tools")])
    line.sent.clear()
    made.add_tool(Tool("more", "", None, int))
    await turns()
    eq(len(line.sent), 1)


async def test_a_line_that_has_ended_is_told_nothing_and_kept_nowhere():
    made = server(0)
    line = Line()
    for _ in range(2):
        await ask(made, request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}}), line)
        await told(made, line)
        made.publish("robot://battery")
        made.forget(line)
        await turns()
        eq((line.sent, made.lines, made.subscriptions._subscribers), ([], [], []))
        assert line.sessions not in made.subscriptions._uris


async def test_lines_and_connections_take_no_streams_from_each_other():
    made = server(1)
    lines = [Line() for _ in range(5)]
    for line in lines:
        await ask(made, request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}}), line)
    made.add_tool(Tool("more", "", None, int))
    await turns()
    streams = [await listen(made, EVERYTHING)]
    eq(len(streams[0].notes()), 1)
    await streams[0].close()
    streams = [hold(made)]
    await turns()
    listening = [
        asyncio.create_task(
            ask(made, modern("subscriptions/listen", {"notifications": EVERYTHING}, id=i), lines[0])
        )
        for i in range(5)
    ]
    await turns()
    eq([task.done() for task in listening], [False] * 4 + [True])
    eq((await listening[4])[0], 503)
    made.end_streams()
    for task in listening:
        await task
    await streams[0].close()


async def test_a_modern_client_on_a_line_listens():
    made = server(0)
    line = Line()
    task = asyncio.create_task(
        ask(made, modern("subscriptions/listen", {"notifications": EVERYTHING}, id=9), line)
    )
    await turns()
    made.add_tool(Tool("more", "", None, int))
    await turns()
    eq([note["params"]["_meta"] for note in line.sent], [{ID: 9}] * 2)
    # What ends it there is a cancellation.
    await ask(made, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}}, line)
    eq(await task, None)
    made.add_tool(Tool("later", "", None, int))
    await turns()
    eq(len(line.sent), 2)


def test_a_server_that_nobody_listens_to_loads_nothing_for_it():
    made = make(streams=2)
    made.add_tool(Tool("more", "", None, int))
    made.publish("robot://battery")
    eq(made.subscriptions, None)
