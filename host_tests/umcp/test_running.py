"""Calls that run are cancelled by their ids (MCP 2025-11-25, cancellation), in their own session only."""

import asyncio
import json

from modernity import Line, Listener, Runtime, ask, modern, turns
from serving import Peer, make, post, request

from harness import araises, eq
from umcp.ram import Ram
from umcp.tool import Tool


class Sleeper:
    """A tool that waits, and what became of its calls."""

    def __init__(self):
        self.ended = []
        self.event = asyncio.Event()

    async def run(self):
        try:
            await self.event.wait()
            self.ended.append("done")
        except asyncio.CancelledError:
            self.ended.append("cancelled")
            raise

    def server(self, **options):
        return make([Tool("sleep", "", None, self.run)], runtime=Runtime(), **options)


def session_of(made):
    return post(made, request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}}))[2]


def sleep(id=1):
    return request("tools/call", {"name": "sleep"}, id)


def cancel(id):
    return {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": id, "reason": "late"},
    }


async def started(made, id, peer):
    task = asyncio.create_task(ask(made, sleep(id), peer))
    await turns()
    return task


async def test_a_cancelled_call_ends_and_is_not_answered():
    for id in (5, "five", 0):
        sleeper = Sleeper()
        made = sleeper.server(sessions=Ram())
        session = session_of(made)
        task = await started(made, id, Listener(session))
        eq((await ask(made, cancel(id), Peer(session)))[0], 202)
        eq(await task, None)
        eq(sleeper.ended, ["cancelled"])
        # Once more, or too late: nothing.
        eq((await ask(made, cancel(id), Peer(session)))[0], 202)
        eq(post(made, request("ping"), Peer(session))[1]["result"], {})


async def test_an_id_that_is_not_quite_it_cancels_nothing():
    sleeper = Sleeper()
    made = sleeper.server(sessions=Ram())
    session, other = session_of(made), session_of(made)
    task = await started(made, 5, Listener(session))
    for id in ("5", 6, 5.0, None, True, [5], {"id": 5}):
        await ask(made, cancel(id), Peer(session))
    await ask(made, cancel(5), Peer(other))
    await ask(made, {"jsonrpc": "2.0", "method": "notifications/cancelled"}, Peer(session))
    await turns()
    assert not task.done()
    sleeper.event.set()
    eq((await task)[0], 200)
    eq(sleeper.ended, ["done"])


async def test_without_a_session_nobody_can_tell_whose_call_it_is():
    sleeper = Sleeper()
    made = sleeper.server()
    task = await started(made, 5, Listener())
    await ask(made, cancel(5), Peer())
    await turns()
    assert not task.done()
    sleeper.event.set()
    eq((await task)[0], 200)


async def test_on_a_line_both_eras_cancel_by_id():
    for message in (sleep(5), modern("tools/call", {"name": "sleep"}, id=5)):
        sleeper = Sleeper()
        made = sleeper.server()
        line = Line()
        task = asyncio.create_task(ask(made, message, line))
        await turns()
        await ask(made, cancel(5), line)
        eq((await task, sleeper.ended), (None, ["cancelled"]))


async def test_a_cancellation_from_elsewhere_goes_on_through():
    sleeper = Sleeper()
    made = sleeper.server(sessions=Ram())
    task = await started(made, 5, Listener(session_of(made)))
    task.cancel()
    await araises(asyncio.CancelledError, task)
    eq((sleeper.ended, made.running._calls), (["cancelled"], {}))


async def test_an_escape_in_an_id_makes_no_other_id():
    sleeper = Sleeper()
    made = sleeper.server(sessions=Ram())
    session = session_of(made)
    for written in ('"\\u0061\\/\\u00e9"', '"a/\\u00e9"', '"a/\u00e9"'):
        raw = json.dumps(sleep("ID")).replace('"ID"', written)
        task = asyncio.create_task(ask(made, raw, Listener(session)))
        await turns()
        await ask(made, cancel("a/\u00e9"), Peer(session))
        eq((written, await task), (written, None))
    eq(sleeper.ended, ["cancelled"] * 3)


async def test_a_notification_of_the_modern_era_has_no_session():
    sleeper = Sleeper()
    made = sleeper.server(sessions=Ram())
    session = session_of(made)
    task = await started(made, 5, Listener(session))
    eq((await ask(made, cancel(5), Peer(session, b"2026-07-28")))[0], 202)
    await turns()
    assert not task.done()
    eq((await ask(made, cancel(5), Peer(session)))[0], 202)
    eq((await task, sleeper.ended), (None, ["cancelled"]))
