"""What a handler tells and asks its client, written once, in either era."""

import asyncio
import json

from modernity import META, Line, Listener, Runtime, ask, modern, peer_of, turns
from serving import Log, Peer, make, post, request

from harness import araises, eq, raises
from umcp.errors import CannotAsk, LocalError, RemoteError, ToolError
from umcp.ram import Ram
from umcp.sealed import Sealed
from umcp.tool import Tool
from umcp.types import Array, Integer, Object, String

NAME = Object((("name", String(max_length=20)),))

SCHEMA = json.loads(json.dumps(NAME.schema()))


async def work(context):
    for done in (0, 50, 50, 20, 100):
        await context.progress(done, 100, "at %d" % done)
    return "worked"


async def chat(context):
    await context.log("debug", "small")
    await context.log("info", {"n": 1}, "robot")
    await context.log("error", "bad")
    return "logged"


async def greet(context):
    answer = await context.elicit("Your name?", NAME)
    if answer["action"] != "accept":
        return answer["action"]
    return "Hello, %s!" % answer["content"]["name"]


async def careful(context):
    try:
        return "model said " + (await context.sample([]))["content"]["text"]
    except CannotAsk as e:
        return "went on without " + e.capability


async def both(context):
    answers = await context.ask({
        "who": ("elicitation/create", {"message": "Who?", "requestedSchema": NAME.schema()}),
        "where": ("roots/list", {}),
    })  # fmt: skip
    return "%s at %s" % (answers["who"]["content"]["name"], answers["where"]["roots"][0]["uri"])


async def rounds(context, n):
    names = []
    for i in range(n):
        names.append((await context.elicit("Name %d?" % i, NAME, key="step%d" % i))["content"]["name"])
    return "+".join(names)


async def three_ways(context):
    return str([context.can(kind) for kind in ("elicitation", "sampling", "roots")])


def talkers():
    return [
        Tool("work", "", None, work, context=True),
        Tool("chat", "", None, chat, context=True),
        Tool("greet", "", None, greet, context=True),
        Tool("careful", "", None, careful, context=True),
        Tool("both", "", None, both, context=True),
        Tool("rounds", "", Object((("n", Integer()),)), rounds, context=True),
        Tool("can", "", None, three_ways, context=True),
    ]


def server(**options):
    options.setdefault("runtime", Runtime())
    return make(talkers(), **options)


def text(reply):
    eq(reply[0], 200)
    return reply[1]["result"]["content"][0]["text"]


def call(name, arguments=None, capabilities=None, more=None, **meta):
    params = {"name": name, "arguments": arguments or {}}
    params.update(more or {})
    return modern("tools/call", params, capabilities, **meta)


def legacy(name, arguments=None, id=1, **meta):
    params = {"name": name, "arguments": arguments or {}}
    if meta:
        params["_meta"] = meta
    return request("tools/call", params, id)


class Session(Listener):
    """A legacy client with a session."""

    def __init__(self, server, capabilities=None, version="2025-11-25"):
        super().__init__(None, version.encode())
        params = {"protocolVersion": version, "capabilities": capabilities or {}}
        _, _, self.session_id = post(server, request("initialize", params), Peer())


ALL = {"elicitation": {}, "sampling": {}, "roots": {}}


async def test_progress_is_told_to_who_gave_a_token_and_only_grows():
    made = server()
    for token in (7, "seven", 0, ""):
        for message in (call("work", progressToken=token), legacy("work", progressToken=token)):
            peer = Listener(None, b"2025-11-25") if "params" not in message else None
            peer = peer_of(message) if META + "protocolVersion" in message["params"]["_meta"] else Listener()
            eq(text(await ask(made, message, peer)), "worked")
            eq([note["method"] for note in peer.sent], ["notifications/progress"] * 3)
            eq([note["params"]["progress"] for note in peer.sent], [0, 50, 100])
            eq([note["params"]["progressToken"] for note in peer.sent], [token] * 3)
            eq(
                peer.sent[1]["params"],
                {"progressToken": token, "progress": 50, "total": 100, "message": "at 50"},
            )
    for message in (call("work"), legacy("work")):
        peer = peer_of(message) if "_meta" in message["params"] else Listener()
        eq(text(await ask(made, message, peer)), "worked")
        eq(peer.sent, [])


async def test_progress_had_no_message_at_first():
    made = server(sessions=Ram())
    peer = Session(made, version="2024-11-05")
    await ask(made, legacy("work", progressToken=1), peer)
    eq([set(note["params"]) for note in peer.sent], [{"progressToken", "progress", "total"}] * 3)


