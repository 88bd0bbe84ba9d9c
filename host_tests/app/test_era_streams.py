"""Streams of both eras over a real socket: replies that talk, changes, and coming back."""

import asyncio

from streaming import EVERYTHING, META, Robot, call, modern, request, until

from harness import eq, raises
from net.http_server import Limits
from umcp.prompts import Prompt


def methods(messages):
    return [message.get("method", "answer") for message in messages]


async def test_a_silent_reply_is_json_and_a_talking_one_a_stream():
    robot = Robot()
    robot.go.set()
    async with robot.served(streams=0) as served:
        _, session = await served.legacy()
        params = dict(call("walk", steps=2), _meta={"progressToken": "p"})
        for reply in (
            await served.begin(body=request("tools/call", params), session=session),
            await served.modern(modern("tools/call", call("walk", steps=2), progressToken="p")),
        ):
            eq((reply.status, reply.streams), (200, True))
            eq((reply.headers["cache-control"], reply.headers["x-accel-buffering"]), ("no-cache", "no"))
            messages = await reply.messages()
            notes = [note for note in messages if note.get("method") == "notifications/progress"]
            eq([note["params"]["progress"] for note in notes], [1, 2])
            eq(messages[-1]["result"]["content"][0]["text"], "walked")
            # Nobody resumes a stream of a server without any, nor one of the modern era.
            eq((reply.ids, reply.retry), ([], None))
        # Nobody asked for progress, and this era logs for who wants it only.
        result = await served.result(modern("tools/call", call("walk", steps=2)))
        eq((result["content"][0]["text"], result["resultType"]), ("walked", "complete"))


async def test_log_messages_are_for_the_request_that_wants_them():
    robot = Robot()
    robot.go.set()
    async with robot.served() as served:
        message = modern("tools/call", call("walk", steps=1), x_logLevel="info")
        eq(methods(await (await served.modern(message)).messages()), ["notifications/message", "answer"])
        message = modern("tools/call", call("walk", steps=1), x_logLevel="error")
        eq((await served.modern(message)).streams, False)


async def test_a_legacy_stream_tells_of_changes_and_the_newest_of_a_session_wins():
    async with Robot().served() as served:
        _, session = await served.legacy()
        await served.answer(session, "resources/subscribe", {"uri": "robot://log"})
        old = await served.begin("GET", session=session)
        eq((old.status, old.streams), (200, True))
        new = await served.begin("GET", session=session)
        eq((new.status, await old.messages()), (200, []))
        served.server.publish("robot://log")
        told = await new.message()
        eq((told["method"], told["params"]), ("notifications/resources/updated", {"uri": "robot://log"}))
        served.server.remove_tool("look")
        eq((await new.message())["method"], "notifications/tools/list_changed")
        await new.silent()


async def test_where_no_stream_is_held_get_is_405():
    async with Robot().served() as served:
        _, session = await served.legacy()
        for wanted, options in (
            (400, {}),
            (404, {"session": "nobody"}),
            (406, {"session": session, "Accept": "application/json"}),
            (405, {"session": session, "MCP_Protocol_Version": "2026-07-28"}),
            (401, {"session": session, "token": None}),
        ):
            eq((options, (await served.begin("GET", **options)).status), (options, wanted))
        for _ in range(2):
            eq((await served.begin("GET", session=(await served.legacy())[1])).status, 200)
        full = await served.begin("GET", session=session)
        eq((full.status, full.headers["allow"]), (405, "POST"))
    async with Robot().served(streams=0) as served:
        _, session = await served.legacy()
        for token in (None, "x", served.options["token"]):
            reply = await served.begin("GET", session=session, token=token)
            eq((reply.status, reply.headers["allow"]), (405, "POST, DELETE"))


async def test_what_was_lost_is_sent_again_to_who_comes_back():
    robot = Robot()
    async with robot.served() as served:
        _, session = await served.legacy()
        params = dict(call("walk", steps=2), _meta={"progressToken": 1})
        lost = await served.begin(body=request("tools/call", params), session=session)
        first = await lost.message()
        eq((first["params"]["progress"], lost.retry, len(lost.ids)), (1, "1000", 2))
        await lost.close()
        back = await served.begin("GET", session=session, Last_Event_ID=lost.ids[-1])
        robot.go.set()
        messages = await back.messages()
        eq(messages[-1]["result"]["content"][0]["text"], "walked")
        eq([m["params"]["progress"] for m in messages if m.get("method") == "notifications/progress"], [2])
        # Nobody else gets it.
        _, other = await served.legacy()
        theirs = await served.begin("GET", session=other, Last_Event_ID=lost.ids[-1])
        eq(theirs.status, 200)
        await theirs.silent()


