"""`tsumiki proxy`: transparent on both transports, a bearer before a command, crashes, restarts, what it records."""

import json
import os
import re
import signal
import sys

import pytest

import interpreter
from kit import fault_cases
from kit.commands import Command
from kit.playing import META, request, result
from kit.running import SECONDS, TALKING, Lines, Posts, environment, interrupted, listening, tsumiki, wait_for
from processes import ROOT, run_limited
from tsumiki import cassette

INIT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
TOKEN = "a-token-of-the-tests"


def begin(one):
    answer = one.ask("initialize", INIT)
    send = getattr(one, "write", None) or one.post
    send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return answer


def proxy(*words, server=TALKING, **options):
    return Lines(tsumiki("proxy", *words, "--", *server), **options)


def text(answer):
    return answer["result"]["content"][0]["text"]


@pytest.fixture
def command(capsys):
    return Command(capsys)


def test_a_session_on_stdio_passes_as_it_is():
    with Lines(TALKING) as one, proxy() as two:
        seen = []
        for each in (one, two):
            begin(each)
            each.write(
                request("a", "tools/call", {"name": "count", "arguments": {}, "_meta": {"progressToken": 5}})
            )
            seen.append([])
            while not seen[-1] or seen[-1][-1].get("id") != "a":
                seen[-1].append(each.message())
            assert each.close() == 0
    assert seen[0] == seen[1]
    methods = [message.get("method") for message in seen[1]]
    assert methods == [
        "roots/list",
        "notifications/progress",
        "notifications/progress",
        "notifications/message",
        None,
    ]


def test_the_server_asks_its_client_through_it():
    with proxy() as one:
        one.write(request("a", "tools/call", {"name": "ask", "arguments": {}}))
        asked = one.message()
        assert asked["method"] == "sampling/createMessage"
        one.write(result(asked["id"], content="hello"))
        assert text(one.message()) == "sampled: hello"


def test_a_cancellation_reaches_the_server():
    with proxy("--fault", "tools/call=late:60000") as one:
        one.write(request(1, "tools/call", {"name": "echo", "arguments": {}}))
        one.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
        one.ask("tools/list")
        one.close()
    assert "told notifications/cancelled" in one.err


def test_the_exit_status_is_the_servers_or_the_faults():
    with proxy() as one:
        one.write(request(1, "tools/call", {"name": "leave", "arguments": {}}))
        assert one.line() is None
        assert one.close() == 7
    with proxy("--fault", "tools/call=disconnect:9") as one:
        one.write(request(1, "tools/call", {"name": "echo", "arguments": {}}))
        assert one.line() is None
        assert one.close() == 9


def test_a_call_that_a_fault_has_taken_never_reaches_the_server():
    with proxy("--fault", "tools/call:leave#1=error:-32000,no") as one:
        assert one.call("leave", {})["error"] == {"code": -32000, "message": "no"}
        assert text(one.call("echo", {"n": 1})) == '{"n": 1}'
        assert one.close() == 0


def test_one_that_it_is_to_see_all_the_same(tmp_path):
    rules = [{"on": {"tool": "leave"}, "do": "timeout", "consume": True}]
    path = tmp_path / "faults.json"
    path.write_text(json.dumps(rules))
    with proxy("--faults", path) as one:
        one.write(request(1, "tools/call", {"name": "leave", "arguments": {}}))
        assert one.line() is None
        assert one.close() == 7


def test_faults_that_must_fire():
    faults = ("--fault", "tools/call#1=tool-error", "--fault", "tools/call#9=timeout", "--faults-must-fire")
    with proxy(*faults) as one:
        assert one.call("echo", {})["result"]["isError"] is True
        assert one.close() == 1
    assert "tools/call#9=timeout never fired" in one.err and "#1" not in one.err
    with proxy(*faults[:2], faults[-1]) as one:
        one.call("echo", {})
        assert one.close() == 0


