"""Both eras over a real socket: versions, header fields, questions, refusals, and what hanging up means."""

import asyncio

from serving import Preferences
from streaming import EVERYTHING, Robot, call, fields_of, modern, request, until

from harness import eq
from umcp.prompts import Argument, Prompt

CANCELLED = "notifications/cancelled"


async def test_every_legacy_version_is_served_over_streamable_http():
    # 2024-11-05 too, whose own transport was another.
    async with Robot().served() as served:
        for version, audios, links in (
            ("2024-11-05", False, False),
            ("2025-03-26", True, False),
            ("2025-06-18", True, True),
            ("2025-11-25", True, True),
        ):
            opened, session = await served.legacy(version)
            eq(opened["protocolVersion"], version)
            result = (await served.answer(session, "tools/call", call("look")))["result"]
            eq(
                [block["type"] for block in result["content"]],
                ["audio" if audios else "text", "resource_link" if links else "text"],
            )
            state, _, body = await served.ask(body=[request("ping")], session=session)
            batch = version == "2025-03-26"
            eq((state, type(body)), (200, list) if batch else (400, dict))


async def test_the_modern_era_checks_its_header_fields():
    async with Robot().served() as served:
        message = modern("tools/call", call("look"))
        for fields in (
            {"Mcp_Method": None},
            {"Mcp_Method": "tools/list"},
            {"Mcp_Method": "Tools/Call"},
            {"Mcp_Name": None},
            {"Mcp_Name": "walk"},
            {"MCP_Protocol_Version": None},
            {"MCP_Protocol_Version": "2025-11-25"},
        ):
            reply = await served.modern(message, **fields)
            eq(
                (fields, reply.status, reply.body["error"]["code"], reply.body["id"]),
                (fields, 400, -32020, 1),
            )
        eq((await served.modern(message)).status, 200)


async def test_a_hang_up_cancels_in_the_modern_era_and_frees_its_place():
    robot = Robot()
    message = modern("tools/call", call("rest"))
    async with robot.served() as served:
        # More than there are places.
        for i in range(6):
            reply = await served.write(body=message, **fields_of(message))
            await until(lambda wanted=i + 1: robot.started == wanted)
            await reply.close()
        await until(lambda: len(robot.ended) == 6)
        eq(robot.ended, ["cancelled"] * 6)
        eq((await served.result(modern("tools/call", call("look"))))["resultType"], "complete")


async def test_a_hang_up_cancels_nothing_in_the_legacy_era_and_a_notification_does():
    robot = Robot()
    async with robot.served() as served:
        _, session = await served.legacy()
        reply = await served.write(body=request("tools/call", call("rest")), session=session)
        await until(lambda: robot.started)
        await reply.close()
        await asyncio.sleep_ms(60)
        eq(robot.ended, [])
        robot.go.set()
        await until(lambda: robot.ended)
        eq(robot.ended, ["done"])
        robot.go.clear()
        reply = await served.write(body=request("tools/call", call("rest"), "b"), session=session)
        await until(lambda: robot.started == 2)
        _, other = await served.legacy()
        for whose in (other, session):
            note = {"jsonrpc": "2.0", "method": CANCELLED, "params": {"requestId": "b"}}
            eq((await served.ask(body=note, session=whose))[0], 202)
            await asyncio.sleep_ms(20)
            eq(robot.ended, ["done"] if whose == other else ["done", "cancelled"])
        await reply.read_head()
        eq((reply.streams, await reply.messages()), (True, []))  # There is no answer to a cancelled request.


async def test_one_handler_asks_in_both_eras():
    async with Robot().served() as served:
        _, session = await served.legacy(elicitation={})
        reply = await served.begin(body=request("tools/call", call("greet")), session=session)
        question = await reply.message()
        eq((question["method"], question["params"]["message"]), ("elicitation/create", "Your name?"))
        given = {"action": "accept", "content": {"name": "Ann"}}
        answer = {"jsonrpc": "2.0", "id": question["id"], "result": given}
        _, other = await served.legacy(elicitation={})
        for whose in (other, session):
            state, headers, _ = await served.ask(body=answer, session=whose)
            eq((state, headers["content-length"]), (202, "0"))
        eq((await reply.message())["result"]["content"][0]["text"], "Hello, Ann!")

        asked = {"elicitation": {}}
        result = await served.result(modern("tools/call", call("greet"), asked))
        eq((result["resultType"], list(result["inputRequests"])), ("input_required", ["answer"]))
        more = dict(call("greet"), requestState=result["requestState"], inputResponses={"answer": given})
        again = modern("tools/call", more, asked, id=2)
        eq((await served.result(again))["content"][0]["text"], "Hello, Ann!")
        # The state is for this call, and as it was given.
        for name, state in (("part", result["requestState"]), ("greet", result["requestState"][:-2] + "AA")):
            message = modern("tools/call", dict(more, name=name, requestState=state), asked)
            eq((await served.modern(message)).body["error"]["code"], -32602)


