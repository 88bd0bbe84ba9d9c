"""`tsumiki record`: transparent on stdio and HTTP, and a cassette at the end that answers the same."""

import json
import signal

import pytest

from kit import mutable
from kit.playing import GREENHOUSE, Client, request, result, run
from kit.running import TALKING, Lines, Posts, environment, interrupted, listening, tsumiki, wait_for
from tsumiki import cassette
from tsumiki.recorder import Recorder
from tsumiki.replay import Replay
from tsumiki.tape import ASK, WAIT, Tape

SECRET = "s3cret-Value-77"
INIT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


def recording(out, *more, server=TALKING, **options):
    return Lines(tsumiki("record", "--out", out, *more, "--", *server), **options)


def talk(one):
    """A short session with the talking server: the answers."""
    found = [one.ask("initialize", INIT)["result"]]
    one.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
    found.append(one.ask("tools/list")["result"])
    found.append(one.call("echo", {"text": "hello"})["result"])
    found.append(one.call("echo", {"text": "again"})["result"])
    found.append(one.ask("no/such")["error"])
    one.write(request("a", "tools/call", {"name": "ask", "arguments": {}}))
    while True:
        asked = one.message()
        if asked.get("method") == "sampling/createMessage":
            break
        one.unasked.append(asked)
    one.write(result(asked["id"], content="sampled"))
    found.append(one.message()["result"])
    return found


def unasked(one):
    return [message.get("method") for message in one.unasked]


def test_a_session_on_stdio_and_its_replay(tmp_path):
    out = tmp_path / "one.ndjson"
    with recording(out) as one:
        live = talk(one)
        assert unasked(one) == ["roots/list"]
        assert one.close() == 0
    assert "wrote %s" % out in one.err and "told notifications/initialized" in one.err
    found = cassette.load(out)
    header = found.headers[0]
    told = [header[name] for name in ("transport", "era", "protocolVersion")]
    assert told == ["stdio", "legacy", "2025-11-25"]
    assert [row.seq for row in found.rows] == list(range(len(found.rows)))
    sampled = Tape(found.rows).takes[-1]
    assert [event.kind for event in sampled.events] == [ASK, WAIT]
    with Lines(tsumiki("serve", out)) as two:
        assert talk(two) == live
        assert unasked(two) == ["roots/list"]
        assert two.close() == 0


def test_the_same_by_name(tmp_path):
    command = tsumiki("record", "--server", "talking", "--scenario", "short", "--", *TALKING)
    with Lines(command, cwd=tmp_path) as one:
        one.call("echo", {})
        assert one.close() == 0
    out = tmp_path / "cassettes" / "talking" / "short.ndjson"
    assert cassette.load(out).headers[0]["scenario"] == "short"
    with Lines(tsumiki("serve", out.parent, "--scenario", "short")) as two:
        assert "result" in two.call("echo", {})
        assert two.close() == 0


def test_a_banner_survives(tmp_path):
    out = tmp_path / "one.ndjson"
    with recording(out, server=[*TALKING, "--banner"]) as one:
        one.write(request(1, "tools/list"))
        assert one.line() == b"Talking server, on stdio\n"
        assert one.message()["id"] == 1
        one.close()
    assert "Talking server, on stdio" in [row.raw for row in cassette.load(out).rows]
    with Lines(tsumiki("serve", out)) as two:
        assert "result" in two.ask("tools/list")
        assert two.close() == 0
    assert "no JSON, passed over: Talking server" in two.err


def test_interrupted_it_is_whole_and_tells_so(tmp_path):
    out = tmp_path / "one.ndjson"
    with recording(out) as one:
        one.call("echo", {"n": 1})
        one.write(request("x", "tools/call", {"name": "later", "arguments": {}}))
        wait_for(lambda: len(cassette.load(str(out) + ".tmp").rows) == 3)
        assert not out.exists()
        assert one.signal(signal.SIGINT) == 130
    assert [row.direction for row in cassette.load(out).rows] == ["c2s", "s2c", "c2s"]
    assert [path.name for path in tmp_path.iterdir()] == ["one.ndjson"]
    with Lines(tsumiki("serve", out)) as two:
        assert "result" in two.call("echo", {"n": 1})
        assert two.call("later", {})["error"]["data"]["reason"] == "replay-miss"
        assert two.close() == 3


