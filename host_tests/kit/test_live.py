"""The client of live servers, against servers that behave, and that do not: both transports, both eras."""

import asyncio
import gc
import sys
import time

import pytest

from kit import mutable
from tsumiki.errors import Failed, NotAllowed, Unreachable, Unreadable
from tsumiki.live import Live
from tsumiki.live_http import is_private

TOOLS = ["echo", "get_status", "move"]


def with_live(work, *breaks, http=False, more=(), **options):
    """The result of `async work(live)` with a server."""

    async def run(**where):
        async with Live(timeout=options.pop("timeout", 5), **where, **options) as live:
            return await work(live)

    if not http:
        return asyncio.run(run(command=mutable.command(*breaks, more=more)))
    with mutable.listener(*breaks, more=more) as server:
        return asyncio.run(run(url=server.url + "/mcp"))


async def _look(live):
    tools = [tool["name"] for tool in await live.listing("tools/list", "tools")]
    said = await live.call("echo", {"text": "hello"})
    refused = await live.call("echo", {})
    unknown = await live.call("nothing")
    missing = await live.request("no/such")
    classes = [answer.error_class for answer in (said, refused, unknown, missing)]
    return live.era, live.identity["name"], tools, said.result["content"], classes


@pytest.mark.parametrize("sse", [(), ("--sse",)], ids=["json", "sse"])
@pytest.mark.parametrize("http", [False, True], ids=["stdio", "http"])
@pytest.mark.parametrize("era, found", [("legacy", "legacy"), ("modern", "modern"), ("both", "modern")])
def test_lists_and_calls(era, found, http, sse):
    expected = ["ok", "tool_error:invalid_arguments", "rpc_error:-32602", "rpc_error:-32601"]
    content = [{"type": "text", "text": "hello"}]
    seen = with_live(_look, http=http, more=("--era", era, *sse))
    assert seen == (found, "mutable", TOOLS, content, expected)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_an_era_that_is_asked_for_is_taken(era):
    assert with_live(_look, era=era)[0] == era


def test_a_server_without_the_era_that_is_asked_for_is_refused():
    with pytest.raises(Unreachable, match="does not speak 2026-07-28"):
        with_live(_look, era="modern", more=("--era", "legacy"))


OUTCOMES = [
    ("timeout", "stdio", "timeout"),
    ("timeout", "http", "timeout"),
    ("disconnect", "stdio", "disconnect"),
    ("disconnect", "http", "disconnect"),
    ("malformed", "stdio", "malformed"),
    ("malformed", "http", "malformed"),
    ("wrong-id", "stdio", "timeout"),
    ("wrong-id", "http", "malformed"),
    ("input-required", "stdio", "input_required"),
]


@pytest.mark.parametrize("fault, transport, expected", OUTCOMES)
def test_a_fault_has_its_class_in_bounded_time_and_the_next_request_works(fault, transport, expected):
    async def work(live):
        begun = time.monotonic()
        answer = await live.call("echo", {"text": "x"}, timeout=0.5)
        took = time.monotonic() - begun
        return answer.error_class, took < 3, (await live.request("ping")).error_class

    assert with_live(work, fault, http=transport == "http", era="legacy") == (expected, True, "ok")


def test_a_server_is_gone_though_what_it_has_started_holds_its_output():
    code = "import os, subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])"

    async def work():
        async with Live(
            command=[sys.executable, "-c", code + "; sys.stdin.readline(); os._exit(3)"], timeout=20
        ):
            pass

    begun = time.monotonic()
    with pytest.raises(Unreachable, match="the server has left"):
        asyncio.run(work())
    assert time.monotonic() - begun < 10


def test_a_line_that_never_ends_is_cut(capfd):
    code = "import sys\nwhile True:\n    sys.stdout.write('a' * 65536)"

    async def work():
        async with Live(command=[sys.executable, "-c", code], timeout=20):
            pass

    with pytest.raises(Unreachable):
        asyncio.run(work())
    gc.collect()
    assert "Traceback" not in capfd.readouterr().err


