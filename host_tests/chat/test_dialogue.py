"""The dialogue: turns, tools, what is refused, what is endless, what is cancelled, and what goes wrong."""

import asyncio

from scripted_model import DIALECTS, OpenAIChat, ScriptedModel, answer, cut, fails
from talking import Model, Talk, Tool

from chat.dialogue import CALLING, IDLE, REFUSED, THINKING, Dialogue
from chat.errors import ModelError
from chat.model import Model as HTTPModel
from harness import eq
from umcp.client_errors import Disconnected, RpcError, ToolFailed
from umcp.errors import ToolError


def failed(text):
    """What a client raises for a result with isError."""
    return ToolFailed({}, text)


async def test_a_plain_answer():
    talk = Talk("Hi!")
    reply = await talk.post("Hello")
    eq((reply.ok, reply.text, reply.reason, reply.calls, reply.refusals), (True, "Hi!", None, 0, []))
    eq(talk.model.asked, [("Be brief.", [("user", "Hello")], [])])
    eq(talk.told, [(THINKING, ""), (IDLE, "")])
    eq(talk.model.closed, 1)


async def test_several_calls_and_rounds_in_one_turn():
    say, look = Tool("say"), Tool("look", "at you")
    talk = Talk([("say", '{"text":"a"}'), ("look", "")], [("look", '{"x":1}')], "Done.", tools=(say, look))
    reply = await talk.post()
    eq((reply.ok, reply.text, reply.calls), (True, "Done.", 3))
    eq((say.calls, look.calls), ([{"text": "a"}], [{}, {"x": 1}]))
    last = talk.model.asked[-1][1]
    eq(
        last[1:4],
        [
            ("assistant", "", [("id0", "say", '{"text":"a"}'), ("id1", "look", "{}")]),
            ("tool", "id0", "done", False),
            ("tool", "id1", "at you", False),
        ],
    )
    eq(
        [one for one in talk.told if one[0] == CALLING],
        [(CALLING, "say"), (CALLING, "look"), (CALLING, "look")],
    )


async def test_what_was_said_is_remembered_and_no_more_than_that():
    talk = Talk([("say", "{}")], "one", "two", tools=(Tool("say"),))
    await talk.post("first")
    await talk.post("second")
    eq(talk.model.asked[-1][1], [("user", "first"), ("assistant", "one", ()), ("user", "second")])
    eq(
        talk.dialogue.history,
        [("user", "first"), ("assistant", "one"), ("user", "second"), ("assistant", "two")],
    )
    talk.dialogue.history.append("a copy")
    talk.dialogue.clear()
    eq(talk.dialogue.history, [])


async def test_the_history_is_bounded():
    talk = Talk("a" * 500)
    for i in range(20):
        eq((await talk.post("say %d" % i)).ok, True)
        assert len(talk.dialogue.history) <= 12
    eq(talk.dialogue.history[0], ("user", "say 14"))
    talk = Talk("b" * 4000)
    for _ in range(5):
        eq((await talk.post("x" * 1900)).ok, True)
        assert sum([len(text) for _, text in talk.dialogue.history]) <= 6000
    eq([role for role, _ in talk.dialogue.history], ["user", "assistant"])
    talk = Talk("b" * 8000)
    eq(len((await talk.post("x" * 2000)).text), 8000)
    eq(len(talk.dialogue.history[1][1]), 4000)


async def test_a_failed_turn_leaves_nothing():
    talk = Talk(ModelError("busy", "later"), "Hi")
    reply = await talk.post("one")
    eq((reply.ok, reply.reason, reply.detail), (False, "busy", "busy: later"))
    eq(talk.dialogue.history, [])
    eq((await talk.post("two")).text, "Hi")
    eq(talk.model.asked[-1][1], [("user", "two")])


