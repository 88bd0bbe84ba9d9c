"""Questions to a client of the modern era: round trips with a sealed state (MCP 2026-07-28)."""

from modernity import Runtime, ask, peer_of
from serving import make
from talking import ACCEPT, ALL, NAME, SCHEMA, asked, call, server, text

from harness import eq
from umcp.tool import Tool
from umcp.types import Array, Integer, Object, String


async def test_a_question_comes_back_as_input_required_and_the_answer_with_the_next_request():
    made = server()
    requests, state = await asked(made, call("greet", None, ALL))
    question = {"message": "Your name?", "requestedSchema": SCHEMA}
    eq(requests, {"answer": {"method": "elicitation/create", "params": question}})
    more = {"inputResponses": {"answer": ACCEPT}, "requestState": state}
    eq(text(await ask(made, call("greet", None, ALL, more))), "Hello, Ada!")
    for action in ("decline", "cancel"):
        more["inputResponses"] = {"answer": {"action": action}}
        eq(text(await ask(made, call("greet", None, ALL, more))), action)
    # Nothing is kept for it: without a state the answers are as good.
    eq(text(await ask(made, call("greet", None, ALL, {"inputResponses": {"answer": ACCEPT}}))), "Hello, Ada!")


async def test_what_is_missing_or_does_not_fit_is_asked_again():
    made = server()
    for responses in (
        {},
        {"other": ACCEPT},
        {"answer": None},
        {"answer": 1},
        {"answer": {}},
        {"answer": {"action": "shrug"}},
        {"answer": {"action": "accept"}},
        {"answer": {"action": "accept", "content": {}}},
        {"answer": {"action": "accept", "content": {"name": 5}}},
        {"answer": {"action": "accept", "content": {"name": "x" * 21}}},
        [],
        "x",
    ):
        requests, _ = await asked(made, call("greet", None, ALL, {"inputResponses": responses}))
        eq(set(requests), {"answer"})


async def test_several_questions_at_once_and_what_is_more_is_ignored():
    made = server()
    requests, state = await asked(made, call("both", None, ALL))
    eq(set(requests), {"who", "where"})
    # Half of the answers: the other half is asked for, and the first need not be said again.
    more = {"inputResponses": {"who": ACCEPT, "stranger": {"x": 1}}, "requestState": state}
    requests, state = await asked(made, call("both", None, ALL, more))
    eq(set(requests), {"where"})
    more = {"inputResponses": {"where": {"roots": [{"uri": "file:///a"}]}}, "requestState": state}
    eq(text(await ask(made, call("both", None, ALL, more))), "Ada at file:///a")


async def test_many_rounds_keep_the_answers_in_the_state():
    made = server()
    state = None
    for i in range(4):
        more = {}
        if state:
            name = "N%d" % (i - 1)
            answer = {"action": "accept", "content": {"name": name}}
            more = {"inputResponses": {"step%d" % (i - 1): answer}, "requestState": state}
        requests, state = await asked(made, call("rounds", {"n": 4}, ALL, more))
        eq(set(requests), {"step%d" % i})
    more = {"inputResponses": {"step3": ACCEPT}, "requestState": state}
    eq(text(await ask(made, call("rounds", {"n": 4}, ALL, more))), "N0+N1+N2+Ada")


async def refusal(made, message, peer=None):
    status, body = await ask(made, message, peer)
    return status, body["error"]["code"]


async def test_a_state_holds_against_tampering_and_for_its_own_request_only():
    made = server()
    _, state = await asked(made, call("rounds", {"n": 2}, ALL))
    answer = {"step0": ACCEPT}
    for bad in (
        state[:-4] + "AAA=",
        "A" + state[1:],
        state[:20],
        state + "AAAA",
        "",
        "!",
        5,
        {},
        [],
        "A" * 5000,
    ):
        if bad == state:
            continue
        more = {"inputResponses": answer, "requestState": bad}
        eq(await refusal(made, call("rounds", {"n": 2}, ALL, more)), (200, -32602))
    more = {"inputResponses": answer, "requestState": state}
    eq(await refusal(made, call("rounds", {"n": 3}, ALL, more)), (200, -32602))
    eq(await refusal(made, call("greet", None, ALL, more)), (200, -32602))
    message = call("rounds", {"n": 2}, ALL, more)
    peer = peer_of(message)
    peer.principal = b"another"
    eq(await refusal(made, message, peer), (200, -32602))
    # A handler that asks nothing refuses it all the same.
    eq(await refusal(made, call("work", None, ALL, more)), (200, -32602))
    # Another server's key.
    eq(await refusal(server(), call("rounds", {"n": 2}, ALL, more)), (200, -32602))
    requests, _ = await asked(made, call("rounds", {"n": 2}, ALL, more))
    eq(set(requests), {"step1"})


