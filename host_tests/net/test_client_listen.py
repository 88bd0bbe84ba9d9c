"""Listening: the GET stream of the older eras, subscriptions/listen of 2026-07-28."""

import asyncio
import time

from scripted_peer import END, NOT_ALLOWED, NOT_FOUND, STREAM, ScriptedPeer, chunk, event, note, result, until

from harness import araises, eq
from net.mcpclient import McpClient
from umcp import client_errors as ce

_MARK = "io.modelcontextprotocol/subscriptionId"
_CHANGED = "notifications/tools/list_changed"


async def _echo(request):
    await request.answer({"ok": 1})


class Heard:
    """A client that keeps what changed in `seen`, and listens in a task."""

    def __init__(self, peer, **kwargs):
        self.seen = []
        self.opened = 0
        self.client = McpClient(peer.url, on_change=self._on_change, **kwargs)

    def _on_change(self, method, params):
        self.seen.append((method, params.get("uri")))

    def _on_open(self):
        self.opened += 1

    async def listen(self, **kwargs):
        await self.client.initialize()
        self.task = asyncio.create_task(self.client.listen(opened=self._on_open, **kwargs))
        return self


async def _cancelled(task):
    task.cancel()
    await araises(asyncio.CancelledError, task)


async def test_a_get_stream_is_heard_beside_calls():
    ends = asyncio.Event()

    async def stream(request):
        await request.send(STREAM, event(note(_CHANGED)))
        await ends.wait()
        await request.send(event(note("notifications/resources/updated", {"uri": "a://b"})))
        await request.gone()
        request.left = True
        return True

    async with ScriptedPeer({"GET": stream, "tools/call": _echo}) as peer:
        heard = await Heard(peer).listen()
        await until(lambda: heard.seen)
        eq((heard.opened, heard.seen), (1, [(_CHANGED, None)]))
        for _ in range(3):
            eq(await heard.client.call_tool("t"), {"ok": 1})
        ends.set()
        await until(lambda: len(heard.seen) == 2)
        eq(heard.seen[1], ("notifications/resources/updated", "a://b"))
        get = peer.all("GET")[0]
        eq((get.field(b"mcp-session-id"), get.field(b"mcp-protocol-version")), (b"s1", b"2025-11-25"))
        assert b"text/event-stream" in get.field(b"accept")
        await _cancelled(heard.task)
        await until(lambda: hasattr(get, "left"))


async def test_a_get_stream_that_ends_is_opened_again_where_it_was():
    times = []

    async def stream(request):
        times.append(time.ticks_ms())
        more = b"id: e%d\nretry: 150\n" % len(times)
        await request.send(STREAM, event(note(_CHANGED), more), END)

    async with ScriptedPeer({"GET": stream}) as peer:
        heard = await Heard(peer).listen()
        await until(lambda: len(heard.seen) == 3)
        await _cancelled(heard.task)
        eq([g.field(b"last-event-id") for g in peer.all("GET")], [None, b"e1", b"e2"])
        assert time.ticks_diff(times[1], times[0]) >= 149, times


async def test_no_stream_is_asked_for_once():
    for refusal in (NOT_ALLOWED, NOT_FOUND.replace(b"404", b"501")):

        async def refuse(request, refusal=refusal):
            await request.send(refusal)

        async with ScriptedPeer({"GET": refuse, "tools/call": _echo}) as peer:
            heard = await Heard(peer).listen()
            eq(await heard.task, False)
            eq((len(peer.all("GET")), heard.opened), (1, 0))
            eq(await heard.client.call_tool("t"), {"ok": 1})


async def test_a_lost_session_is_renewed_and_listened_to():
    async def stream(request):
        if request.field(b"mcp-session-id") == b"s1":
            return await request.send(NOT_FOUND)
        await request.send(STREAM, event(note(_CHANGED)))
        return await request.gone()

    async with ScriptedPeer({"GET": stream}) as peer:
        heard = await Heard(peer).listen()
        await until(lambda: heard.seen)
        eq((peer.sessions, len(peer.all("GET"))), (2, 2))
        await _cancelled(heard.task)


async def test_a_404_that_stays_means_no_stream():
    async def refuse(request):
        await request.send(NOT_FOUND)

    async with ScriptedPeer({"GET": refuse}) as peer:
        eq(await (await Heard(peer).listen()).task, False)
        eq(len(peer.all("GET")), 2)


async def test_a_server_that_is_busy_is_asked_again():
    async def stream(request):
        if len(peer.all("GET")) < 2:
            return await request.send(NOT_FOUND.replace(b"404 Not Found", b"503 Later"))
        await request.send(STREAM, event(note(_CHANGED)))
        return await request.gone()

    async with ScriptedPeer({"GET": stream}) as peer:
        heard = await Heard(peer).listen()
        await until(lambda: heard.seen)
        await _cancelled(heard.task)


async def test_a_refusal_is_told():
    async def refuse(request):
        await request.send(NOT_FOUND.replace(b"404 Not Found", b"401 No"))

    async with ScriptedPeer({"GET": refuse}) as peer:
        await araises(ce.AuthError, (await Heard(peer).listen()).task)