def test_a_crash_is_an_error_with_restart_and_the_next_call_works():
    with proxy("--restart") as one:
        begin(one)
        for _ in range(2):
            assert one.call("leave", {})["error"]["message"] == "The server has left"
            assert text(one.call("echo", {"n": 1})) == '{"n": 1}'
        assert one.close() == 0
    assert one.err.count("(status 7), and is started again") == 2
    # The handshake was said to each, and its answer was not heard again.
    assert one.err.count("told notifications/initialized") == 3
    assert [message["method"] for message in one.unasked] == ["roots/list"] * len(one.unasked)


def test_all_calls_that_wait_learn_of_a_crash():
    with proxy("--restart") as one:
        begin(one)
        one.message()  # roots/list
        one.write(request("x", "tools/call", {"name": "later", "arguments": {"n": 1}}))
        one.write(request("y", "tools/call", {"name": "later", "arguments": {"n": 2}}))
        one.write(request("z", "tools/call", {"name": "leave", "arguments": {}}))
        ids = sorted(one.message()["id"] for _ in range(3))
        assert ids == ["x", "y", "z"]
        assert text(one.call("echo", {})) == "{}"


def test_a_modern_client_needs_no_handshake():
    with proxy("--restart") as one:
        assert "error" in one.call("leave", {}, modern=True)
        assert text(one.call("echo", {}, modern=True)) == "{}"
        one.close()
    assert "told" not in one.err


def test_a_server_that_cannot_be_started_again(tmp_path):
    once = tmp_path / "once"
    once.write_text(
        "import sys\nsys.argv[0:1] = []\nimport os\nos.remove(%r)\n" % str(once) + open(TALKING[1]).read()
    )
    with proxy("--restart", server=[sys.executable, str(once)]) as one:
        begin(one)
        assert "error" in one.call("leave", {})
        for _ in range(2):
            assert one.call("echo", {})["error"]["message"] == "The server cannot be started"
        assert one.close() == 0


def test_a_command_has_an_address_with_a_bearer_of_its_own():
    with listening("proxy", "--", *TALKING) as server:
        token = re.search(r"token: (\S+)", server.output()).group(1)
        assert len(token) >= 32
        nobody = Posts(server.url + "/mcp")
        assert nobody.ask("tools/list") == {"error": "invalid_token"} and nobody.status == 401
        one = Posts(server.url + "/mcp", headers={"Authorization": "Bearer " + token})
        begin(one)
        assert one.session and text(one.call("echo", {"n": 1})) == '{"n": 1}'


def test_or_that_of_a_variable_or_none():
    named = environment(KIT_TOKEN=TOKEN)
    with listening("proxy", "--token-env", "KIT_TOKEN", "--", *TALKING, env=named) as server:
        assert "token:" not in server.output() and TOKEN not in server.output()
        one = Posts(server.url + "/mcp", headers={"Authorization": "Bearer " + TOKEN})
        assert begin(one)["result"] and Posts(server.url + "/mcp").ask("ping") == {"error": "invalid_token"}
    with listening("proxy", "--no-token", "--", *TALKING) as server:
        assert begin(Posts(server.url + "/mcp"))["result"]


def test_over_http_a_crash_is_a_session_that_is_lost():
    with listening("proxy", "--no-token", "--", *TALKING) as server:
        one = Posts(server.url + "/mcp")
        begin(one)
        first = one.session
        assert one.call("leave", {})["error"]["message"] == "The server has left"
        assert one.status in (502, 200)  # a stream had begun, if the server had asked for roots by then
        one.call("echo", {})
        assert one.status == 404
        one.session = None
        begin(one)
        assert one.session != first and text(one.call("echo", {"n": 1})) == '{"n": 1}'


