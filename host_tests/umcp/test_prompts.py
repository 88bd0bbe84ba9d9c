"""Prompts: lists, messages, and what is refused (MCP: server features, prompts)."""

import json

from featured import ERAS, FakeServer, ask, code, failing, giving, refused

from harness import eq, raises
from umcp.content import audio, embedded, image, link
from umcp.errors import LocalError
from umcp.prompts import Argument, Prompt, Prompts
from umcp.session import Session
from umcp.version import LEGACY, MODERN


def make(*prompts, **options):
    server = FakeServer(**options)
    found = Prompts(server)
    for prompt in prompts:
        found.add(prompt)
    return server, found


def get(prompts, name, arguments=None, session=ERAS[0], peer=None):
    params = {"name": name}
    if arguments is not None:
        params["arguments"] = arguments
    return ask(prompts, "prompts/get", params, session, peer)


def echo(values):
    return ", ".join(["%s=%s" % (name, values[name]) for name in sorted(values)])


TWO = (Argument("arg1", "The first.", required=True), Argument("arg2"))


def test_a_prompt_is_listed_with_what_is_known_of_it():
    prompts = make(Prompt("a", "", giving("x")))[1]
    eq(ask(prompts, "prompts/list"), {"prompts": [{"name": "a"}]})
    icons = [{"src": "https://x.test/i.png"}]
    arguments = (Argument("x", "An x.", True, title="X"), Argument("y"))
    prompts = make(Prompt("b", "What", giving("x"), arguments, "Title", icons))[1]
    eq(
        ask(prompts, "prompts/list", {})["prompts"],
        [
            {
                "name": "b",
                "description": "What",
                "title": "Title",
                "icons": icons,
                "arguments": [
                    {"name": "x", "description": "An x.", "title": "X", "required": True},
                    {"name": "y"},
                ],
            }
        ],
    )


def test_the_list_comes_in_pages():
    prompts = make(max_result=620)[1]
    for i in range(9):
        prompts.add(Prompt("prompt_%d" % i, "d" * 60, giving("x"), TWO[1:]))
    seen = []
    params = {}
    while params is not None:
        result = ask(prompts, "prompts/list", params)
        assert len(json.dumps(result)) <= 620 - 250
        seen += [one["name"] for one in result["prompts"]]
        params = {"cursor": result["nextCursor"]} if "nextCursor" in result else None
    eq(seen, ["prompt_%d" % i for i in range(9)])
    for cursor in ("", "x", 1, []):
        eq(code(prompts, "prompts/list", {"cursor": cursor})[0], -32602)


def test_a_text_is_one_message_of_the_user():
    for session in ERAS:
        for text in ("", "Hi.", 'スタックチャン 🤖 "\n'):
            prompts = make(Prompt("a", "What", giving(text)))[1]
            for arguments in (None, {}):
                eq(
                    get(prompts, "a", arguments, session),
                    {
                        "description": "What",
                        "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
                    },
                )


def test_several_messages_have_their_roles_and_one_block_each():
    value = [
        ("user", "Look:"),
        ("user", image(b"abc", "image/png")),
        ("assistant", "I see."),
        ["user", embedded("a:b", "t")],
    ]
    for session in ERAS:
        messages = get(make(Prompt("a", "", giving(value)))[1], "a", None, session)["messages"]
        eq([message["role"] for message in messages], ["user", "user", "assistant", "user"])
        eq([message["content"]["type"] for message in messages], ["text", "image", "text", "resource"])
        eq(messages[1]["content"]["data"], "YWJj")
    eq(get(make(Prompt("a", "", giving(())))[1], "a"), {"messages": []})
    one = get(make(Prompt("a", "", giving(embedded("a:b", "t"))))[1], "a")["messages"]
    eq([(message["role"], message["content"]["type"]) for message in one], [("user", "resource")])


def test_older_versions_get_a_text_for_what_they_lack():
    prompts = make(
        Prompt("a", "", giving([("user", audio(b"abc", "audio/wav")), ("user", link("a:b", "B"))]))
    )[1]
    for version in LEGACY + (MODERN,):
        kinds = [
            message["content"]["type"] for message in get(prompts, "a", None, Session(version))["messages"]
        ]
        eq(
            kinds,
            [
                "text" if version < "2025-03-26" else "audio",
                "text" if version < "2025-06-18" else "resource_link",
            ],
        )