async def test_who_did_not_say_that_it_can_be_asked_is_not():
    async with Robot().served() as served:
        _, session = await served.legacy()
        result = (await served.answer(session, "tools/call", call("greet")))["result"]
        eq((result["isError"], result["content"][0]["text"][:11]), (True, "cannot_ask:"))
        for capabilities in ({}, {"sampling": {}}):
            reply = await served.modern(modern("tools/call", call("greet"), capabilities))
            eq((reply.status, reply.body["error"]["code"]), (400, -32021))
            eq(reply.body["error"]["data"], {"requiredCapabilities": {"elicitation": {}}})


async def test_pages_and_cursors_in_both_eras():
    async with Robot().served(max_result=620) as served:
        _, session = await served.legacy()
        found = []
        for ask in (
            lambda params: served.answer(session, "tools/list", params),
            lambda params: served.modern(modern("tools/list", params)),
        ):
            names, scopes, cursor = [], [], None
            while cursor or not names:
                reply = await ask({"cursor": cursor} if cursor else {})
                result = (reply if type(reply) is dict else reply.body)["result"]
                names += [tool["name"] for tool in result["tools"]]
                scopes.append((result.get("ttlMs"), result.get("cacheScope")))
                cursor = result.get("nextCursor")
            assert len(scopes) > 2 and len(set(scopes)) == 1, scopes
            found.append(names)
        eq(found[0], found[1])
        eq(len(found[0]), 7)
        eq((await served.answer(session, "tools/list", {"cursor": "x"}))["error"]["code"], -32602)
        eq((await served.modern(modern("tools/list", {"cursor": "x"}))).body["error"]["code"], -32602)


async def test_an_unknown_resource_has_the_code_of_its_era():
    async with Robot().served() as served:
        _, session = await served.legacy()
        params = {"uri": "robot://none"}
        e = (await served.answer(session, "resources/read", params))["error"]
        eq((e["code"], e["data"]), (-32002, params))
        reply = await served.modern(modern("resources/read", params))
        eq((reply.status, reply.body["error"]["code"], reply.body["error"]["data"]), (200, -32602, params))


async def test_a_completion_has_at_most_a_hundred_values():
    async with Robot().served() as served:
        many = Argument("n", complete=lambda value, others: ["%s%d" % (value, i) for i in range(150)])
        served.server.add_prompt(Prompt("count", "", lambda values: "", (many,)))
        params = {"ref": {"type": "ref/prompt", "name": "count"}, "argument": {"name": "n", "value": "v"}}
        found = (await served.result(modern("completion/complete", params)))["completion"]
        eq(
            (found["values"][0], len(found["values"]), found["total"], found["hasMore"]),
            ("v0", 100, 150, True),
        )


async def test_without_the_token_nothing_is_said_in_either_era():
    async with Robot().served() as served:
        _, session = await served.legacy()
        listen = modern("subscriptions/listen", {"notifications": EVERYTHING})
        for method, body, fields in (
            ("POST", request("initialize", {"protocolVersion": "2025-11-25"}), {}),
            ("POST", request("tools/list"), {"session": session}),
            ("POST", modern("server/discover"), fields_of(modern("server/discover"))),
            ("POST", listen, fields_of(listen)),
            ("GET", None, {"session": session}),
            ("DELETE", None, {"session": session}),
        ):
            for token in (None, "wrong", ""):
                reply = await served.begin(method, body=body, token=token, **fields)
                eq((method, reply.status, reply.body), (method, 401, {"error": "invalid_token"}))
                eq(reply.headers["www-authenticate"], 'Bearer realm="tsumiki", error="invalid_token"')


async def test_a_question_of_before_a_restart_is_answered_after_it():
    preferences = Preferences()
    asked = {"elicitation": {}}
    async with Robot().served(preferences=preferences) as served:
        result = await served.result(modern("tools/call", call("greet"), asked))
    given = {"answer": {"action": "accept", "content": {"name": "Ann"}}}
    message = modern(
        "tools/call", dict(call("greet"), requestState=result["requestState"], inputResponses=given), asked
    )
    async with Robot().served(preferences=preferences) as served:
        eq((await served.result(message))["content"][0]["text"], "Hello, Ann!")
    async with Robot().served() as served:
        eq((await served.modern(message)).body["error"]["code"], -32602)