async def test_what_cannot_be_said():
    talk = Talk("Hi")
    for text in ("", "x" * 2001):
        eq((await talk.post(text)).reason, "too_long")
    eq(talk.model.asked, [])
    eq((await Talk("").post()).reason, "empty")


async def test_bad_arguments_go_back_once():
    def once(arguments):
        return "moved" if arguments.get("yaw") == 20 else failed("invalid_arguments: /yaw: is not there")

    move = Tool("move", once)
    talk = Talk([("move", '{"jaw":20}')], [("move", '{"yaw":20}')], "Moved.", tools=(move,))
    reply = await talk.post()
    eq((reply.ok, reply.refusals, move.calls), (True, [], [{"jaw": 20}, {"yaw": 20}]))
    eq(talk.model.results(), ["invalid_arguments: /yaw: is not there", "moved"])
    eq([one[3] for one in talk.model.asked[-1][1] if one[0] == "tool"], [True, False])


async def test_bad_arguments_twice_end_the_tools_use_for_the_turn():
    for says in (failed("invalid_arguments: /yaw: no"), "invalid_arguments: /yaw: no"):
        move, say = Tool("move", says), Tool("say")
        bad = [("move", "{}")]
        talk = Talk(bad, bad, bad, [("say", "{}")], "I cannot move.", tools=(move, say))
        reply = await talk.post()
        eq((reply.ok, reply.text), (True, "I cannot move."))
        eq(reply.refusals, [("move", "invalid_arguments: /yaw: no")])
        eq(len(move.calls), 2)
        eq(talk.model.results()[2:], ["move is not to be used again in this turn", "done"])
        eq([names for _, _, names in talk.model.asked], [["move", "say"]] * 2 + [["say"]] * 3)
        assert (REFUSED, "invalid_arguments: /yaw: no") in talk.told
        # In the next turn it may be used again.
        await talk.post()
        eq(talk.model.asked[-1][2], ["move", "say"])


async def test_arguments_that_are_no_object():
    for raw in ("{oops", "[1]", "3", '"x"', '{"a":1}{"b":2}', '{"yaw":10 20}'):
        move = Tool("move")
        talk = Talk([("move", raw)], [("move", raw)], "No.", tools=(move,))
        reply = await talk.post()
        eq((reply.ok, move.calls), (True, []))
        eq(reply.refusals, [("move", "invalid_arguments: /: not a JSON object")])
        # What no provider could read does not go back to it.
        eq(talk.model.asked[-1][1][1], ("assistant", "", [("id0", "move", "{}")]))


async def test_a_refusal_ends_the_tools_use_at_once():
    for says in (failed("servo_off: turn the torque on"), ToolError("servo_off", "turn the torque on")):
        move = Tool("move", says)
        talk = Talk([("move", "{}"), ("move", "{}")], "It is off.", tools=(move, Tool("say")))
        reply = await talk.post()
        eq((reply.ok, reply.refusals), (True, [("move", "servo_off: turn the torque on")]))
        eq(len(move.calls), 1)
        eq(talk.model.results()[1], "move is not to be used again in this turn")


async def test_a_failure_in_a_tools_own_words_ends_nothing():
    tries = []

    def later(arguments):
        tries.append(1)
        return "found" if len(tries) > 2 else failed("Tool execution failed: no luck")

    talk = Talk([("find", "{}")], [("find", "{}")], [("find", "{}")], "Found.", tools=(Tool("find", later),))
    reply = await talk.post()
    eq((reply.ok, reply.refusals, len(tries)), (True, [], 3))
    eq(talk.model.results(), ["Tool execution failed: no luck"] * 2 + ["found"])