def test_the_arguments_come_as_one_dict():
    prompts = make(Prompt("a", "", echo, TWO))[1]
    for arguments, text in (
        ({"arg1": "hello", "arg2": "world"}, "arg1=hello, arg2=world"),
        ({"arg1": ""}, "arg1="),
        ({"arg1": "🤖é\n"}, "arg1=🤖é\n"),
        # What the prompt does not have is left out.
        ({"arg1": "1", "arg3": "3", "self": "x", "": "y"}, "arg1=1"),
    ):
        eq(get(prompts, "a", arguments)["messages"][0]["content"]["text"], text)


def test_a_huge_dict_of_arguments_is_borne():
    arguments = {"argument_%d" % i: "x" for i in range(2000)}
    prompts = make(Prompt("a", "", echo, TWO))[1]
    eq(code(prompts, "prompts/get", {"name": "a", "arguments": arguments})[0], -32602)
    arguments["arg1"] = "1"
    eq(get(prompts, "a", arguments)["messages"][0]["content"]["text"], "arg1=1")
    arguments["argument_1"] = 1
    eq(code(prompts, "prompts/get", {"name": "a", "arguments": arguments})[0], -32602)


def test_an_unknown_name_is_refused():
    prompts = make(Prompt("a", "", giving("x")))[1]
    for name in ("b", "A", "", "a ", "x" * 5000, 'a"\n', "é🤖"):
        for session in ERAS:
            e = refused(prompts, "prompts/get", {"name": name}, session)
            eq(e.code, -32602)
            assert e.message.startswith("Unknown prompt: ") and len(e.message) <= 80


def test_a_malformed_request_is_refused():
    prompts = make(Prompt("a", "", giving("x")))[1]
    for params in (
        None,
        {},
        {"name": None},
        {"name": 1},
        {"name": ["a"]},
        {"arguments": {}},
        {"name": "a", "arguments": []},
        {"name": "a", "arguments": "{}"},
    ):
        eq(code(prompts, "prompts/get", params), (-32602, None))


def test_a_missing_required_argument_is_refused():
    prompts = make(Prompt("a", "", echo, TWO))[1]
    for params in (
        {"name": "a"},
        {"name": "a", "arguments": {}},
        {"name": "a", "arguments": {"arg2": "x", "Arg1": "y"}},
    ):
        e = refused(prompts, "prompts/get", params)
        eq((e.code, e.message), (-32602, "Missing required argument: arg1"))


def test_an_argument_that_is_no_string_is_refused():
    prompts = make(Prompt("a", "", echo, TWO))[1]
    for value in (1, None, True, 1.5, [], {}, ["x"]):
        for arguments in ({"arg1": value}, {"arg1": "x", "arg2": value}, {"arg1": "x", "other": value}):
            eq(code(prompts, "prompts/get", {"name": "a", "arguments": arguments}), (-32602, None))


def test_a_result_past_the_limit_is_refused():
    value = [None]
    server, prompts = make(Prompt("a", "What", lambda values: value[0]), max_result=1000)
    for value[0] in (
        "x" * 900,
        [("user", "x" * 400), ("assistant", "x" * 400)],
        [("user", image(bytes(600), "image/png"))],
    ):
        get(prompts, "a")
    for value[0] in (
        "x" * 1000,
        [("user", "x" * 480), ("assistant", "x" * 480)],
        [("user", image(bytes(750), "image/png"))],
        [("user", "")] * 30,
    ):
        e = refused(prompts, "prompts/get", {"name": "a"})
        eq(e.code, -32603)
        assert e.message.startswith("result_too_large: "), e.message
    eq(server.log.lines, [])
    # To the byte: what fits is exactly as large as the limit says.
    value[0] = "x" * 800
    raw = json.dumps(get(prompts, "a"))
    server.max_result = len(raw.replace(": ", ":").replace(", ", ",")) - 2
    get(prompts, "a")
    server.max_result -= 1
    eq(code(prompts, "prompts/get", {"name": "a"})[0], -32603)