def test_the_servers_exit_status_is_ours(tmp_path):
    out = tmp_path / "one.ndjson"
    with recording(out) as one:
        one.write(request(1, "tools/call", {"name": "leave", "arguments": {}}))
        assert one.line() is None
        one._end()
        assert one._process.returncode == 7
    assert len(cassette.load(out).rows) == 1


def test_a_server_that_leaves_at_once(tmp_path):
    with recording(tmp_path / "one", server=[*TALKING, "--dies"]) as one:
        assert one.line() is None
        one._end()
        assert one._process.returncode == 3
    assert "nothing was written" in one.err
    assert list(tmp_path.iterdir()) == []


def test_nothing_said_writes_nothing(tmp_path):
    with recording(tmp_path / "one") as one:
        assert one.close() == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words, status, reason",
    [
        (["--out", "there", "--", "true"], 2, "there is there already: --force replaces it"),
        (["--out", "new", "--", "/no/such/program"], 4, "/no/such/program"),
        (["--out", "new"], 2, "one server, please"),
        (["--out", "new", "--url", "http://x", "--", "true"], 2, "one server, please"),
        (["--out", "new", "--url", "ftp://x"], 2, "must begin with http"),
        (["--out", ".", "--force", "--", "true"], 2, "is a folder"),
        (["--server", "a", "--", "true"], 2, "where is the cassette to be"),
        (["--server", "../a", "--scenario", "b", "--", "true"], 2, "a name is of"),
        (["--out", "new", "--path", "/x", "--", "true"], 2, "--path goes with --http"),
    ],
)
def test_what_cannot_be_recorded(tmp_path, words, status, reason):
    (tmp_path / "there").write_text("{}")
    with Lines(tsumiki("record", *words), cwd=tmp_path) as one:
        one._end()
        assert one._process.returncode == status
    assert reason in one.err
    assert "Traceback" not in one.err
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_force_replaces_in_one_step(tmp_path):
    out = tmp_path / "one"
    out.write_text("before")
    with recording(out, "--force") as one:
        one.call("echo", {})
        assert out.read_text() == "before"
        one.close()
    assert len(cassette.load(out).rows) == 2


def test_planted_secrets_never_reach_the_disk(tmp_path):
    out = tmp_path / "one.ndjson"
    seen = []
    env = environment(SECRET=SECRET + "-env", PLANTED=SECRET + "-env")
    with recording(out, "--redact", "env:PLANTED", env=env) as one:
        one.call("echo", {"password": SECRET, "text": "Bearer " + SECRET, "note": "token=%s;" % SECRET})
        one.call("echo", {"url": "https://me:%s@x.org/?api_key=%s" % (SECRET, SECRET)})
        assert SECRET + "-env" in one.call("secret", {})["result"]["content"][0]["text"]
        one.write(b"no JSON, secret: " + SECRET.encode())
        assert one.message()["error"]["code"] == -32700
        seen = [path.read_text("utf-8") for path in tmp_path.iterdir()]
        one.close()
    assert len(seen) == 1 and all(SECRET not in text for text in seen)
    assert SECRET not in out.read_text("utf-8") and SECRET not in one.err
    with Lines(tsumiki("serve", out)) as two:
        found = two.call("echo", {"password": "another", "text": "other", "note": "", "unknown": 1})
        assert found["error"]["data"]["reason"] == "replay-miss"
        found = two.call("echo", {"password": "another", "text": "Bearer other", "note": "any"})
        assert json.loads(found["result"]["content"][0]["text"])["password"] == "[redacted]"
        two.close()


