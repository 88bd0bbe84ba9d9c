"""Resources: lists, templates, reading, and what is refused (MCP: server features, resources)."""

import json
from binascii import a2b_base64

from featured import ERAS, FakeServer, ask, code, failing, giving, refused

from harness import eq, raises
from umcp import content
from umcp.errors import LocalError
from umcp.resources import Resource, Resources, ResourceTemplate

LEGACY, MODERN = ERAS


def make(*resources, **options):
    server = FakeServer(**options)
    found = Resources(server)
    for one in resources:
        (found.add_template if isinstance(one, ResourceTemplate) else found.add)(one)
    return server, found


def read(resources, uri, session=LEGACY, peer=None):
    """The one content of a resource."""
    result = ask(resources, "resources/read", {"uri": uri}, session, peer)
    eq((set(result), len(result["contents"])), ({"contents"}, 1))
    return result["contents"][0]


def test_a_resource_is_listed_with_what_is_known_of_it():
    resources = make(Resource("test://a", "a", str))[1]
    eq(ask(resources, "resources/list"), {"resources": [{"uri": "test://a", "name": "a"}]})
    eq(ask(resources, "resources/templates/list"), {"resourceTemplates": []})
    icons = [{"src": "https://x.test/i.png", "mimeType": "image/png"}]
    resources = make(
        Resource("test://é", "n", str, "What", "text/plain", "Title", {"priority": 1}, icons, 0)
    )[1]
    eq(
        ask(resources, "resources/list", {})["resources"],
        [
            {
                "uri": "test://é",
                "name": "n",
                "description": "What",
                "mimeType": "text/plain",
                "title": "Title",
                "annotations": {"priority": 1},
                "icons": icons,
                "size": 0,
            }
        ],
    )


def test_a_template_is_listed_with_what_is_known_of_it():
    resources = make(
        ResourceTemplate("test://t/{id}", "t", str, "What", "text/plain", "Title", {"priority": 1}, [])
    )[1]
    eq(ask(resources, "resources/list"), {"resources": []})
    eq(
        ask(resources, "resources/templates/list"),
        {
            "resourceTemplates": [
                {
                    "uriTemplate": "test://t/{id}",
                    "name": "t",
                    "description": "What",
                    "mimeType": "text/plain",
                    "title": "Title",
                    "annotations": {"priority": 1},
                    "icons": [],
                }
            ]
        },
    )


def test_both_lists_come_in_pages():
    resources = make(max_result=620)[1]
    for i in range(9):
        resources.add(Resource("test://%d" % i, "n" * 60, str))
        resources.add_template(ResourceTemplate("test://%d/{x}" % i, "n" * 60, str))
    for method, member, key in (
        ("resources/list", "resources", "uri"),
        ("resources/templates/list", "resourceTemplates", "uriTemplate"),
    ):
        seen = []
        params = {}
        while params is not None:
            result = ask(resources, method, params)
            assert len(json.dumps(result)) <= 620 - 250
            seen += [one[key] for one in result[member]]
            params = {"cursor": result["nextCursor"]} if "nextCursor" in result else None
        eq(seen, ["test://%d%s" % (i, "/{x}" if key == "uriTemplate" else "") for i in range(9)])
        for cursor in ("", "x", 1, [], "0.1"):
            eq(code(resources, method, {"cursor": cursor})[0], -32602)


def test_text_is_read_as_text_and_bytes_as_a_blob():
    for session in ERAS:
        for value in ("", "plain", "スタックチャン 🤖\n", '"\\', "\x00"):
            for mime_type in (None, "text/plain"):
                wanted = {"uri": "test://a", "text": value}
                if mime_type:
                    wanted["mimeType"] = mime_type
                resources = make(Resource("test://a", "a", giving(value), mime_type=mime_type))[1]
                eq(read(resources, "test://a", session), wanted)
        for value in (b"", b"\x00\xff", bytearray(b"abc"), memoryview(b"abcd")):
            resources = make(Resource("test://a", "a", giving(value), mime_type="image/png"))[1]
            found = read(resources, "test://a", session)
            eq(a2b_base64(found.pop("blob").encode()), bytes(value))
            eq(found, {"uri": "test://a", "mimeType": "image/png"})