def test_the_robots_client_through_it(tmp_path):
    """Progress, logs, a request of the server's, a cancellation, a crash, and what comes behind each."""
    named = environment(KIT_TOKEN=TOKEN)
    with listening("proxy", "--token-env", "KIT_TOKEN", "--", *TALKING, env=named) as server:
        script = ROOT / "host_tests" / "kit" / "try_proxy.py"
        command = [interpreter.need(), script, tmp_path / "seen", server.url + "/mcp", TOKEN]
        status, said = run_limited(command, env=interpreter.environment(), cwd=ROOT)
        assert status == "", said
        assert "told notifications/cancelled" in server.output()
    seen = json.loads((tmp_path / "seen").read_text())
    assert (seen["progress"], seen["logs"], seen["count"]) == ([1, 2], ["counted"], "2")
    assert seen["asked"] == [9] and "four" in seen["ask"]
    # A call that has timed out, one that the server has crashed under, and one of a session that is no more.
    timed_out, crashed, lost = seen["errors"]
    assert (timed_out, lost) == ("RequestTimeout", "SessionLost") and crashed in ("Disconnected", "RpcError")
    assert seen["after"] == '{"n": 2}'


def test_over_http_in_the_newest_version_the_next_call_starts_another():
    with listening("proxy", "--no-token", "--", *TALKING) as server:
        one = Posts(server.url + "/mcp", modern=True)
        assert "error" in one.call("leave", {}) and one.status == 502
        assert text(one.call("echo", {"n": 1})) == '{"n": 1}'


@pytest.mark.parametrize("modern", [False, True], ids=["legacy", "modern"])
def test_what_comes_before_an_answer_passes_with_a_fault_in_its_stream(modern):
    with listening("proxy", "--no-token", "--fault", "tools/call=crlf", "--", *TALKING) as server:
        one = Posts(server.url + "/mcp", modern)
        if not modern:
            begin(one)
        meta = dict(META if modern else {}, progressToken="p")
        found = one.post(request(7, "tools/call", {"name": "count", "arguments": {}, "_meta": meta}))
        assert text(found) == "2" and found["id"] == 7
        tokens = [m["params"]["progressToken"] for m in one.before if m["method"] == "notifications/progress"]
        assert tokens == ["p", "p"]


def test_in_front_of_a_url():
    faults = ("--fault", "tools/call#2=status:503,7", "--fault", "tools/call@1#3=session-lost")
    named = environment(KIT_TOKEN=TOKEN)
    with listening("proxy", "--token-env", "KIT_TOKEN", "--", *TALKING, env=named) as behind:
        with listening("proxy", *faults, "--url", behind.url + "/mcp") as server:
            nobody = Posts(server.url + "/mcp")
            assert nobody.ask("tools/list") == {"error": "invalid_token"}  # it is the server's to refuse
            one = Posts(server.url + "/mcp", headers={"Authorization": "Bearer " + TOKEN})
            begin(one)
            first = one.session
            statuses = []
            for _ in range(4):
                one.call("echo", {})
                statuses.append(one.status)
            assert statuses == [200, 503, 404, 404]
            one.session = None
            begin(one)
            assert one.session != first and text(one.call("echo", {})) == "{}"


def test_with_a_token_for_the_url():
    named = environment(KIT_TOKEN=TOKEN)
    with listening("proxy", "--token-env", "KIT_TOKEN", "--", *TALKING, env=named) as behind:
        words = ("proxy", "--url-token-env", "KIT_TOKEN", "--url", behind.url + "/mcp")
        with Lines(tsumiki(*words), env=named) as one:
            begin(one)
            assert text(one.call("echo", {"n": 1})) == '{"n": 1}'
            assert one.close() == 0


def test_what_was_broken_is_what_is_recorded(tmp_path):
    tape = tmp_path / "broken.ndjson"
    with proxy(
        "--record", tape, "--fault", "tools/call#1=error:5,broken", "--fault", "tools/list=malformed"
    ) as one:
        one.write(request(1, "tools/list"))
        assert one.line() == b"{not-json}\n"
        one._id = 1
        one.call("echo", {"token": "s3cret-Value-77"})
        assert text(one.call("echo", {}))
        assert one.close() == 0
    assert "wrote %s (6 messages" % tape in one.err
    rows = cassette.load(tape).rows
    assert [row.direction for row in rows] == ["c2s", "s2c"] * 3
    assert rows[1].raw == "{not-json}" and '"broken"' in rows[3].raw
    assert "s3cret" not in tape.read_text()
    with Lines(tsumiki("serve", tape)) as two:
        assert two.call("echo", {"token": "another"})["error"]["code"] == 5


