"""Cassettes that answer: what of a recording is said as it was, and what is written anew."""

import asyncio
import json

import pytest

from kit.playing import (
    CALLS,
    GREENHOUSE,
    Client,
    c2s,
    call,
    client,
    note,
    original,
    replayed,
    request,
    result,
    run,
    s2c,
    text,
)
from tsumiki import cassette
from tsumiki.pipeline import Ask, Notify, Reply, Silence, Status

ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])
TRANSPORTS = pytest.mark.parametrize("http", [False, True], ids=["stdio", "http"])


async def _open(one):
    if one.era == "modern":
        found = (await one.ask("server/discover"))["result"]
        assert found["supportedVersions"] == ["2026-07-28"]
        return found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"]
    found = (await one.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}}))["result"]
    await one.send(note("notifications/initialized"))
    return found["serverInfo"]["name"]


@ERAS
@TRANSPORTS
def test_our_sample(era, http):
    one = Client(replayed(cassette.load(GREENHOUSE)), era, http)

    async def work():
        assert await _open(one) == "greenhouse"
        listed = (await one.ask("tools/list"))["result"]
        assert listed["tools"][0]["inputSchema"]["required"] == ["bed"]
        assert ("ttlMs" in listed) == (era == "modern")
        assert await one.say("read_bed", {"bed": "tomatoes"}) == "tomatoes: 41 %"
        assert (await one.call("read_bed", {}))["result"]["isError"] is True
        assert (await one.call("read_bed", {}))["error"]["data"]["reason"] == "exhausted"

    run(work())
    assert one.responder.exit_status == 3


@ERAS
@TRANSPORTS
def test_the_articles_cassette(era, http):
    one = Client(replayed(cassette.load(original("cassette.ndjson"))), era, http)

    async def work():
        assert await _open(one) == "echo-test"
        (echo,) = (await one.ask("tools/list", {}))["result"]["tools"]
        assert echo["inputSchema"]["properties"]["text"]["type"] == "string"
        assert echo["inputSchema"]["required"] == ["text"]
        said = await one.call("echo", {"text": "hello"})
        assert said["result"]["content"] == [{"type": "text", "text": "hello"}]
        assert (await one.call("echo", {}))["result"]["isError"] is True

    run(work())
    assert one.responder.exit_status == 0


@pytest.mark.parametrize("id", [0, 7, "a", "7", None, 2**53])
def test_an_answer_has_the_id_of_the_request_at_hand(tmp_path, id):
    one = client(tmp_path, *CALLS)
    channel = run(one.send(call(id, "t", {"n": 2})))
    found = json.loads(channel[0].raw)
    assert (type(found["id"]), found["id"]) == (type(id), id)


def test_what_is_not_the_id_stays_byte_by_byte(tmp_path):
    raw = '{"jsonrpc": "2.0",\t"id": 1, "result": {"n": 1.50, "u": "\\u00e9"}}'
    one = client(tmp_path, c2s(request(1, "x/y")), s2c(raw))
    (answer,) = run(one.send(request(9, "x/y")))
    assert answer.raw == raw.replace('"id": 1', '"id": 9').encode()


def test_progress_has_the_token_of_the_request_at_hand(tmp_path):
    one = client(
        tmp_path,
        c2s(request(1, "tools/call", {"name": "t", "_meta": {"progressToken": 1}})),
        s2c(note("notifications/progress", progressToken=1, progress=0.5)),
        s2c(note("notifications/message", data="hm")),
        s2c(text(1, "x")),
    )  # fmt: skip
    one.responder._library._exhausted = "repeat"

    async def work():
        await one.ask("tools/call", {"name": "t", "_meta": {"progressToken": "mine"}})
        assert one.before[0]["params"] == {"progressToken": "mine", "progress": 0.5}
        assert len(one.before) == 2
        await one.ask("tools/call", {"name": "t"})
        assert [m["method"] for m in one.before] == ["notifications/message"]

    run(work())


