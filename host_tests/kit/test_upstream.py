"""Relays to a server that was started here: on stdio line by line, over HTTP a process a session."""

import asyncio
import contextlib
import json
import os
import sys

import pytest

from kit.playing import META, Client, call, note, request, result, run
from kit.running import wait_for
from processes import ROOT
from tsumiki import child
from tsumiki.errors import Unreachable
from tsumiki.pipeline import Ask, Channel, Notify, Reply, Status
from tsumiki.upstream import CommandUpstream

SERVER = [sys.executable, str(ROOT / "host_tests" / "kit" / "talking_server.py")]


@contextlib.asynccontextmanager
async def relaying(*flags, http=False, command=None):
    relay = CommandUpstream(command or [*SERVER, *flags], "http" if http else "stdio", lambda text: None)
    await relay.start()
    try:
        yield relay
    finally:
        await relay.close()


class Leaving(Channel):
    """A client that leaves when `leave` is called."""

    def __init__(self):
        super().__init__()
        self._event = asyncio.Event()

    def leave(self):
        self.left = True
        self._event.set()

    async def gone(self):
        await self._event.wait()


def at_work(*flags, http=False):
    """Runs `async work(client, relay)` with a client of a relay; returns what it returns."""

    def decorate(work):
        async def whole():
            async with relaying(*flags, http=http) as relay:
                return await work(Client(relay, http=http), relay)

        return run(whole())

    return decorate


async def until(holds, seconds=5):
    async def poll():
        while not holds():
            await asyncio.sleep(0.01)

    await asyncio.wait_for(poll(), seconds)


def test_lines_pass_as_they_are():
    @at_work()
    async def found(one, relay):
        channel = Channel()
        params = b'{"name":"echo","arguments":{"b":1.50,"a":2}}'
        raw = b'{"id" : 1,  "jsonrpc":"2.0","method":"tools/call","params":%s}' % params
        await relay.handle(one.exchange(raw, channel))
        return channel.sent

    (reply,) = found
    assert type(reply) is Reply
    assert json.loads(json.loads(reply.raw)["result"]["content"][0]["text"]) == {"a": 2, "b": 1.5}


def test_a_banner_and_what_is_said_before_the_answer():
    @at_work("--banner")
    async def found(one, relay):
        await asyncio.sleep(0.2)  # it comes before the client says anything
        params = {"name": "count", "arguments": {}, "_meta": {"progressToken": "p"}}
        return await one.send(request(1, "tools/call", params))

    assert found[0] == Notify(b"Talking server, on stdio")
    methods = [json.loads(action.raw).get("method") for action in found[1:]]
    assert methods == ["notifications/progress"] * 2 + ["notifications/message", None]


def test_the_server_asks_its_client():
    @at_work()
    async def found(one, relay):
        asking = asyncio.ensure_future(one.send(call(1, "ask", {})))
        await asyncio.sleep(0.2)
        await one.send(result("q1", content="hello"))
        return await asking

    asked, answer = found
    assert type(asked) is Ask
    assert json.loads(answer.raw)["result"]["content"][0]["text"] == "sampled: hello"


def test_answers_in_another_order():
    @at_work()
    async def found(one, relay):
        order = []

        async def ask(name, n):
            await one.call(name, {"n": n})
            order.append(n)

        await asyncio.gather(ask("later", 1), ask("later", 2), ask("echo", 3))
        return order

    assert found == [3, 2, 1]


def test_what_comes_unasked_goes_to_the_last_exchange():
    @at_work()
    async def found(one, relay):
        await one.ask("initialize", {})
        channel = Channel()
        await relay.handle(one.exchange(note("notifications/initialized"), channel))
        await until(lambda: len(channel.sent) > 1)
        return channel.sent

    assert found[0] == Reply(b"", 202)
    assert type(found[1]) is Ask and json.loads(found[1].raw)["method"] == "roots/list"


def test_what_is_no_message_is_the_servers_to_refuse():
    @at_work()
    async def found(one, relay):
        channel = Channel()
        await relay.handle(one.exchange(b"{not-json}", channel))
        await until(lambda: len(channel.sent) > 1)
        return channel.sent

    assert json.loads(found[1].raw)["error"]["code"] == -32700


def test_the_exit_status_is_the_servers():
    @at_work()
    async def found(one, relay):
        assert await one.send(call(1, "leave", {})) == []
        return await relay.ended, relay.exit_status

    assert found == (7, 7)


def test_a_server_that_ends_when_its_input_does():
    @at_work()
    async def relay(one, relay):
        await one.call("echo", {})
        return relay

    assert relay.exit_status == 0


def test_a_server_that_a_signal_ends():
    async def work():
        code = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
        async with relaying(command=[sys.executable, "-c", code]) as relay:
            await relay.ended
        return relay.exit_status

    assert run(work()) == 1


LEAVES_ANOTHER = """
import os, subprocess, sys
other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print('{"jsonrpc":"2.0","method":"pid","params":{"pid":%d}}' % other.pid, flush=True)
sys.stdin.readline()
os._exit(3)
"""


