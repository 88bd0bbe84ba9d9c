"""Content blocks: their JSON, what older versions get instead, and their bounds."""

import json
from binascii import a2b_base64

from harness import eq, raises
from umcp import content
from umcp.content import Contents, audio, embedded, image, link, render, text
from umcp.errors import LocalError, ToolError
from umcp.version import LEGACY, MODERN

VERSIONS = LEGACY + (MODERN,)
ALL = bytes(range(256))


def seen(blocks, version=MODERN):
    return json.loads(render(blocks, version))


def test_a_str_is_a_text_block():
    for value in ("", "plain", 'a "quoted"\n\tline \\', "スタックチャン 🤖", "\x00\x1f\x7f"):
        for version in VERSIONS:
            eq(seen(value, version), [{"type": "text", "text": value}])
            eq(seen(text(value), version), [{"type": "text", "text": value}])


def test_a_lone_surrogate_goes_out_as_utf_8():
    raw = render("a\ud83db", MODERN)
    eq(json.loads(raw.decode())[0]["text"], "a\ufffdb")


def test_binary_data_goes_out_as_base64():
    for size in (0, 1, 2, 3, 4, 57, 58, 256):
        for data in (ALL[:size], bytearray(ALL[:size]), memoryview(ALL)[:size]):
            for kind, make in (("image", image), ("audio", audio)):
                raw = render(make(data, "x/y"), MODERN)
                assert b"\n" not in raw
                block = json.loads(raw)[0]
                eq(
                    (block["type"], block["mimeType"], set(block)),
                    (kind, "x/y", {"type", "mimeType", "data"}),
                )
                eq(a2b_base64(block["data"].encode()), ALL[:size])


def test_an_embedded_resource_holds_text_or_a_blob():
    eq(
        seen(embedded("test://é", "tëxt", "text/plain")),
        [{"type": "resource", "resource": {"uri": "test://é", "mimeType": "text/plain", "text": "tëxt"}}],
    )
    block = seen(embedded("test://a", ALL))[0]
    eq(set(block["resource"]), {"uri", "blob"})
    eq(a2b_base64(block["resource"]["blob"].encode()), ALL)


def test_a_link_has_the_members_of_a_resource():
    eq(
        seen(link("test://a", "a")),
        [{"type": "resource_link", "uri": "test://a", "name": "a"}],
    )
    icons = [{"src": "https://x.test/i.png"}]
    block = seen(link("test://a", "a", "What", "text/plain", "A", {"priority": 1}, icons, 0))[0]
    eq(
        block,
        {
            "type": "resource_link",
            "uri": "test://a",
            "name": "a",
            "description": "What",
            "mimeType": "text/plain",
            "title": "A",
            "annotations": {"priority": 1},
            "icons": icons,
            "size": 0,
        },
    )


def test_annotations_go_beside_the_content():
    notes = {"audience": ["user"], "priority": 0.5}
    for block in (
        text("t", notes),
        image(b"i", "image/png", notes),
        audio(b"a", "audio/wav", notes),
        embedded("test://a", "t", None, notes),
        embedded("test://a", b"b", "x/y", notes),
    ):
        eq(seen(block)[0]["annotations"], notes)
        assert "annotations" not in seen(block)[0].get("resource", {})


def test_several_blocks_keep_their_order():
    blocks = ["one", image(b"2", "image/png"), "three"]
    for several in (blocks, tuple(blocks), Contents(blocks), Contents(tuple(blocks))):
        eq([block["type"] for block in seen(several)], ["text", "image", "text"])
    eq((seen([]), seen(Contents([]))), ([], []))


def test_a_contents_is_a_list_of_its_own():
    blocks = ["one"]
    several = Contents(blocks)
    blocks.append(1)
    eq(seen(several), [{"type": "text", "text": "one"}])


def test_audio_before_2025_03_26_becomes_a_text_that_names_it():
    block = audio(b"12345", "audio/wav", {"priority": 1})
    for version in VERSIONS:
        shown = seen(["a", block], version)[1]
        if version < "2025-03-26":
            eq(shown, {"type": "text", "text": "[audio left out: audio/wav, 5 bytes]"})
        else:
            eq(shown["type"], "audio")


def test_a_link_before_2025_06_18_becomes_a_text_with_its_uri():
    for version in VERSIONS:
        shown = seen(link("test://a", "A", mime_type="x/y"), version)[0]
        if version < "2025-06-18":
            eq(shown, {"type": "text", "text": "Resource A: test://a (x/y)"})
        else:
            eq(shown["type"], "resource_link")
    eq(seen(link("test://a", "A"), LEGACY[0])[0]["text"], "Resource A: test://a")


def test_image_and_embedded_resource_are_in_every_version():
    for version in VERSIONS:
        eq(seen(image(b"i", "image/png"), version)[0]["type"], "image")
        eq(seen(embedded("test://a", "t"), version)[0]["type"], "resource")


def test_a_result_past_the_limit_is_refused():
    for blocks in (
        "x" * 60,
        ['"' * 30],
        [image(ALL[:45], "image/png")],
        Contents(["x", "y" * 20]),
        [embedded("test://a", "t" * 20)],
        link("test://a", "a"),
    ):
        size = len(render(blocks, MODERN))
        eq(len(render(blocks, MODERN, size)), size)
        for limit in (size - 1, 40, 3, 0):
            e = raises(ToolError, render, blocks, MODERN, limit)
            eq(e.code, "result_too_large")
            assert str(e).endswith("the limit is %d; ask for less" % limit)


def test_what_is_left_out_does_not_count():
    eq(len(seen(audio(bytes(500), "audio/wav"), "2024-11-05")), 1)
    render(audio(bytes(500), "audio/wav"), "2024-11-05", 100)
    raises(ToolError, render, audio(bytes(500), "audio/wav"), "2025-03-26", 100)


def test_what_is_too_large_is_not_encoded():
    blob = image(bytes(3000), "x/y")
    size = len(render(blob, MODERN))
    kept = content.b2a_base64, content.dumps_text
    content.b2a_base64 = content.dumps_text = broken
    try:
        for blocks in (blob, "x" * 1000):
            e = raises(ToolError, render, blocks, MODERN, 1000)
            if blocks is blob:
                assert size > 4000 and str(e).startswith("result_too_large: %d bytes" % size), str(e)
    finally:
        content.b2a_base64, content.dumps_text = kept


def broken(*_, **__):
    raise AssertionError("it was encoded")


def test_what_is_no_block_is_our_fault():
    for value in (None, 1, b"bytes", {"type": "text", "text": "x"}, object(), [["nested"]], [None], Contents):
        raises(LocalError, render, value, MODERN)
    for value in ([1], [b""], [None], [[]], [{"type": "text"}], [Contents([])]):
        raises(LocalError, Contents, value)


def test_a_wrong_part_is_our_fault_at_once():
    for make, arguments in (
        (text, (b"x",)),
        (text, (None,)),
        (text, ("x", {"priority": float("nan")})),
        (image, ("text", "image/png")),
        (image, (None, "image/png")),
        (image, (b"", "")),
        (image, (b"", None)),
        (image, (b"", 1)),
        (audio, (b"", None)),
        (audio, ([1, 2], "audio/wav")),
        (embedded, ("test://a", None)),
        (embedded, ("test://a", 1)),
        (embedded, ("test://a", ["t"])),
        (link, (1, "a")),
        (link, ("test://a", None)),
        (link, ("test://a", "a", object())),
    ):
        raises(LocalError, make, *arguments)