async def test_a_client_that_takes_no_stream_gets_the_answer_alone():
    class Deaf(Listener):
        def can_stream(self):
            return False

    message = call("work", progressToken=1)
    peer = peer_of(message, kind=Deaf)
    eq(text(await ask(server(), message, peer)), "worked")
    eq(peer.sent, [])


async def test_modern_logs_go_to_who_asked_for_their_level():
    for level, wanted in (
        (None, []),
        ("debug", ["debug", "info", "error"]),
        ("info", ["info", "error"]),
        ("critical", []),
    ):
        message = (
            call("chat") if level is None else call("chat", **{"io.modelcontextprotocol/logLevel": level})
        )
        peer = peer_of(message)
        eq(text(await ask(server(), message, peer)), "logged")
        eq([note["params"]["level"] for note in peer.sent], wanted)


async def test_legacy_logs_go_by_the_session_s_level():
    made = server(sessions=Ram())
    one, other = Session(made), Session(made)
    eq((await ask(made, request("logging/setLevel", {"level": "error"}), one))[1]["result"], {})
    await ask(made, legacy("chat"), one)
    await ask(made, legacy("chat"), other)
    eq([note["params"]["level"] for note in one.sent], ["error"])
    eq(other.sent[0]["params"], {"level": "info", "data": {"n": 1}, "logger": "robot"})
    eq([note["params"]["level"] for note in other.sent], ["info", "error"])
    for level in ("loud", 1, None):
        status, body = await ask(made, request("logging/setLevel", {"level": level}), one)
        eq((status, body["error"]["code"]), (200, -32602))


def test_logging_is_offered_where_handlers_log():
    for made, wanted in ((server(), True), (make(), False)):
        result = post(made, request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}}))[1][
            "result"
        ]
        eq("logging" in result["capabilities"], wanted)
        _, body, _ = post(made, request("logging/setLevel", {"level": "info"}))
        eq("result" in body, wanted)


async def test_a_level_that_is_none_is_our_mistake():
    async def wrong(context):
        await context.log("loud", "x")

    log = Log()
    made = make([Tool("wrong", "", None, wrong, context=True)], log=log, runtime=Runtime())
    assert (await ask(made, call("wrong")))[1]["result"]["isError"]
    assert isinstance(log.lines[0][2], LocalError)


# Asking in the modern era: round trips.

ACCEPT = {"action": "accept", "content": {"name": "Ada"}}


async def asked(made, message, peer=None):
    """(inputRequests, requestState) of a reply."""
    status, body = await ask(made, message, peer)
    eq((status, body["result"]["resultType"]), (200, "input_required"))
    for name in ("content", "ttlMs", "cacheScope"):
        assert name not in body["result"], body
    assert META + "serverInfo" in body["result"]["_meta"]
    return body["result"]["inputRequests"], body["result"]["requestState"]


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


# Asking in the legacy era: requests of the server on the stream of the call.


async def answered(made, message, peer, *results):
    """The reply to a call during which the client answers each question with the next result (or error)."""
    task = asyncio.create_task(ask(made, message, peer))
    for given in results:
        await turns()
        question = peer.sent[-1]
        answer = {"jsonrpc": "2.0", "id": question["id"]}
        answer.update(given)
        back = Peer(peer.session_id, peer.protocol_version)
        back.headed = peer.headed
        back.sessions = peer.sessions
        eq((await ask(made, answer, back))[0], 202)
    return await task


async def test_a_legacy_client_is_asked_on_the_stream_of_the_call():
    for store in (Ram(), Sealed(b"k" * 32)):
        made = server(sessions=store)
        peer = Session(made, ALL)
        eq(text(await answered(made, legacy("greet"), peer, {"result": ACCEPT})), "Hello, Ada!")
        eq(peer.sent[0]["method"], "elicitation/create")
        eq(peer.sent[0]["params"], {"message": "Your name?", "requestedSchema": SCHEMA})
        eq(text(await answered(made, legacy("rounds", {"n": 2}), peer, {"result": ACCEPT}, {"result": ACCEPT})),
           "Ada+Ada")  # fmt: skip
        ids = [note["id"] for note in peer.sent]
        eq(len(set(ids)), 3)
        sample = {"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m"}
        eq(text(await answered(made, legacy("careful"), peer, {"result": sample})), "model said hi")


async def test_several_questions_go_out_together():
    made = server(sessions=Ram())
    peer = Session(made, ALL)
    task = asyncio.create_task(ask(made, legacy("both"), peer))
    await turns()
    eq([note["method"] for note in peer.sent].count("roots/list"), 1)
    eq(len(peer.sent), 2)
    for question in peer.sent:
        roots = question["method"] == "roots/list"
        answer = {
            "jsonrpc": "2.0",
            "id": question["id"],
            "result": {"roots": [{"uri": "file:///b"}]} if roots else ACCEPT,
        }
        await ask(made, answer, Peer(peer.session_id))
    eq(text(await task), "Ada at file:///b")


