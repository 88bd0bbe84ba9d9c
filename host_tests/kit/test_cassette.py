"""Cassettes on disk: what is read as it is, what is refused, and how one comes into its place."""

import json

import pytest

from kit.playing import GREENHOUSE, c2s, original, request, result, s2c, written
from tsumiki import cassette
from tsumiki.cassette import MARK, Row, Writer
from tsumiki.errors import Unreadable
from tsumiki.tape import Tape

HEADER = {"cassette": MARK, "scenario": "one"}
ROWS = (c2s(request(1, "tools/list")), s2c(result(1, tools=[])))


def test_rows_load_as_they_are():
    found = cassette.load(GREENHOUSE)
    assert [row.direction for row in found.rows[:2]] == ["c2s", "s2c"]
    lines = [json.loads(line)["raw"] for line in GREENHOUSE.read_text("utf-8").splitlines()]
    assert [row.raw for row in found.rows] == lines
    assert (found.headers, found.warnings) == ([], [])


def test_the_articles_cassette_loads():
    tape = Tape(cassette.load(original("cassette.ndjson")).rows)
    assert [take.method for take in tape.takes] == ["initialize", "tools/list", "tools/call", "tools/call"]
    assert tape.warnings == []


@pytest.mark.parametrize(
    "line, reason",
    [
        ("[]", "no row of a cassette"),
        ('{"direction":"up","raw":"{}"}', "no row of a cassette"),
        ('{"direction":"c2s","raw":{}}', "raw is no string"),
        ('{"direction":"c2s","raw":"{}","ex":"3"}', "ex must be an integer"),
        ('{"direction":"c2s","raw":"{}","t":NaN}', "t must be a number from 0"),
        ('{"direction":"c2s","raw":"{}","t":-1}', "t must be"),
        ('{"direction":"c2s","raw":"{}","redacted":[5]}', "redacted must be an array of JSON pointers"),
        ('{"direction":"c2s","raw":"{}","redacted":["a"]}', "redacted must be"),
        ('{"direction":"s2c","raw":"{}","http":{"status":"200"}}', "http: status must be a status"),
        ('{"direction":"s2c","raw":"{}","http":{"status":20000}}', "http: status must be"),
        ('{"direction":"s2c","raw":"","http":{"type":"a\\r\\nSet-Cookie: b"}}', "http: type must be a line"),
        ('{"direction":"s2c","raw":"","http":{"authenticate":"B\\nA: b"}}', "http: authenticate must be"),
        ('{"direction":"s2c","raw":"","http":{"retryAfter":"1\\r\\nA: b"}}', "http: retryAfter must be"),
        ('{"cassette":"tsumiki/cassette-v1","redaction":5}', "redaction must be an object"),
        ('{"cassette":"tsumiki/cassette-v1","redaction":{"count":"x"}}', "redaction: count must be"),
        ('{"cassette":"tsumiki/cassette-v1","scenario":["a"]}', "scenario must be a text"),
        ('{"direction":"c2s"', "no row of a cassette"),
        ('{"cassette":"other/v9"}', "not known here"),
    ],
)
def test_a_line_that_is_none_is_named(tmp_path, line, reason):
    path = written(tmp_path, *ROWS)
    path.write_text(line + "\n" + path.read_text())
    with pytest.raises(Unreadable, match="line 1: .*" + reason):
        cassette.load(path)


def test_a_last_line_that_was_cut_is_passed_over(tmp_path):
    path = written(tmp_path, *ROWS)
    path.write_text(path.read_text() + '{"direction":"c2s","raw":"{\\"js')
    found = cassette.load(path)
    assert len(found.rows) == 2
    assert "line 3: the line was cut" in found.warnings[0]


def test_what_is_no_file_of_rows_is_unreadable(tmp_path):
    empty = tmp_path / "empty"
    empty.write_text("\n\n")
    for path in (empty, tmp_path / "absent", tmp_path):
        with pytest.raises(Unreadable):
            cassette.load(path)


def test_scenarios_of_joined_cassettes(tmp_path):
    path = written(tmp_path, HEADER, *ROWS, dict(HEADER, scenario="two"), *ROWS, *ROWS)
    assert len(cassette.load(path).rows) == 6
    assert len(cassette.load(path, "two").rows) == 4
    with pytest.raises(Unreadable, match="no scenario three, but: one, two"):
        cassette.load(path, "three")


def test_a_scenario_in_a_folder(tmp_path):
    written(tmp_path, *ROWS, name="calm.ndjson")
    assert cassette.load(tmp_path, "calm").path.name == "calm.ndjson"


def test_a_written_row_is_the_same_when_read(tmp_path):
    rows = [
        Row("c2s", '{"a": "\u00e9\u2028"}', seq=0, t=1.5, ex=7),
        Row("s2c", b"\xff\xfe banner".decode("utf-8", "surrogateescape"), http={"status": 200}),
        Row("s2c", "{}", redacted=["/a"], scenario="x"),
    ]
    writer = Writer(tmp_path / "deep" / "x.ndjson", {"scenario": "x"})
    for one in rows:
        writer.write(one)
    found = cassette.load(writer.commit())
    assert [one.as_dict() for one in found.rows] == [one.as_dict() for one in rows]
    assert found.rows[1].data == b"\xff\xfe banner"
    assert found.headers[0]["scenario"] == "x"


def test_the_header_tells_what_is_known_at_the_end(tmp_path):
    writer = Writer(tmp_path / "x", {"era": None})
    writer.write(Row("c2s", "{}"))
    writer.header["era"] = "modern"
    writer.commit()
    first, second = (tmp_path / "x").read_text().splitlines()
    assert json.loads(first) == {"cassette": MARK, "era": "modern"}
    assert json.loads(second)["raw"] == "{}"
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


def test_nothing_is_replaced_before_the_end(tmp_path):
    path = written(tmp_path, *ROWS)
    before = path.read_bytes()
    with pytest.raises(Unreadable, match="--force"):
        Writer(path)
    writer = Writer(path, force=True)
    writer.write(Row("c2s", "{}"))
    assert path.read_bytes() == before
    writer.commit()
    assert path.read_bytes() != before


def test_no_message_changes_nothing(tmp_path):
    path = written(tmp_path, *ROWS)
    before = path.read_bytes()
    assert Writer(path, {}, force=True).commit() is None
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_two_recordings_of_one_cassette_do_not_mix(tmp_path):
    first = Writer(tmp_path / "x")
    first.write(Row("c2s", "{}"))
    with pytest.raises(Unreadable, match="under way"):
        Writer(tmp_path / "x")
    first.commit()
    assert len(cassette.load(tmp_path / "x").rows) == 1


def test_a_row_is_on_disk_at_once(tmp_path):
    writer = Writer(tmp_path / "x")
    writer.write(Row("c2s", "{}"))
    assert len(cassette.load(tmp_path / "x.tmp").rows) == 1
    writer.discard()
    assert list(tmp_path.iterdir()) == []


def test_what_is_a_cassette(tmp_path):
    fixture = tmp_path / "fixture.json"
    fixture.write_text('{\n"schema":"mcpstub/v1"}')
    assert not cassette.is_cassette(fixture)
    assert cassette.is_cassette(GREENHOUSE)
    assert cassette.is_cassette(tmp_path)
    assert cassette.is_cassette(written(tmp_path, HEADER, *ROWS))