ASKING = (
    c2s(call(1, "t", {})), s2c(request("s-1", "sampling/createMessage", {"maxTokens": 5})),
    c2s(result("s-1", role="assistant")), s2c(text(1, "sampled")),
)  # fmt: skip


def test_what_the_server_asked_is_asked_and_waited_for(tmp_path):
    one = client(tmp_path, *ASKING)

    async def work():
        asking = asyncio.ensure_future(one.send(call(5, "t", {})))
        await asyncio.sleep(0.05)
        assert not asking.done()
        await one.send(result("s-1", role="assistant"))
        return await asyncio.wait_for(asking, 1)

    asked, answer = run(work())
    assert type(asked) is Ask and json.loads(asked.raw)["id"] == "s-1"
    assert json.loads(answer.raw)["id"] == 5


def test_a_modern_client_is_not_asked(tmp_path):
    one = client(tmp_path, *ASKING, era="modern")
    assert run(one.say("t", {}), seconds=1) == "sampled"
    assert "left out" in one.responder.told[0]


def test_a_modern_tape_for_an_older_client(tmp_path):
    meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}
    more = {"resultType": "complete", "ttlMs": 5, "cacheScope": "public"}
    discovered = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "instructions": "Do."}
    discovered["_meta"] = {"io.modelcontextprotocol/serverInfo": {"name": "new", "version": "2"}}
    one = client(
        tmp_path,
        c2s(request(1, "server/discover", meta)), s2c(result(1, **discovered, **more)),
        c2s(request(2, "tools/list", meta)), s2c(result(2, tools=[], **more)),
        c2s(request(3, "tools/call", dict(meta, name="ask"))), s2c(result(3, resultType="input_required")),
    )  # fmt: skip

    async def work():
        found = (await one.ask("initialize", {"protocolVersion": "2025-06-18"}))["result"]
        assert found == {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "instructions": "Do.",
            "serverInfo": {"name": "new", "version": "2"},
        }
        assert (await one.ask("tools/list"))["result"] == {"tools": []}
        assert (await one.ask("tools/call", {"name": "ask"}))["error"]["data"]["reason"] == "other-era"
        assert (await one.ask("ping"))["result"] == {}

    run(work())


def test_as_it_was_whatever_the_era():
    one = Client(replayed(cassette.load(GREENHOUSE), as_is=True), "modern")
    assert list(run(one.ask("tools/list"))["result"]) == ["tools"]


@pytest.mark.parametrize("era, code", [("modern", -32022), ("legacy", -32601)])
def test_one_era_alone(era, code):
    other = "modern" if era == "legacy" else "legacy"
    replay = replayed(cassette.load(GREENHOUSE), era=era)

    async def work():
        assert (await Client(replay, other).ask("tools/list"))["error"]["code"] == code
        assert "result" in await Client(replay, era).ask("tools/list")

    run(work())
    assert replay.exit_status == 0


def test_a_subscription_holds_under_the_id_of_the_request_at_hand(tmp_path):
    key = "io.modelcontextprotocol/subscriptionId"
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    one = client(
        tmp_path,
        c2s(request("l", "subscriptions/listen", {"notifications": {}, "_meta": meta})),
        c2s(request(2, "x/y", {})),
        s2c(note("notifications/subscriptions/acknowledged", _meta={key: "l"})),
        s2c(result(2)),
        era="modern",
    )  # fmt: skip
    params = {"notifications": {}, "_meta": meta}
    told, silence = run(one.send(request(8, "subscriptions/listen", params)))
    assert json.loads(told.raw)["params"]["_meta"] == {key: 8}
    assert type(silence) is Silence


@pytest.mark.parametrize(
    "policy, absent, unknown, ended",
    [("off", 200, 200, 405), ("optional", 200, 404, 204), ("required", 400, 404, 204)],
)
def test_sessions(policy, absent, unknown, ended):
    one = Client(replayed(cassette.load(GREENHOUSE), session=policy), http=True)

    async def status():
        await one.ask("tools/list")
        return one.last.status

    async def work():
        assert await status() == absent
        one.session = "nobody's"
        assert await status() == unknown
        one.session = None
        await one.ask("initialize")
        assert (one.session is None) == (policy == "off")
        assert await status() == 200
        assert (await one.send(b"", "delete"))[0].code == ended
        if policy != "off":
            assert await status() == 404
            one.session = None
            assert "result" in await one.ask("initialize")
            assert await status() == 200

    run(work())