async def test_a_request_on_the_get_stream_is_answered_while_a_call_waits():
    async def stream(request):
        await until(lambda: peer.all("tools/call"))
        asked = {"jsonrpc": "2.0", "id": 9, "method": "elicitation/create", "params": {}}
        await request.send(STREAM, event(asked), event({"jsonrpc": "2.0", "id": "p", "method": "ping"}))
        await request.gone()
        return True

    async def call(request):
        await until(lambda: len(peer.all("answer")) == 2)
        await request.answer({"ok": 1})

    async with ScriptedPeer({"GET": stream, "tools/call": call}) as peer:
        heard = await Heard(peer, on_elicit=lambda params: {"a": 1}).listen()
        eq(await heard.client.call_tool("t"), {"ok": 1})
        said = [answer.message for answer in peer.all("answer")]
        eq(said[0], {"jsonrpc": "2.0", "id": 9, "result": {"action": "accept", "content": {"a": 1}}})
        eq(said[1], {"jsonrpc": "2.0", "id": "p", "result": {}})
        await _cancelled(heard.task)


def _marked(id, method, **params):
    return event(note(method, dict(params, _meta={_MARK: id})))


_ACKNOWLEDGED = "notifications/subscriptions/acknowledged"


async def test_a_subscription_is_acknowledged_and_known_by_its_id():
    async def stream(request):
        id = request.id
        await request.send(
            STREAM, _marked(str(id), _CHANGED), _marked(id + 1, _CHANGED), event(note(_CHANGED)),
            _marked(id, _ACKNOWLEDGED, notifications={"toolsListChanged": True}),
            _marked(True, _CHANGED), _marked(str(id), _CHANGED), event(note(_CHANGED)), chunk(b":\r\n"),
            _marked(id, "notifications/message", data=1),
            _marked(id, "notifications/resources/updated", uri="a://b"),
        )  # fmt: skip
        await request.gone()
        request.left = True
        return True

    async with ScriptedPeer({"subscriptions/listen": stream, "tools/call": _echo}, True) as peer:
        heard = Heard(peer, on_log=lambda params: 1 // 0)
        await heard.client.initialize()
        await heard.client.subscribe("a://b")
        heard.task = asyncio.create_task(heard.client.listen(prompts=False, opened=heard._on_open))
        await until(lambda: heard.seen)
        eq((heard.seen, heard.opened), ([("notifications/resources/updated", "a://b")], 1))
        asked = peer.all("subscriptions/listen")[0]
        wanted = {"toolsListChanged": True, "resourcesListChanged": True, "resourceSubscriptions": ["a://b"]}
        eq(asked.params["notifications"], wanted)
        eq(asked.params["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28")
        eq((asked.field(b"mcp-method"), asked.field(b"mcp-name")), (b"subscriptions/listen", None))
        eq(await heard.client.call_tool("t"), {"ok": 1})
        await _cancelled(heard.task)
        await until(lambda: hasattr(asked, "left"))
        eq(len(peer.all("subscriptions/listen")), 1)


async def test_what_comes_before_the_acknowledgement_is_refused():
    async def stream(request):
        await request.send(STREAM, _marked(request.id, _CHANGED))
        return await request.gone()

    async with ScriptedPeer({"subscriptions/listen": stream}, True) as peer:
        heard = await Heard(peer).listen()
        await araises(ce.InvalidResponse, heard.task)
        eq(heard.seen, [])


async def test_a_subscription_that_breaks_is_made_again_and_one_that_is_over_is_not():
    async def stream(request):
        await request.send(STREAM, _marked(request.id, _ACKNOWLEDGED), _marked(request.id, _CHANGED))
        if len(peer.all("subscriptions/listen")) < 2:
            return True
        return await request.send(event(result(request.id, {"resultType": "complete"})), END)

    async with ScriptedPeer({"subscriptions/listen": stream}, True) as peer:
        heard = await Heard(peer).listen()
        eq(await heard.task, True)
        eq((len(heard.seen), heard.opened), (2, 2))
        ids = [request.id for request in peer.all("subscriptions/listen")]
        assert ids[0] != ids[1], ids


async def test_a_server_without_subscriptions():
    async def refuse(request):
        await request.refuse(-32601, b"404 Not Found")

    async with ScriptedPeer({"subscriptions/listen": refuse, "tools/call": _echo}, True) as peer:
        heard = await Heard(peer).listen()
        eq(await heard.task, False)
        eq(await heard.client.call_tool("t"), {"ok": 1})


async def test_a_subscription_that_is_refused_is_told():
    async def refuse(request):
        await request.refuse(-32602, b"400 Bad Request")

    async with ScriptedPeer({"subscriptions/listen": refuse}, True) as peer:
        await araises(ce.RpcError, (await Heard(peer).listen()).task)


async def test_what_a_callback_raises_ends_the_listening():
    def on_change(method, params):
        raise OSError(104)

    async def stream(request):
        await request.send(STREAM, event(note(_CHANGED)))
        return await request.gone()

    async with ScriptedPeer({"GET": stream}) as peer:
        client = McpClient(peer.url, on_change=on_change)
        await client.initialize()
        error = await araises(ce.CallbackFailed, client.listen())
        eq(type(error.cause), OSError)