def test_all_requests_that_wait_learn_that_the_server_has_left():
    async def work(live):
        asked = [
            live._request("tools/call", {"name": "echo", "arguments": {"text": "x"}}, 5) for _ in range(3)
        ]
        return [answer.error_class for answer in await asyncio.gather(*asked)]

    assert with_live(work, "disconnect") == ["disconnect"] * 3


def test_a_session_that_is_lost_is_opened_anew():
    async def work(live):
        found = []
        for method in ("ping", "tools/call"):
            await live.request("prompts/list")  # the server drops all sessions
            for _ in range(2):
                answer = await live.request(method, {"name": "echo", "arguments": {"text": "x"}})
                found.append(answer.error_class)
        return found

    # A call is not sent twice: a motion may have begun.
    more = ("--session", "--era", "legacy")
    assert with_live(work, http=True, more=more) == ["ok", "ok", "http:404", "ok"]


def test_a_session_ends_with_the_client():
    async def work(live):
        return live

    with mutable.listener(more=("--session", "--era", "legacy")) as server:

        async def run():
            async with Live(url=server.url) as live:
                session = live._transport.session
            live._transport.session = session
            return session, await live._request("ping", None, 5)

        session, answer = asyncio.run(run())
    assert session and answer.error_class == "http:404"


def test_a_token_is_sent_and_one_that_is_wanted_is_named():
    with mutable.listener(more=("--token", "s3cret")) as server:

        async def run(token):
            async with Live(url=server.url, token=token) as live:
                return (await live.call("echo", {"text": "x"})).error_class

        assert asyncio.run(run("s3cret")) == "ok"
        for token in (None, "other"):
            with pytest.raises(NotAllowed, match="--token-env"):
                asyncio.run(run(token))


def test_a_banner_is_passed_over_and_told(capsys):
    assert with_live(_look, "banner")[2] == TOOLS
    assert "welcome" in capsys.readouterr().err


def test_a_request_of_the_server_is_refused_and_kept():
    async def work(live):
        return [note["method"] for note in (await live.call("echo", {"text": "x"})).notes]

    assert with_live(work, "asks")[-1:] == ["roots/list"]


def test_notifications_on_a_stream_are_kept():
    async def work(live):
        return [note["method"] for note in (await live.call("echo", {"text": "x"})).notes]

    assert with_live(work, http=True, more=("--sse",)) == ["notifications/message"]


def test_cursors_that_run_in_a_circle_are_refused():
    with pytest.raises(Failed, match="cursor '2' comes twice"):
        with_live(_look, "repeated-cursor")


def test_a_server_that_is_not_there_is_unreachable(free_port):
    async def run(**where):
        async with Live(timeout=5, **where):
            raise AssertionError("it is there")

    for where in (
        {"url": "http://127.0.0.1:%d/mcp" % free_port},
        {"command": ["no-such-program-x"]},
        {"command": [sys.executable, "-c", "pass"]},
        {"command": []},
    ):
        with pytest.raises(Unreachable):
            asyncio.run(run(**where))


def test_a_server_that_is_deaf_is_unreachable_in_bounded_time():
    async def run():
        async with Live(command=[sys.executable, "-c", "import time; time.sleep(60)"], timeout=0.5):
            raise AssertionError("it is there")

    begun = time.monotonic()
    with pytest.raises(Unreachable, match="timeout"):
        asyncio.run(run())
    assert time.monotonic() - begun < 10


def test_a_token_stays_in_the_private_network():
    with pytest.raises(Unreadable, match="https"):
        Live(url="http://example.com/mcp", token="t")
    Live(url="https://example.com/mcp", token="t")
    Live(url="http://example.com/mcp")
    Live(url="http://192.168.1.20/mcp", token="t")


def test_one_server_is_wanted():
    for where in (
        {},
        {"command": ["x"], "url": "http://x"},
        {"url": "ftp://x"},
        {"url": "http://x", "token": "a b"},
    ):
        with pytest.raises(Unreadable):
            Live(**where)


@pytest.mark.parametrize(
    "host, private",
    [("localhost", True), ("tsumiki.local", True), ("10.1.2.3", True), ("::1", True), ("robot", True),
     ("8.8.8.8", False), ("example.com", False), ("2001:4860:4860::8888", False)],
)  # fmt: skip
def test_which_hosts_are_private(host, private):
    assert is_private(host) is private