def test_a_stdio_server_recorded_over_http(tmp_path):
    out = tmp_path / "one.ndjson"
    env = environment(ROBOT_TOKEN=SECRET)
    with listening("record", "--out", out, "--token-env", "ROBOT_TOKEN", "--", *TALKING, env=env) as side:
        stranger = Posts(side.url + "/mcp")
        stranger.ask("initialize", INIT)
        assert stranger.status == 401
        one = Posts(side.url + "/mcp", headers={"Authorization": "Bearer " + SECRET})
        two = Posts(side.url + "/mcp", headers={"Authorization": "Bearer " + SECRET})
        assert one.ask("initialize", INIT)["result"]["serverInfo"]["name"] == "talking"
        assert two.ask("initialize", INIT) and one.session != two.session
        assert "hello" in one.call("echo", {"text": "hello", "said": SECRET})["result"]["content"][0]["text"]
        params = {"name": "count", "arguments": {}, "_meta": {"progressToken": 1}}
        two.ask("tools/call", params)
        assert len(two.before) == 3
        assert interrupted(side) == 130
    said = out.read_text("utf-8")
    assert SECRET not in said and one.session not in said
    rows = cassette.load(out).rows
    assert {row.ex is not None for row in rows} == {True}
    assert {row.http["status"] for row in rows if row.http} == {200}
    # On the other transport, and in the other era.
    with Lines(tsumiki("serve", out)) as again:
        assert "result" in again.call("echo", {"text": "hello", "said": "anything"})
        assert again.ask("tools/call", dict(params, _meta={"progressToken": "p"}))["result"]
        assert [m["params"]["progressToken"] for m in again.unasked[:2]] == ["p", "p"]
        assert again.ask("server/discover", modern=True)["result"]["supportedVersions"] == ["2026-07-28"]
        assert again.close() == 0
    with listening("serve", out, "--session", "required") as side:
        again = Posts(side.url + "/mcp")
        again.ask("tools/list")
        assert again.status == 400
        again.ask("initialize", INIT)
        assert "result" in again.call("echo", {"text": "hello", "said": "x"})
        modern = Posts(side.url + "/mcp", modern=True)
        modern.ask("tools/call", params)
        assert modern.status == 200


class Full(cassette.Writer):
    """A disk that takes one row."""

    def write(self, row):
        if self.count:
            raise OSError(28, "No space left on device")
        super().write(row)


def test_a_full_disk_ends_the_recording_and_not_the_session(tmp_path, capsys):
    writer = Full(tmp_path / "one", {})
    recorder = Recorder(Replay(cassette.load(GREENHOUSE), note=print), writer)

    async def work():
        one = Client(recorder)
        assert "result" in await one.ask("initialize")
        assert "result" in await one.ask("tools/list")
        await recorder.close()

    run(work())
    writer.discard()
    assert (recorder.exit_status, recorder.path) == (1, None)
    assert "the recording has ended: No space left" in capsys.readouterr().err
    assert len(cassette.load(tmp_path / "one.tmp").rows) == 1


MODES = {"json": (), "sse": ("--sse",), "session": ("--session",), "modern": ("--era", "modern"),
         "modern-sse": ("--era", "modern", "--sse")}  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("http", [False, True], ids=["stdio", "http"])
def test_an_http_server_is_recorded(tmp_path, mode, http):
    out = tmp_path / "one.ndjson"
    modern = mode.startswith("modern")
    env = environment(UPSTREAM_TOKEN=SECRET)
    words = ["record", "--out", out, "--url-token-env", "UPSTREAM_TOKEN"]

    def talk(one):
        found = [] if modern else [one.ask("initialize", INIT)["result"]["serverInfo"]]
        more = {"modern": True} if modern and isinstance(one, Lines) else {}
        for method in ("tools/list", "resources/list"):
            found.append(one.ask(method, **more).get("result"))
        found.append(one.call("echo", {"text": "hello"}, **more)["result"])
        found.append(one.call("echo", {}, **more).get("result"))
        found.append(one.ask("no/such", **more)["error"]["code"])
        return found

    with mutable.listener(more=(*MODES[mode], "--token", SECRET)) as server:
        words += ["--url", server.url + "/mcp"]
        if http:
            with listening(*words, env=env) as side:
                live = talk(Posts(side.url + "/mcp", modern))
                assert interrupted(side) == 130
        else:
            with Lines(tsumiki(*words), env=env) as one:
                live = talk(one)
                assert one.close() == 0
    assert SECRET not in out.read_text("utf-8")
    if http:
        with Lines(tsumiki("serve", out)) as one:
            assert talk(one) == live
            assert one.close() == 0
    else:
        with listening("serve", out) as side:
            assert talk(Posts(side.url + "/mcp", modern)) == live


def test_an_http_server_that_is_not_there_or_wants_a_token(tmp_path):
    out = tmp_path / "one"
    with Lines(tsumiki("record", "--out", out, "--url", "http://127.0.0.1:9/mcp")) as one:
        assert "cannot be reached" in one.ask("initialize", INIT)["error"]["message"]
        assert one.close() == 4
    with mutable.listener(more=("--token", SECRET)) as server:
        with Lines(tsumiki("record", "--out", out, "--force", "--url", server.url + "/mcp")) as one:
            assert "HTTP status 401" in one.ask("initialize", INIT)["error"]["message"]
            assert one.close() == 5