def test_a_server_that_leaves_another_which_holds_its_output():
    async def work():
        channel = Channel()
        async with relaying(command=[sys.executable, "-c", LEAVES_ANOTHER]) as relay:
            await relay.handle(Client(relay).exchange(request(1, "any"), channel))
            await asyncio.wait_for(relay.ended, 5)
        return relay.exit_status, json.loads(channel.sent[0].raw)["params"]["pid"]

    status, pid = run(work())
    assert status == 3
    wait_for(lambda: not alive(pid))


def alive(pid):
    """True for a process that runs; one that nobody has asked for its status does not."""
    try:
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_server_that_does_not_end_by_itself(monkeypatch):
    monkeypatch.setattr(child, "_LEAVE_S", 0.3)

    async def work():
        code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
        async with relaying(command=[sys.executable, "-c", code]) as relay:
            await asyncio.sleep(0.3)
        return relay.exit_status

    assert run(work(), seconds=15) == 0


def test_a_command_that_cannot_be_started():
    async def work():
        async with relaying(command=["/no/such/program"]):
            pass

    with pytest.raises(Unreachable, match="/no/such/program"):
        run(work())


def test_over_http_each_session_is_a_process():
    @at_work(http=True)
    async def found(one, relay):
        other = Client(relay, http=True)
        assert "result" in await one.ask("initialize", {})
        assert "result" in await other.ask("initialize", {})
        assert one.session != other.session
        waiting = asyncio.ensure_future(one.call("later", {"n": 1}, id=1))
        await other.call("echo", {}, id=1)
        await asyncio.sleep(0.1)
        assert not waiting.done()
        await one.call("echo", {}, id=2)
        assert (await waiting)["result"]["content"][0]["text"] == "late 1"
        assert await one.send(b"", "delete") == [Status(204)]
        assert (await one.send(call(1, "echo", {})))[0].status == 404
        assert (await other.send(call(1, "echo", {})))[0].status == 200
        return True

    assert found


def test_over_http_clients_without_a_session_share_one_and_their_ids_do_not_meet():
    @at_work(http=True)
    async def found(one, relay):
        one.era = "modern"
        other = Client(relay, "modern", http=True)
        waiting = asyncio.ensure_future(one.call("later", {"n": "one's"}, id=1))
        await asyncio.sleep(0.1)
        params = {"name": "count", "arguments": {}, "_meta": {"progressToken": 1}}
        counted = await other.ask("tools/call", params, id=1)
        assert (counted["id"], len(other.before)) == (1, 2)
        assert {m["params"]["progressToken"] for m in other.before} == {1}
        await other.call("echo", {}, id="x")
        return await waiting

    assert (found["id"], found["result"]["content"][0]["text"]) == (1, "late one's")


def test_over_http_to_leave_is_to_cancel(capfd):
    @at_work(http=True)
    async def _(one, relay):
        one.era = "modern"
        channel = Leaving()
        params = {"name": "later", "arguments": {}, "_meta": META}
        waiting = asyncio.ensure_future(relay.handle(one.exchange(request(5, "tools/call", params), channel)))
        await asyncio.sleep(0.1)
        channel.leave()
        await asyncio.wait_for(waiting, 2)
        await one.call("echo", {})

    assert "told notifications/cancelled" in capfd.readouterr().err


def test_over_http_a_subscription_keeps_its_id():
    @at_work(http=True)
    async def found(one, relay):
        one.era = "modern"
        channel = Leaving()
        message = request("mine", "subscriptions/listen", {"notifications": {}, "_meta": META})
        waiting = asyncio.ensure_future(relay.handle(one.exchange(message, channel)))
        await until(lambda: channel.sent)
        channel.leave()
        await asyncio.wait_for(waiting, 2)
        return json.loads(channel.sent[0].raw)["params"]["_meta"]

    assert found == {"io.modelcontextprotocol/subscriptionId": "mine"}


def test_over_http_what_comes_unasked_waits_for_a_get():
    @at_work(http=True)
    async def found(one, relay):
        await one.ask("initialize", {})
        await one.send(note("notifications/initialized"))
        await asyncio.sleep(0.2)
        opened, asked = await one.send(b"", "get")
        assert opened == Notify(b"")
        return json.loads(asked.raw)["method"]

    assert found == "roots/list"


def test_over_http_a_server_that_leaves_takes_its_session_along():
    @at_work(http=True)
    async def found(one, relay):
        await one.ask("initialize", {})
        left = await one.send(call(1, "leave", {}))
        lost = await one.send(call(2, "echo", {}))
        one.session = None
        assert "result" in await one.ask("initialize", {})
        return left[0].status, lost[0].status

    assert found == (502, 404)


def test_no_process_is_left():
    pids = []

    @at_work()
    async def _(one, relay):
        pids.append(relay._shared._process.pid)

    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)
