"""Files that nobody sane writes: each command ends with a status and a line of its own, and does not crash."""

import json

import pytest

from kit.commands import Command
from kit.playing import c2s, request, result, s2c, written

DEEP = '{"a":' * 5000 + "1" + "}" * 5000
LISTED = (
    c2s(request(1, "tools/list")),
    s2c(result(1, tools=[{"name": "t", "inputSchema": {"type": "object"}}])),
)
FIELD = "text/html\r\nSet-Cookie: a=b"

CASSETTES = {
    "a message too deep": [*LISTED, c2s("[" * 100_000), s2c(DEEP)],
    "arguments too deep": [*LISTED, c2s('{"jsonrpc":"2.0","id":2,"method":"a","params":%s}' % DEEP)],
    "an answer too deep": [*LISTED, c2s(request(2, "a")), s2c('{"jsonrpc":"2.0","id":2,"result":%s}' % DEEP)],
    "arguments as deep as may be": [
        *LISTED,
        c2s('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":%s}' % ('{"a":' * 98 + "1" + "}" * 98)),
        s2c(result(2)),
    ],
    "numbers that are none": [*LISTED, c2s(request(2, "a")), s2c('{"jsonrpc":"2.0","id":2,"result":{"n":NaN}}')],
    "a number of a million digits": [*LISTED, c2s('{"jsonrpc":"2.0","id":%s,"method":"a"}' % ("9" * 1_000_000))],
    "ids of all kinds": [
        *LISTED,
        *(c2s(request(id, "a")) for id in ([1], {"a": 1}, None, True, 1.5, "")),
        *(s2c(result(id)) for id in ([1], {"a": 1}, None, True, 1.5, "")),
    ],
    "members of other types": [
        *LISTED,
        c2s({"jsonrpc": "2.0", "id": 2, "method": 5, "params": [1]}),
        c2s({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": [1], "arguments": 5}}),
        s2c({"jsonrpc": "2.0", "id": 3, "result": 5}),
        c2s({"jsonrpc": "2.0", "id": 4, "method": "initialize", "params": {"_meta": 5}}),
        s2c(result(4, serverInfo=[1], capabilities="x", instructions={})),
        s2c({"jsonrpc": "2.0", "id": 4, "error": "x"}),
    ],
    "lists that are none": [
        c2s(request(1, "tools/list")), s2c(result(1, tools="x")),
        c2s(request(2, "tools/list")), s2c(result(2, tools=[], nextCursor=5)),
        c2s(request(3, "tools/list", {"cursor": [5]})), s2c(result(3, tools=[])),
        c2s(request(4, "prompts/list")), s2c(result(4, prompts=[{"name": "p", "arguments": 5}])),
    ],
    "what a terminal obeys": [*LISTED, c2s(request(2, "\x1b[2J\n")), s2c("\x1b]0;a\x07\x9b"), s2c(result(2))],
    "half a character": [*LISTED, c2s('{"jsonrpc":"2.0","id":2,"method":"\\ud800"}'), s2c(result(2))],
    "half a character as it is": [*LISTED, s2c(result(2, a="\udfff"))],
    "a field of two lines": [*LISTED, c2s(request(2, "a"), ex=1), s2c("no", ex=1, http={"status": 503, "type": FIELD})],
    "a status that is none": [*LISTED, c2s(request(2, "a"), ex=1), s2c("no", ex=1, http={"status": "503"})],
    "pointers that are none": [*LISTED, c2s(request(2, "a"), redacted=[5, None])],
    "times that are none": [c2s(request(1, "a"), t=float("nan")), s2c(result(1), t=1e300)],
    "a header of other types": [{"cassette": "tsumiki/cassette-v1", "redaction": 5, "server": {}}, *LISTED],
}  # fmt: skip

READERS = (
    ("check", None),
    ("inspect", None),
    ("inspect", "--json", None),
    ("score", None),
    ("budget", None),
    ("redact", None, "OUT"),
    ("from", None, "--out", "OUT"),
    ("contract", "--init", "OUT", "--from", None),
    ("diff", None, None, "--fail-on", "any"),
)


@pytest.fixture
def tsumiki(capsys):
    return Command(capsys)


@pytest.mark.parametrize("name", CASSETTES)
def test_no_cassette_crashes_its_readers(tsumiki, tmp_path, name):
    path = written(tmp_path, *CASSETTES[name])
    for words in READERS:
        out = tmp_path / "out"
        out.unlink(missing_ok=True)
        status = tsumiki(*(path if word is None else out if word == "OUT" else word for word in words))
        assert status in (0, 1, 2), words
        assert status != 2 or len(tsumiki.err.splitlines()) == 1, tsumiki.err
        assert not set("\x1b\x07\x9b") & set(tsumiki.out + tsumiki.err)


SOUND = (
    '{"schema":"mcpstub/v1","server":{"name":"a","version":"1"},'
    '"tools":[{"name":"t","inputSchema":%s,"result":%s}]}'
)
FIXTURES = {
    "": "no JSON",
    "\0\0": "no JSON",
    "[" * 200_000: "no JSON",
    SOUND % ('{"type":"object"}', '{"content":[],"x":%s}' % DEEP): "no JSON",
    SOUND % ('{"type":"object"}', '{"content":[],"x":%s}' % ("[" * 200 + "]" * 200)): "nested too deep",
    SOUND % ('{"type":"object"}', '{"content":[],"x":NaN}'): "NaN is no JSON",
    SOUND % ('{"type":"object"}', '{"content":[],"x":1e999}'): "1e999 is too large",
    SOUND % ('{"type":"object"}', '{"content":[],"x":%s}' % ("9" * 5000)): "no JSON",
}


@pytest.mark.parametrize("text", FIXTURES, ids=range(len(FIXTURES)))
def test_a_file_that_is_no_json_is_named(tsumiki, tmp_path, text):
    path = tmp_path / "f.json"
    path.write_text(text)
    assert tsumiki("check", path) == 1 and FIXTURES[text] in tsumiki.out
    for words in (
        ("serve", path),
        ("from", path, "--out", tmp_path / "out"),
        ("diff", path, path),
        ("contract", path, "--from", path),
        ("serve", path, "--faults", path),
    ):
        assert tsumiki(*words) == 2
        assert tsumiki.err.startswith("tsumiki %s: %s: no JSON" % (words[0], path)), tsumiki.err
        assert len(tsumiki.err.splitlines()) == 1


def test_faults_that_are_no_json(tsumiki, tmp_path):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(SOUND % ('{"type":"object"}', '{"content":[]}'))
    for raw in (b"", b"\xff", b"[" * 200_000, b'[{"do":NaN}]'):
        bad.write_bytes(raw)
        assert tsumiki("serve", good, "--faults", bad) == 2
        assert tsumiki.err.startswith("tsumiki serve: %s: no " % bad), tsumiki.err


def test_what_cannot_be_read_is_named(tsumiki, tmp_path):
    for path in (tmp_path, tmp_path / "none"):
        for words in (
            ("check", path),
            ("serve", path),
            ("from", path),
            ("diff", path, path),
            ("score", path),
        ):
            assert tsumiki(*words) in (1, 2)
            assert str(path) in tsumiki.out + tsumiki.err


@pytest.mark.timeout(20)
def test_a_schema_that_leads_to_itself_often_is_compared_in_time(tsumiki, tmp_path):
    properties = {"p%d" % i: {"$ref": "#"} for i in range(6000)}
    for name, words in (("a", "one"), ("b", "two")):
        schema = json.dumps({"type": "object", "description": words, "properties": properties})
        (tmp_path / name).write_text(SOUND % (schema, '{"content":[]}'))
    assert tsumiki("diff", tmp_path / "a", tmp_path / "b", "--fail-on", "routing") == 1
    assert "too large to be compared" in tsumiki.out