async def test_listening_says_what_is_honoured_and_tags_what_it_tells():
    async with Robot().served() as served:
        wanted = {"notifications": {"toolsListChanged": True, "resourceSubscriptions": ["robot://log"]}}
        streams = []
        for id in ("listen:0", 7):
            reply = await served.modern(modern("subscriptions/listen", wanted, id=id))
            tag = {META + "subscriptionId": id}
            first = await reply.message()
            eq(first["method"], "notifications/subscriptions/acknowledged")
            eq(first["params"], {"_meta": tag, "notifications": wanted["notifications"]})
            streams.append((reply, tag))
        # Others are served meanwhile, and one more stream is not.
        eq("tools" in await served.result(modern("tools/list")), True)
        eq((await served.modern(modern("subscriptions/listen", {"notifications": EVERYTHING}))).status, 503)
        served.server.publish("robot://log")
        served.server.publish("robot://other")
        served.server.add_prompt(Prompt("new", "", lambda values: ""))
        served.server.remove_tool("look")
        for reply, tag in streams:
            told = [await reply.message(), await reply.message()]
            eq(sorted(methods(told)), ["notifications/resources/updated", "notifications/tools/list_changed"])
            eq([note["params"]["_meta"] for note in told], [tag, tag])
            await reply.silent()


async def test_a_silent_stream_shows_that_it_is_alive():
    robot = Robot()
    async with robot.served(limits=Limits(comment_ms=30)) as served:
        reply = await served.modern(modern("subscriptions/listen", {"notifications": EVERYTHING}))
        await reply.message()
        for _ in range(2):
            eq(await asyncio.wait_for_ms(reply._chunk(), 2000), b":\n\n")


async def test_who_leaves_in_the_middle_of_a_stream_keeps_no_place():
    for version, cancelled in (("2025-06-18", 0), ("2025-11-25", 0), (None, 2)):
        robot = Robot()
        async with robot.served() as served:
            params = dict(call("walk", steps=1), _meta={"progressToken": 1})
            for _ in range(2):
                if version:
                    _, session = await served.legacy(version)
                    reply = await served.begin(body=request("tools/call", params), session=session)
                else:
                    reply = await served.modern(modern("tools/call", call("walk", steps=1), progressToken=1))
                eq((await reply.message())["params"]["progress"], 1)
                await reply.close()
            await until(lambda http=served.server._http: not http.connections)
            await until(lambda robot=robot, wanted=cancelled: len(robot.ended) == wanted)
            # Of the older versions the work goes on, and may end.
            robot.go.set()
            await until(lambda robot=robot: len(robot.ended) == 2)
            eq(robot.ended, ["cancelled"] * 2 if cancelled else ["done"] * 2)


async def test_a_stream_that_its_client_left_makes_room_for_another():
    async with Robot().served() as served:
        for _ in range(5):
            reply = await served.modern(modern("subscriptions/listen", {"notifications": EVERYTHING}))
            eq((reply.status, (await reply.message())["method"][-12:]), (200, "acknowledged"))
            _, session = await served.legacy()
            held = await served.begin("GET", session=session)
            eq(held.status, 200)
            await reply.close()
            await held.close()
            await until(lambda http=served.server._http: not http.connections + http.abandoned)


async def listening(served):
    reply = await served.modern(modern("subscriptions/listen", {"notifications": EVERYTHING}, id="l"))
    eq((await reply.message())["method"], "notifications/subscriptions/acknowledged")
    return reply


async def test_a_server_that_closes_ends_its_streams_in_order():
    async with Robot().served() as served:
        _, session = await served.legacy()
        plain = await served.begin("GET", session=session)
        reply = await listening(served)
        await served.server.close()
        last = await reply.messages()
        eq([(one["id"], one["result"]["_meta"]) for one in last], [("l", {META + "subscriptionId": "l"})])
        eq(await plain.messages(), [])


async def test_a_session_that_is_ended_takes_its_stream_along():
    async with Robot().served() as served:
        _, session = await served.legacy()
        _, other = await served.legacy()
        await served.answer(session, "resources/subscribe", {"uri": "robot://log"})
        plain = await served.begin("GET", session=session)
        kept = await served.begin("GET", session=other)
        eq((await served.begin("DELETE", session=session)).status, 200)
        eq(await plain.messages(), [])
        served.server.remove_tool("look")
        eq((await kept.message())["method"], "notifications/tools/list_changed")


async def test_a_new_token_ends_the_streams_of_the_old_one():
    async with Robot().served() as served:
        _, session = await served.legacy()
        plain = await served.begin("GET", session=session)
        reply = await listening(served)
        served.server.set_token("another-long-token")
        eq((methods(await reply.messages()), await plain.messages()), (["answer"], []))


async def test_streams_leave_places_for_requests():
    for streams, limits in ((3, None), (1, Limits(connections=2)), (2, Limits(connections=3))):
        raises(ValueError, Robot().served, streams=streams, limits=limits)
    async with Robot().served(streams=3, limits=Limits(connections=5)) as served:
        for _ in range(3):
            await listening(served)
        eq((await served.modern(modern("tools/list"))).status, 200)
