"""Questions to a client of the legacy eras: requests of the server on the stream of the call, and on lines."""

import asyncio

from modernity import Line, Listener, ask, turns
from serving import Peer, request
from talking import ACCEPT, ALL, NAME, SCHEMA, Session, answered, asked, call, legacy, server, text

from harness import araises, eq
from umcp.errors import ToolError
from umcp.ram import Ram
from umcp.sealed import Sealed
from umcp.tool import Tool


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


async def test_a_cancelled_question_is_no_answer():
    made = server(sessions=Ram())
    peer = Session(made, ALL)
    task = asyncio.create_task(ask(made, legacy("greet"), peer))
    await turns()
    task.cancel()
    await araises(asyncio.CancelledError, task)


async def test_questions_that_outlive_their_handlers_take_no_places():
    made = server(sessions=Ram())
    tasks = []

    async def forget(context):
        tasks.append(asyncio.create_task(context.elicit("?", NAME)))
        await turns()
        return "forgotten"

    made.add_tool(Tool("forget", "", None, forget, context=True))
    peer = Session(made, ALL)
    for _ in range(20):
        eq(text(await ask(made, legacy("forget"), peer)), "forgotten")
    eq(text(await answered(made, legacy("greet"), peer, {"result": ACCEPT})), "Hello, Ada!")
    for task in tasks:
        await araises(ToolError, task)
    eq(made.asking._waiting, {})
