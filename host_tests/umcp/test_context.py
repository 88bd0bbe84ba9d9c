"""What a handler tells its client, written once, in either era."""

from modernity import META, Listener, Runtime, ask, modern, peer_of
from serving import Log, make, post, request
from serving import Peer as Plain
from talking import ALL, NAME, Session, call, legacy, server, text

from harness import araises, eq, raises
from umcp.errors import CannotAsk, LocalError, RemoteError, ToolError
from umcp.prompts import Prompt
from umcp.ram import Ram
from umcp.resources import Resource
from umcp.tool import Tool


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


def test_errors_of_the_library_are_what_they_say():
    eq(str(CannotAsk("roots")), "cannot_ask: the client does not offer roots")
    assert isinstance(CannotAsk("roots"), ToolError)
    raises(RemoteError, raiser, RemoteError(-1, "x"))


def raiser(e):
    raise e


async def test_a_context_is_silent_when_its_handler_has_returned():
    kept = []

    async def keep(context, *values):
        kept.append(context)
        return "kept"

    made = make([Tool("keep", "", None, keep, context=True)], runtime=Runtime())
    made.add_resource(Resource("robot://keep", "keep", keep, context=True))
    made.add_prompt(Prompt("keep", "", keep, context=True))
    # One that awaits nothing has returned at once.
    made.add_tool(Tool("plain", "", None, kept.append, context=True))
    made.add_resource(
        Resource("robot://plain", "plain", lambda context: kept.append(context) or "", context=True)
    )
    for message in (
        modern("tools/call", {"name": "plain"}, ALL, progressToken=1),
        modern("resources/read", {"uri": "robot://plain"}, ALL, progressToken=1),
        modern("tools/call", {"name": "keep"}, ALL, progressToken=1),
        modern("resources/read", {"uri": "robot://keep"}, ALL, progressToken=1),
        modern("prompts/get", {"name": "keep"}, ALL, progressToken=1),
    ):
        peer = peer_of(message)
        eq((await ask(made, message, peer))[0], 200)
        context = kept.pop()
        await context.progress(1)
        await context.log("error", "late")
        await context.close_stream()
        eq((peer.sent, peer.closed), ([], False))
        await araises(LocalError, context.elicit("?", NAME))


async def test_a_handler_that_awaits_nothing_but_reports_leaves_turns_to_others():
    async def busy(context):
        for i in range(5):
            await context.progress(i)
            await context.log("debug", "step")
        return "busy"

    # Those who want nothing of it, who want one of the two, and who take no stream.
    for more, kind, wanted in (
        ({}, Listener, 10),
        ({"progressToken": 1}, Listener, 5),
        ({"progressToken": 1, META + "logLevel": "debug"}, Plain, 10),
    ):
        runtime = Runtime()
        made = make([Tool("busy", "", None, busy, context=True)], runtime=runtime)
        message = modern("tools/call", {"name": "busy"}, **more)
        eq((await ask(made, message, peer_of(message, kind=kind)))[0], 200)
        eq((more, runtime.pauses), (more, wanted))