async def test_a_state_does_not_depend_on_the_order_of_arguments():
    async def pair(context, a, b):
        return (await context.elicit("?", NAME))["content"]["name"]

    made = make([Tool("pair", "", Object((("a", Integer()), ("b", Array(String())))), pair, context=True)],
                runtime=Runtime())  # fmt: skip
    _, state = await asked(made, call("pair", {"a": 1, "b": ["x"]}, ALL))
    more = {"inputResponses": {"answer": ACCEPT}, "requestState": state}
    eq(text(await ask(made, call("pair", {"b": ["x"], "a": 1}, ALL, more))), "Ada")
    eq(await refusal(made, call("pair", {"a": 1, "b": ["y"]}, ALL, more)), (200, -32602))


async def test_a_key_is_made_once():
    keys = [b"k" * 32, b"l" * 32]
    for options in ({}, {"secret": keys.pop}):
        made = server(**options)
        _, state = await asked(made, call("greet", None, ALL))
        more = {"inputResponses": {"answer": ACCEPT}, "requestState": state}
        eq(text(await ask(made, call("greet", None, ALL, more))), "Hello, Ada!")
    eq(len(keys), 1)


async def test_a_state_expires_and_survives_a_restart():
    runtime = Runtime()
    made = server(runtime=runtime, secret=lambda: b"k" * 32)
    _, state = await asked(made, call("greet", None, ALL))
    more = {"inputResponses": {"answer": ACCEPT}, "requestState": state}
    again = server(runtime=runtime, secret=lambda: b"k" * 32)
    eq(text(await ask(again, call("greet", None, ALL, more))), "Hello, Ada!")
    for now_s in (1000 + 601, 999):  # Too late; and the clock was set back.
        runtime.now_s = now_s
        eq(await refusal(made, call("greet", None, ALL, more)), (200, -32602))
    runtime.now_s = 1000 + 600
    eq(text(await ask(made, call("greet", None, ALL, more))), "Hello, Ada!")


async def test_answers_past_the_size_of_a_state_are_refused():
    made = make(
        [Tool("rounds", "", Object((("n", Integer()),)), long_rounds, context=True)], runtime=Runtime()
    )
    answer = {"action": "accept", "content": {"name": "x" * 4000}}
    message = call("rounds", {"n": 2}, ALL, {"inputResponses": {"step0": answer}})
    result = (await ask(made, message))[1]["result"]
    assert result["isError"] and result["content"][0]["text"].startswith("answers_too_large: "), result


async def long_rounds(context, n):
    for i in range(n):
        await context.elicit("?", {"type": "object"}, key="step%d" % i)


async def test_a_client_that_did_not_declare_it_is_not_asked():
    made = server()
    status, body = await ask(made, call("greet", None, {"sampling": {}}))
    eq((status, body["error"]["code"]), (400, -32021))
    eq(body["error"]["data"], {"requiredCapabilities": {"elicitation": {}}})
    # Forms are what we ask for; {} means them, too.
    eq((await ask(made, call("greet", None, {"elicitation": {"url": {}}})))[0], 400)
    await asked(made, call("greet", None, {"elicitation": {"form": {}}}))
    # Of several, not one is asked for.
    eq((await ask(made, call("both", None, {"elicitation": {}})))[0], 400)
    # A handler may go on without.
    eq(text(await ask(made, call("careful", None, {}))), "went on without sampling")
    eq(text(await ask(made, call("can", None, {"elicitation": {}, "roots": {}}))), "[True, False, True]")


async def test_a_handler_that_catches_all_exceptions_does_not_catch_a_question():
    async def greedy(context):
        try:
            return (await context.elicit("?", NAME))["action"]
        except Exception:
            return "caught"

    made = make([Tool("greedy", "", None, greedy, context=True)], runtime=Runtime())
    await asked(made, call("greedy", None, ALL))
