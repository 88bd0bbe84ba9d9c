"""Which answer belongs to which request of a cassette, and what happened in between."""

import json

from kit.playing import c2s, call, loaded, note, request, result, row, s2c, text
from tsumiki import recording
from tsumiki.tape import ASK, NOTE, WAIT, Tape, spans, with_id


def tape(tmp_path, *rows):
    return Tape(loaded(tmp_path, *rows).rows)


def answers(found):
    return [json.loads(take.answer)["result"] for take in found.takes]


def test_ids_of_two_types_are_two(tmp_path):
    found = tape(
        tmp_path,
        c2s(request(1, "a")), c2s(request("1", "b")), s2c(result("1", of="b")), s2c(result(1, of="a")),
    )  # fmt: skip
    assert [take.method for take in found.takes] == ["a", "b"]
    assert answers(found) == [{"of": "a"}, {"of": "b"}]


def test_a_request_of_the_servers_with_an_open_id_is_no_answer(tmp_path):
    found = tape(
        tmp_path,
        c2s(call(1, "t", {})), s2c(request(1, "roots/list")), c2s(result(1, roots=[])), s2c(text(1, "done")),
    )  # fmt: skip
    (take,) = found.takes
    assert [event.kind for event in take.events] == [ASK, WAIT]
    assert json.loads(take.answer)["result"]["content"][0]["text"] == "done"


def test_an_id_is_used_again_in_another_recording(tmp_path):
    header = {"cassette": "tsumiki/cassette-v1"}
    found = tape(
        tmp_path,
        header, c2s(request(1, "a")),
        header, c2s(request(1, "b")), s2c(result(1, of="b")),
    )  # fmt: skip
    assert [take.method for take in found.takes] == ["b"]
    assert found.warnings == ["cassette: a was not answered, and is passed over"]


def test_exchanges_tell_equal_ids_of_two_connections_apart(tmp_path):
    found = tape(
        tmp_path,
        c2s(call(1, "t", {"n": 1}), ex=1), c2s(call(1, "t", {"n": 2}), ex=2),
        s2c(note("notifications/message", n=2), ex=2),
        s2c(text(1, "two"), ex=2), s2c(text(1, "one"), ex=1),
    )  # fmt: skip
    assert [r["content"][0]["text"] for r in answers(found)] == ["one", "two"]
    assert [len(take.events) for take in found.takes] == [0, 1]
    assert found.takes[0].behind == [found.takes[1]]


def test_progress_belongs_to_whoever_has_its_token(tmp_path):
    def slow(id, token):
        return request(id, "tools/call", {"name": "t", "_meta": {"progressToken": token}})

    found = tape(
        tmp_path,
        c2s(slow(1, "x")), c2s(slow(2, 2)),
        s2c(note("notifications/progress", progressToken=2, progress=1)),
        s2c(note("notifications/progress", progressToken="x", progress=1)),
        s2c(note("notifications/message", data="either's")),
        s2c(text(2, "b")), s2c(text(1, "a")),
    )  # fmt: skip
    assert [[event.kind for event in take.events] for take in found.takes] == [[NOTE], [NOTE, NOTE]]
    assert b"either's" in found.takes[1].events[1].raw


def test_what_belongs_to_no_request_comes_after_the_answer_before_it(tmp_path):
    found = tape(
        tmp_path,
        s2c(note("notifications/message", data="at the start")),
        c2s(request(1, "initialize")), s2c(result(1)),
        s2c(request(0, "roots/list")), c2s(result(0, roots=[])),
        c2s(call(2, "t", {})), s2c(text(2, "x")),
    )  # fmt: skip
    assert [event.kind for event in found.takes[0].later] == [NOTE, ASK]
    assert found.takes[1].events == []


def test_a_line_that_is_no_json_is_told_and_passed_over(tmp_path):
    found = tape(tmp_path, s2c("Server running on stdio"), c2s(request(1, "a")), s2c(result(1)))
    assert len(found.takes) == 1
    assert "line 1: no JSON, passed over: Server running on stdio" in found.warnings[0]


def test_batches_are_their_messages(tmp_path):
    found = tape(
        tmp_path,
        row("c2s", [request(1, "a"), note("n"), request(2, "b")]),
        row("s2c", [result(2, of="b"), result(1, of="a")]),
    )  # fmt: skip
    assert answers(found) == [{"of": "a"}, {"of": "b"}]


def test_an_answer_without_a_message_is_its_status(tmp_path):
    found = tape(tmp_path, c2s(request(1, "a"), ex=4), s2c("not now", ex=4, http={"status": 503}))
    (take,) = found.takes
    assert (take.status, take.answer, take.is_message) == (503, b"not now", False)


def test_an_answer_with_another_id_is_what_came(tmp_path):
    found = tape(tmp_path, c2s(request(1, "a"), ex=4), s2c(result(2), ex=4, http={"status": 200}))
    (take,) = found.takes
    assert (take.answer, take.is_message) == (json.dumps(result(2)).encode(), False)
    (exchange,) = recording.read(tmp_path / "tape.ndjson").exchanges
    assert exchange.error_class == "malformed"


def test_who_compares_sees_what_was_not_answered_in_its_place(tmp_path):
    rows = c2s(request(1, "a")), s2c(result(1)), c2s(request(2, "b")), c2s(request(3, "c")), s2c(result(3))
    assert [take.method for take in tape(tmp_path, *rows).takes] == ["a", "c"]
    found = [(e.method, e.error_class) for e in recording.read(tmp_path / "tape.ndjson").exchanges]
    assert found == [("a", "ok"), ("b", "unanswered"), ("c", "ok")]


def test_only_the_id_changes():
    raw = b'{ "result" : {"id":1, "n": 1.50, "e": "\\u00e9"} , "id"  :\t1 ,"jsonrpc":"2.0"}'
    changed = with_id(raw, '"a-1"')
    assert changed == raw.replace(b'"id"  :\t1', b'"id"  :\t"a-1"')
    assert with_id(b'{"id":{"a":[1,"}"]},"x":1}', "null") == b'{"id":null,"x":1}'
    assert spans(b"{}") == {}