def test_a_token_that_was_made_up_is_in_no_recording(tmp_path):
    tape = tmp_path / "t.ndjson"
    with listening("proxy", "--record", tape, "--", *TALKING) as server:
        token = re.search(r"token: (\S+)", server.output()).group(1)
        one = Posts(server.url + "/mcp", headers={"Authorization": "Bearer " + token})
        begin(one)
        one.call("echo", {"said": token})
        assert interrupted(server) == 130
    assert tape.exists() and token not in tape.read_text()


def test_an_interrupted_proxy_leaves_no_process():
    code = "import os, sys; print('pid %d' % os.getpid(), file=sys.stderr, flush=True); sys.stdin.read()"
    with listening("proxy", "--no-token", "--", sys.executable, "-c", code) as server:
        one = Posts(server.url + "/mcp", modern=True)
        one.post({"jsonrpc": "2.0", "method": "notifications/x", "params": {"_meta": META}})
        wait_for(lambda: "pid " in server.output())
        pid = int(re.search(r"pid (\d+)", server.output()).group(1))
        assert interrupted(server) == 130
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_rule_that_must_fire_and_has_not_before_an_interruption():
    with listening(
        "proxy", "--no-token", "--fault", "*=timeout", "--faults-must-fire", "--", *TALKING
    ) as server:
        os.kill(server.pid, signal.SIGTERM)
        assert server._process.wait(SECONDS) == 1


@pytest.mark.parametrize(
    "words, said",
    [
        ([], "one server, please"),
        (["--url", "http://127.0.0.1:1/", "--", "x"], "one server, please"),
        (["--"], "what is to start"),
        (["--restart", "--url", "http://127.0.0.1:1/"], "--restart is for a command"),
        (["--restart", "--listen", "127.0.0.1:0", "--", "x"], "--restart is for a command"),
        (["--no-token", "--", "x"], "--no-token goes with --listen"),
        (["--listen", "127.0.0.1:0", "--no-token", "--token-env", "HOME", "--", "x"], "--no-token goes with"),
        (["--fault", "*=status", "--", "x"], "a fault of HTTP"),
        (["--fault", "nonsense", "--", "x"], "METHOD"),
        (["--faults", "/no/such/file", "--", "x"], "No such file"),
        (["--faults-must-fire", "--", "x"], "goes with --fault"),
        (["--listen", "nowhere", "--", "x"], "HOST:PORT"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_starts(command, words, said):
    assert command("proxy", *words) == 2
    assert said in command.err and command.out == ""


def test_a_command_that_is_not_there(command):
    assert command("proxy", "--listen", "stdio", "--", "/no/such/program") == 4
    assert "/no/such/program" in command.err


def article(folder, fault, method="tools/call"):
    tape = fault_cases.cassette(folder / "cassette.ndjson", ["steady"])
    env = environment(CASSETTE=str(tape), FAULT_METHOD=method, FAULT=fault)
    return Lines([sys.executable, "-m", "tsumiki.article"], env=env)


@pytest.mark.parametrize(
    "fault, lines, status",
    # A request that has no recording tells the status, too.
    [("malformed", [b"{not-json}\n"], 3), ("timeout", [], 3), ("disconnect", [None], 70)],
)
def test_the_environment_of_the_article(tmp_path, fault, lines, status):
    with article(tmp_path, fault) as one:
        assert "result" in one.ask("initialize", INIT)
        one.write(request(5, "tools/call", {"name": "steady", "arguments": {}}))
        for line in lines:
            assert one.line() == line
        if fault != "disconnect":
            one.write(request(6, "no/such"))
            assert json.loads(one.line())["id"] == 6
        assert one.close() == status


def test_what_the_article_does_not_know_is_no_fault(tmp_path):
    with article(tmp_path, "hiccup") as one:
        one.ask("initialize", INIT)
        assert text(one.call("steady", {})) == "21 of steady"
        assert one.close() == 0