def test_a_template_reads_with_its_variables():
    def data(values):
        return json.dumps({"id": values["id"], "n": len(values)})

    resources = make(ResourceTemplate("test://template/{id}/data", "t", data, mime_type="application/json"))[
        1
    ]
    for uri, id in (
        ("test://template/123/data", "123"),
        ("test://template/a%20b%2F%C3%A9/data", "a b/é"),
        ("test://template/🤖/data", "🤖"),
    ):
        found = read(resources, uri)
        eq((found["uri"], found["mimeType"]), (uri, "application/json"))
        eq(json.loads(found["text"]), {"id": id, "n": 1})


def test_a_resource_comes_before_the_templates_and_they_in_their_order():
    resources = make(
        ResourceTemplate("test://{a}", "1", lambda values: "one"),
        ResourceTemplate("test://{a}-{b}", "2", lambda values: "two"),
        Resource("test://x-y", "3", lambda: "three"),
        ResourceTemplate("test://{a}/{b}", "4", lambda values: "four"),
    )[1]
    for uri, text in (("test://x-y", "three"), ("test://x-z", "one"), ("test://x/y", "four")):
        eq(read(resources, uri)["text"], text)


def test_an_unknown_uri_has_the_code_of_its_era_and_the_uri():
    resources = make(
        Resource("test://a", "a", str),
        Resource("test://none", "a", lambda: None),
        ResourceTemplate("test://t/{id}", "t", lambda values: None),
    )[1]
    for uri in (
        "test://b",
        "test://A",
        "test://a/",
        "",
        "x",
        "test://t/1",
        "test://t/%",
        "test://t/%C0%AF",
        "test://t/1/2",
        "test://none",
        'test://é\n"🤖',
        "test://t/" + "a/" * 900,
        "test://" + "x" * 2041,
    ):
        eq(code(resources, "resources/read", {"uri": uri}, LEGACY), (-32002, {"uri": uri}))
        eq(code(resources, "resources/read", {"uri": uri}, MODERN), (-32602, {"uri": uri}))


def test_a_pair_of_surrogates_in_a_uri_is_one_character():
    resources = make(Resource("test://🤖", "a", giving("hello")))[1]
    eq(ask(resources, "resources/read", '{"uri":"test://\\ud83e\\udd16"}')["contents"][0]["text"], "hello")


def test_a_lone_surrogate_in_a_uri_is_a_replacement_character():
    resources = make()[1]
    params = '{"uri":"test://a\\ud83d"}'
    eq(code(resources, "resources/read", params, LEGACY), (-32002, {"uri": "test://a\ufffd"}))


def test_a_read_without_a_uri_is_refused():
    resources = make(Resource("test://a", "a", str))[1]
    for params in (None, {}, {"uri": None}, {"uri": 1}, {"uri": ["test://a"]}, {"uri": {}}, {"name": "a"}):
        for session in ERAS:
            eq(code(resources, "resources/read", params, session), (-32602, None))


def test_a_uri_past_its_bound_is_refused_unread():
    def never(values):
        raise AssertionError("it was read")

    resources = make(ResourceTemplate("test://{x}", "t", never))[1]
    for size in (2042, 60000):
        for session in ERAS:
            eq(code(resources, "resources/read", {"uri": "test://" + "x" * size}, session), (-32602, None))
    eq(resources.find(b"test://" + b"x" * 2042), None)
    resources = make(ResourceTemplate("test://{x}", "t", lambda values: values["x"]))[1]
    eq(len(read(resources, "test://" + "x" * 2041)["text"]), 2041)


def test_a_result_past_the_limit_is_refused():
    value = ["x" * 900]
    server, resources = make(Resource("test://a", "a", lambda: value[0]), max_result=1000)
    for value[0] in ("x" * 900, b"x" * 690):
        read(resources, "test://a")
    for value[0] in ("x" * 1000, "x" * 1001, "\n" * 600, b"x" * 720, bytes(100000), "é" * 600):
        e = refused(resources, "resources/read", {"uri": "test://a"})
        eq(e.code, -32603)
        assert e.message.startswith("result_too_large: "), e.message
    eq(server.log.lines, [])


def test_a_text_past_the_limit_is_not_encoded():
    resources = make(Resource("test://a", "a", giving("x" * 1001)), max_result=1000)[1]
    kept, content.dumps_text = content.dumps_text, None
    try:
        e = refused(resources, "resources/read", {"uri": "test://a"})
    finally:
        content.dumps_text = kept
    assert e.message.startswith("result_too_large: "), e.message