async def test_servers_that_fail():
    lost = Tool("lost", Disconnected("before the reply"))
    odd = Tool("odd", RpcError("Tool call failed", -32602, "bad arguments"))
    broken = Tool("broken", RpcError("Tool call failed", -32603, "oops"))
    bug = Tool("bug", ValueError("a bug"))
    calls = [(tool.name, "{}") for tool in (lost, odd, broken, bug)]
    talk = Talk(calls, "Sorry.", tools=(lost, odd, broken, bug))
    reply = await talk.post()
    eq(reply.ok, True)
    eq(
        talk.model.results(),
        [
            "unreachable: Disconnected: before the reply",
            "invalid_arguments: Tool call failed: bad arguments",
            "the tool failed: Tool call failed: oops",
            "the tool failed: a bug",
        ],
    )
    eq([name for name, _ in reply.refusals], ["lost"])
    eq([line[0] for line in talk.logged], ["error"])


async def test_names_that_do_not_exist():
    say = Tool("say")
    talk = Talk([("fly", "{}"), ("x" * 200, "{}"), ("", "{}")], "I cannot.", tools=(say,))
    reply = await talk.post()
    eq((reply.ok, say.calls), (True, []))
    eq(talk.model.results(), ["no such tool: fly", "no such tool: " + "x" * 64, "no such tool: "])


async def test_what_is_endless_ends():
    say = Tool("say")
    reply = await Talk([("say", "{}")], tools=(say,)).post()
    eq((reply.ok, reply.reason, reply.calls, len(say.calls)), (False, "too_many_calls", 8, 8))
    say = Tool("say")
    talk = Talk([("say", "{}")] * 7, tools=(say,))
    reply = await talk.post()
    eq((reply.reason, len(say.calls), len(talk.model.asked)), ("too_many_calls", 16, 3))
    say = Tool("say", "x" * 100000)
    talk = Talk([("say", "{}")], tools=(say,))
    reply = await talk.post()
    eq((reply.reason, len(say.calls)), ("too_long", 4))
    assert max([len(text) for text in talk.model.results()]) < 4100


async def test_with_all_tools_refused_all_are_told():
    talk = Talk([("say", "{}")], "No.", tools=(Tool("say", failed("quiet_hours: no")),))
    eq((await talk.post()).ok, True)
    eq(talk.model.asked[-1][2], ["say"])


async def test_one_turn_at_a_time():
    async def slow(messages):
        await asyncio.sleep_ms(100)
        return "Hi"

    talk = Talk(slow)
    task = asyncio.create_task(talk.post("one"))
    await asyncio.sleep_ms(10)
    eq(talk.dialogue.busy, True)
    eq((await talk.post("two")).reason, "busy")
    eq((await task).text, "Hi")
    eq((talk.dialogue.busy, talk.dialogue.cancel()), (False, False))


async def test_cancel_while_the_model_thinks():
    async def slow(messages):
        await asyncio.sleep_ms(5000)

    talk = Talk(slow, "Hi")
    task = asyncio.create_task(talk.post())
    await asyncio.sleep_ms(10)
    eq(talk.dialogue.cancel(), True)
    reply = await task
    eq((reply.ok, reply.reason), (False, "cancelled"))
    eq(talk.told[-1], (IDLE, ""))
    eq((await talk.post()).text, "Hi")


async def test_cancel_while_a_tool_works():
    over = []

    async def work(arguments):
        try:
            await asyncio.sleep_ms(5000)
        finally:
            over.append(1)

    talk = Talk([("say", "{}")], "Hi", tools=(Tool("say", work),))
    task = asyncio.create_task(talk.post())
    await asyncio.sleep_ms(10)
    talk.dialogue.cancel()
    reply = await task
    eq((reply.reason, reply.calls, over), ("cancelled", 1, [1]))


async def test_a_tool_may_end_the_turn():
    talk = Talk([("stop", "{}"), ("say", "{}")], "Hi", tools=(Tool("say"),))
    stop = Tool("stop", lambda arguments: str(talk.dialogue.cancel()))
    talk.dialogue.tools["stop"] = stop
    reply = await talk.post()
    eq((reply.reason, reply.calls), ("cancelled", 1))