async def test_a_refusal_or_an_answer_that_does_not_fit_is_a_refusal_of_the_tool():
    made = server(sessions=Ram())
    peer = Session(made, ALL)
    for given, wanted in (
        ({"error": {"code": -1, "message": "User said no"}}, "client_refused: User said no"),
        ({"error": {"code": -1}}, "client_refused"),
        ({"error": 5}, "client_refused"),
        ({"result": {}}, "bad_answer: the client's answer to elicitation/create does not fit"),
        ({"result": 5}, "bad_answer: the client's answer to elicitation/create does not fit"),
        ({"result": {"action": "accept", "content": {"name": 1}}},
         "bad_answer: the client's answer to elicitation/create does not fit"),
    ):  # fmt: skip
        reply = await answered(made, legacy("greet"), peer, given)
        eq((reply[1]["result"]["isError"], text(reply)), (True, wanted))
    eq(text(await answered(made, legacy("greet"), peer, {"result": ACCEPT})), "Hello, Ada!")


async def test_nobody_else_answers():
    made = server(sessions=Ram())
    peer, other = Session(made, ALL), Session(made, ALL)
    task = asyncio.create_task(ask(made, legacy("greet"), peer))
    await turns()
    id = peer.sent[0]["id"]
    await ask(made, {"jsonrpc": "2.0", "id": id, "result": {"action": "cancel"}}, Peer(other.session_id))
    await ask(made, {"jsonrpc": "2.0", "id": "x" + id, "result": {"action": "cancel"}}, Peer(peer.session_id))
    await turns()
    assert not task.done()
    await ask(made, {"jsonrpc": "2.0", "id": id, "result": ACCEPT}, Peer(peer.session_id))
    eq(text(await task), "Hello, Ada!")
    # Late, or twice: ignored.
    eq((await ask(made, {"jsonrpc": "2.0", "id": id, "result": ACCEPT}, Peer(peer.session_id)))[0], 202)


async def test_a_legacy_client_that_cannot_be_asked_is_a_refusal():
    made = server(sessions=Ram())
    for peer in (
        Session(made, {}),
        Session(made, {"sampling": {}}),
        Session(made, {"elicitation": {"url": {}}}),
        Session(made, ALL),
    ):
        if peer.session_id and made.sessions.find(peer.session_id, None, b"p", 0).can("elicitation"):
            peer.can_stream = lambda: False
        reply = await ask(made, legacy("greet"), peer)
        eq(
            (reply[1]["result"]["isError"], text(reply)),
            (True, "cannot_ask: the client does not offer elicitation"),
        )
    off = server()
    reply = await ask(off, legacy("greet"), Listener(None, b"2025-11-25"))
    eq(text(reply), "cannot_ask: the client does not offer elicitation")
    eq(text(await ask(off, legacy("careful"), Listener())), "went on without sampling")


async def test_only_so_many_questions_wait():
    made = server(sessions=Ram())
    peer = Session(made, ALL)
    tasks = [asyncio.create_task(ask(made, legacy("greet", id=i), peer)) for i in range(17)]
    await turns()
    done = [task for task in tasks if task.done()]
    eq(len(done), 1)
    eq(text(await done[0]), "busy: too many questions wait for their answers")
    for task in tasks:
        task.cancel()
    await turns()
    # Those that were given up are not remembered.
    eq(text(await answered(made, legacy("greet"), peer, {"result": ACCEPT})), "Hello, Ada!")


async def test_on_a_line_too():
    made = server()
    line = Line()
    await ask(made, request("initialize", {"protocolVersion": "2025-11-25", "capabilities": ALL}), line)
    eq(text(await answered(made, legacy("greet"), line, {"result": ACCEPT})), "Hello, Ada!")
    _, state = await asked(made, call("greet", None, ALL), line)
    more = {"inputResponses": {"answer": ACCEPT}, "requestState": state}
    eq(text(await ask(made, call("greet", None, ALL, more), line)), "Hello, Ada!")


def test_errors_of_the_library_are_what_they_say():
    eq(str(CannotAsk("roots")), "cannot_ask: the client does not offer roots")
    assert isinstance(CannotAsk("roots"), ToolError)
    raises(RemoteError, raiser, RemoteError(-1, "x"))


def raiser(e):
    raise e


async def test_a_cancelled_question_is_no_answer():
    made = server(sessions=Ram())
    peer = Session(made, ALL)
    task = asyncio.create_task(ask(made, legacy("greet"), peer))
    await turns()
    task.cancel()
    await araises(asyncio.CancelledError, task)