def test_a_failure_of_a_read():
    server, resources = make()

    def handler_of(handler):
        resources.add(Resource("test://a", "a", handler))
        resources.add_template(ResourceTemplate("test://t/{x}", "t", handler))

    for uri in ("test://a", "test://t/1"):
        failing(handler_of, lambda _, uri=uri: read(resources, uri), server)


def test_what_a_read_must_not_return_is_our_fault():
    for value in (1, [], {}, ["text"], object()):
        server, resources = make(Resource("test://a", "a", giving(value)))
        e = refused(resources, "resources/read", {"uri": "test://a"})
        eq((e.code, e.message, len(server.log.lines)), (-32603, "Internal error", 1))


def test_a_coroutine_is_waited_for_within_its_time():
    async def slowly(*values):
        return "done %d" % len(values)

    server, resources = make(Resource("test://a", "a", slowly), ResourceTemplate("test://t/{x}", "t", slowly))
    eq((read(resources, "test://a")["text"], read(resources, "test://t/1")["text"]), ("done 0", "done 1"))
    eq(server.bounded, 2)


def test_a_handler_that_talks_to_its_client_gets_a_context_first():
    seen = []

    async def talk(*arguments):
        seen.append(arguments)
        return ""

    server, resources = make()
    resources.add(Resource("test://quiet", "a", str))
    eq(server.used, [])
    resources.add(Resource("test://a", "a", talk, context=True))
    eq(server.used, ["levels"])
    resources.add_template(ResourceTemplate("test://t/{x}", "t", talk, context=True))
    peer = object()
    read(resources, "test://a", MODERN, peer)
    read(resources, "test://t/1", LEGACY, peer)
    eq(seen, [(("2026-07-28", peer),), (("2025-06-18", peer), {"x": "1"})])


def test_a_change_is_told():
    server, resources = make()
    resources.add(Resource("test://a", "a", str))
    resources.add_template(ResourceTemplate("test://{x}", "t", str))
    eq(server.seen, ["resources"] * 2)
    eq((resources.remove("test://a"), resources.remove("test://a")), (True, False))
    eq((resources.remove("test://{x}"), resources.remove("test://{x}")), (True, False))
    eq(server.seen, ["resources"] * 4)
    eq(ask(resources, "resources/list"), {"resources": []})


def test_one_of_the_same_uri_takes_its_place():
    resources = make(Resource("test://a", "old", str), Resource("test://b", "b", str))[1]
    resources.add(Resource("test://a", "new", str))
    eq([one["name"] for one in ask(resources, "resources/list")["resources"]], ["new", "b"])
    eq((resources.get("test://a").name, resources.get("test://c")), ("new", None))


def test_a_wrong_definition_is_our_fault():
    for uri in (
        "",
        None,
        b"test://a",
        "no scheme",
        ":x",
        "/a:b",
        "test://a b",
        "test://a\n",
        "test://" + "x" * 2042,
    ):
        raises(LocalError, Resource, uri, "a", str)
        raises(LocalError, ResourceTemplate, "%s{x}" % uri if type(uri) is str and uri else uri, "a", str)
    for name in ("", None, 1, "x" * 129, "é" * 65, "a\n"):
        raises(LocalError, Resource, "test://a", name, str)
        raises(LocalError, ResourceTemplate, "test://{a}", name, str)
    raises(LocalError, Resource, "test://a", "a", "text")
    raises(LocalError, Resource, "test://a", "a", None)
    for template in ("test://a", "test://{a", "test://{a}{b}", "test://{+a}", "test://{a}" + "x" * 503):
        raises(LocalError, ResourceTemplate, template, "a", str)
    raises(LocalError, ResourceTemplate, "test://{x}", "a", str, complete={"y": list})
    raises(LocalError, ResourceTemplate, "test://{x}", "a", str, complete={"x": ["a", "b"]})


def test_an_entry_that_fits_no_page_is_refused():
    server, resources = make(max_result=620)
    raises(LocalError, resources.add, Resource("test://a", "a", str, "d" * 300))
    raises(LocalError, resources.add_template, ResourceTemplate("test://{a}", "a", str, "d" * 300))
    raises(LocalError, resources.add, Resource("test://a", "a", str, annotations={"priority": float("nan")}))
    eq((server.seen, resources.get("test://a")), ([], None))