async def test_whoever_cancels_the_task_gets_what_they_asked_for():
    async def slow(messages):
        await asyncio.sleep_ms(5000)

    talk = Talk(slow, "Hi")
    task = asyncio.create_task(talk.post())
    await asyncio.sleep_ms(10)
    task.cancel()
    try:
        await task
        raise AssertionError("not cancelled")
    except asyncio.CancelledError:
        pass
    eq((talk.dialogue.busy, (await talk.post()).text), (False, "Hi"))


async def test_nothing_is_raised_whatever_fails():
    reply = await Talk(ValueError("a bug")).post()
    eq((reply.reason, reply.detail), ("failed", "a bug"))

    def watch(state, detail):
        raise ValueError("a broken face")

    model = Model("Hi")
    reply = await Dialogue(model, {}, watch=watch).post("Hello")
    eq((reply.ok, reply.reason), (False, "failed"))

    class Broken:
        def decided(self, *args):
            raise OSError(28)

        over = decided

    talk = Talk([("say", "{}")], "Hi", tools=(Tool("say"),), recorder=Broken())
    eq((await talk.post()).reason, "failed")


async def test_tools_may_change_between_turns():
    talk = Talk([("say", "{}")], "Hi", tools=(Tool("say"),))

    def gone(messages):
        talk.dialogue.tools = {}
        return [("say", "{}")]

    talk.model.script.insert(0, gone)
    reply = await talk.post()  # A turn goes on with those that it began with.
    eq((reply.ok, reply.calls), (True, 2))
    await talk.post()
    eq(talk.model.asked[-1][2], [])


####################################################################################################
# Over HTTP, in each provider's dialect


def over_http(server, tools, **options):
    model = HTTPModel(server.dialect.provider, "m", server.url, "key", **options)
    return Dialogue(model, {tool.name: tool for tool in tools}, "Be brief.")


async def test_each_provider_calls_tools_and_hears_of_them():
    for dialect in DIALECTS:
        move = Tool("move", lambda arguments: failed("invalid_arguments: /yaw: is not there"))
        look = Tool("look", "at you")
        script = [
            answer("Let me see.", ("move", {"jaw": 1}), ("look", {}), ("fly", {"x": 1})),
            answer("", ("move", {})),
            answer("I cannot move."),
        ]
        async with ScriptedModel(script, dialect) as server:
            dialogue = over_http(server, (move, look))
            reply = await dialogue.post("Move!")
            eq((reply.ok, reply.text, reply.calls), (True, "I cannot move.", 4))
            eq(reply.refusals, [("move", "invalid_arguments: /yaw: is not there")])
            eq((move.calls, look.calls), ([{"jaw": 1}, {}], [{}]))
            first = server.results(1)
            eq(first["c1"], "at you")
            eq(first["c2"], "no such tool: fly")
            eq(server.offered(2), ["look"])
            eq(server.connections, 1)
            eq((await dialogue.post("Again?")).text, "I cannot move.")
            eq(server.connections, 2)  # None was kept meanwhile.


async def test_broken_streams_end_a_turn_and_not_the_dialogue():
    for dialect in DIALECTS:
        script = [cut(2), cut(2, pause_ms=2000), fails(b"503 Busy"), answer("Hi")]
        async with ScriptedModel(script, dialect) as server:
            dialogue = over_http(server, (), idle_ms=150)
            for reason in ("broken", "timeout", "busy", None):
                eq((await dialogue.post("Hello")).reason, reason)


async def test_a_turn_is_cancelled_inside_a_slow_stream():
    async with ScriptedModel([cut(3, pause_ms=3000), answer("Hi")], OpenAIChat) as server:
        dialogue = over_http(server, ())
        task = asyncio.create_task(dialogue.post("Hello"))
        await asyncio.sleep_ms(200)
        dialogue.cancel()
        eq((await task).reason, "cancelled")
        eq((await dialogue.post("Hello")).text, "Hi")