def test_a_failure_of_a_prompt():
    server, prompts = make()
    failing(lambda handler: prompts.add(Prompt("a", "", handler)), lambda _: get(prompts, "a"), server)


def test_what_a_prompt_must_not_return_is_our_fault():
    for value in (
        None,
        1,
        b"bytes",
        ["text"],
        [("user",)],
        [("user", "a", "b")],
        [("system", "a")],
        [(["user"], "a")],
        [("user", None)],
        [("user", {"type": "text", "text": "x"})],
        [("user", ["a", "b"])],
        {"messages": []},
    ):
        server, prompts = make(Prompt("a", "", giving(value)))
        e = refused(prompts, "prompts/get", {"name": "a"})
        eq((value, e.code, e.message, len(server.log.lines)), (value, -32603, "Internal error", 1))


def test_a_coroutine_that_was_not_awaited_is_not_begun():
    begun = []

    async def work():
        begun.append(1)

    forgotten = work()

    async def forget(values):
        return forgotten

    server, prompts = make(Prompt("a", "", forget))
    eq(refused(prompts, "prompts/get", {"name": "a"}).message, "Internal error")
    eq((begun, str(server.log.lines[0][2])[:31]), ([], "a prompt gives a str or a list,"))
    forgotten.close()


def test_a_coroutine_is_waited_for_within_its_time():
    async def slowly(values):
        return "done " + echo(values)

    server, prompts = make(Prompt("a", "", slowly, TWO))
    eq(get(prompts, "a", {"arg1": "1"})["messages"][0]["content"]["text"], "done arg1=1")
    eq(server.bounded, 1)


def test_a_handler_that_talks_to_its_client_gets_a_context_first():
    seen = []

    async def talk(*arguments):
        seen.append(arguments)
        return ""

    server, prompts = make(Prompt("quiet", "", giving("x")))
    eq(server.used, [])
    prompts.add(Prompt("a", "", talk, TWO, context=True))
    eq(server.used, ["levels"])
    peer = object()
    for session in ERAS:
        get(prompts, "a", {"arg1": "1"}, session, peer)
    eq(seen, [((session.version, peer), {"arg1": "1"}) for session in ERAS])


def test_a_change_is_told():
    server, prompts = make(Prompt("a", "old", giving("x")), Prompt("b", "", giving("x")))
    prompts.add(Prompt("a", "new", giving("x")))
    eq([one.get("description") for one in ask(prompts, "prompts/list")["prompts"]], ["new", None])
    eq((prompts.get("a").description, prompts.get("c")), ("new", None))
    eq((prompts.remove("a"), prompts.remove("a")), (True, False))
    eq(server.seen, ["prompts"] * 4)
    eq([one["name"] for one in ask(prompts, "prompts/list")["prompts"]], ["b"])


def test_a_wrong_definition_is_our_fault():
    for name in ("", None, 1, b"a", "x" * 129, "é" * 65, "a\n"):
        raises(LocalError, Prompt, name, "", giving("x"))
        raises(LocalError, Argument, name)
    raises(LocalError, Prompt, "a", "", "text")
    raises(LocalError, Prompt, "a", "", None)
    raises(LocalError, Prompt, "a", "", giving("x"), (Argument("x"), Argument("y"), Argument("x")))
    raises(LocalError, Prompt, "a", "", giving("x"), ("x",))
    raises(LocalError, Prompt, "a", "", giving("x"), [Argument("a%d" % i) for i in range(65)])
    raises(LocalError, Argument, "a", complete=["a"])


def test_an_entry_that_fits_no_page_is_refused():
    server, prompts = make(max_result=620)
    raises(LocalError, prompts.add, Prompt("a", "d" * 300, giving("x")))
    raises(LocalError, prompts.add, Prompt("a", "", giving("x"), [Argument("a%d" % i) for i in range(40)]))
    raises(LocalError, prompts.add, Prompt("a", "", giving("x"), icons=[object()]))
    eq((server.seen, prompts.get("a")), ([], None))