def test_what_belongs_to_no_request_comes_when_the_client_is_ready(tmp_path):
    rows = (
        c2s(request(1, "initialize")), s2c(result(1, serverInfo={"name": "x"})),
        c2s(note("notifications/initialized")),
        s2c(request(0, "roots/list")), c2s(result(0, roots=[])),
        c2s(call(2, "t", {})), s2c(text(2, "x")), s2c(note("notifications/tools/list_changed")),
    )  # fmt: skip
    one = client(tmp_path, *rows)

    async def work():
        assert [type(a) for a in await one.send(request(1, "initialize"))] == [Reply]
        assert [type(a) for a in await one.send(note("notifications/initialized"))] == [Reply, Ask]
        await one.send(result(0, roots=[]))
        assert [type(a) for a in await one.send(call(2, "t", {}))] == [Reply, Notify]

    run(work())


def test_on_http_it_waits_for_the_stream_of_a_get(tmp_path):
    one = client(
        tmp_path, c2s(call(2, "t", {})), s2c(text(2, "x")), s2c(note("notifications/tools/list_changed")),
        http=True,
    )  # fmt: skip

    async def work():
        await one.ask("initialize")
        assert [type(a) for a in await one.send(call(2, "t", {}))] == [Reply]
        opened, told = await one.send(b"", "get")
        assert opened == Notify(b"")
        assert json.loads(told.raw)["method"] == "notifications/tools/list_changed"

    run(work())


def test_a_refusal_on_http_is_one_again(tmp_path):
    http = {"status": 503, "type": "text/plain", "retryAfter": "3"}
    rows = c2s(request(1, "a/b"), ex=1), s2c("not now", ex=1, http=http)
    (told,) = run(client(tmp_path, *rows, http=True).send(request(4, "a/b")))
    assert told == Status(503, (("Content-Type", "text/plain"), ("Retry-After", "3")), b"not now")
    assert run(client(tmp_path, *rows).ask("a/b"))["error"]["message"] == "HTTP status 503"


def test_modern_errors_have_their_status(tmp_path):
    one = client(tmp_path, *CALLS, era="modern", http=True)
    run(one.ask("no/such"))
    assert one.last.status == 404


def test_batches_and_what_is_no_message(tmp_path):
    one = client(tmp_path, *CALLS)

    async def work():
        batch = [call(1, "t", {"n": 2}), note("notifications/x"), call(2, "t", {"n": 1})]
        (reply,) = await one.send(batch)
        assert [m["id"] for m in json.loads(reply.raw)] == [1, 2]
        assert json.loads((await one.send([]))[0].raw)["error"]["code"] == -32600
        assert json.loads((await one.send(b"{not-json}"))[0].raw)["error"]["code"] == -32700
        assert json.loads((await one.send({"id": 1}))[0].raw)["error"]["code"] == -32600

    run(work())


def test_a_replay_can_take_its_time(tmp_path):
    rows = c2s(call(1, "t", {}), t=10), s2c(note("notifications/message"), t=25), s2c(text(1, "x"), t=75)
    one = client(tmp_path, *rows, pace=True)
    first, _, second, _ = run(one.send(call(1, "t", {})))
    assert (first.ms, second.ms) == (15, 50)


def test_the_articles_manners(tmp_path):
    manners = {"match": "method", "exhausted": "error", "complete": False, "quiet": True}
    one = Client(replayed(cassette.load(GREENHOUSE), **manners))

    async def work():
        assert "result" in await one.ask("initialize")
        for method in ("initialize", "ping", "server/discover"):
            assert (await one.ask(method))["error"]["message"] == "No recording for " + method
        assert await one.send(b"{not-json}") == []
        assert await one.send([call(1, "t", {})]) == []

    run(work())
