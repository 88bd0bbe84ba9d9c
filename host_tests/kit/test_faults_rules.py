"""Rules: which message is hit, and what is refused before anything is served."""

import json
import re

import pytest

from install import ROOT
from kit.commands import Command
from kit.playing import call, note, request
from tsumiki.errors import Unreadable
from tsumiki.fault_kinds import FAULTS
from tsumiki.fault_rules import EACH, Rule, from_environment, from_file, short
from tsumiki.pipeline import DELETE, GET, Channel, Exchange, Http


def exchange(message, kind=None):
    return Exchange(json.dumps(message).encode(), "http", None, Channel(), Http("POST", "/mcp"), kind)


def hits(rule, messages, session=0):
    """The numbers of those that are hit, from 1."""
    found = [exchange(message) for message in messages]
    return [n for n, one in enumerate(found, 1) if rule.is_about(one, session) and rule.count(session)]


CALLS = [call(n, "move_head", {}) for n in range(6)]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("tools/call=timeout", [1, 2, 3, 4, 5, 6]),
        ("tools/call#2=timeout", [2]),
        ("tools/call#2-=timeout", [2, 3, 4, 5, 6]),
        ("tools/call#2-4=timeout", [2, 3, 4]),
        ("tools/call#3-3=timeout", [3]),
        ("tools/call:move_*#1=timeout", [1]),
        ("tools/call:move_head=timeout", [1, 2, 3, 4, 5, 6]),
        ("tools/call:say=timeout", []),
        ("tools/*#6=timeout", [6]),
        ("tools/list=timeout", []),
        ("*#5=timeout", [5]),
        ("tools/call@1=timeout", []),
    ],
)
def test_short_forms(text, expected):
    assert hits(short(text), CALLS) == expected


@pytest.mark.parametrize(
    "on, expected",
    [
        ({}, [1, 2, 3, 4, 5, 6]),
        ({"method": "*"}, [1, 2, 3, 4, 5, 6]),
        ({"after": 2}, [3, 4, 5, 6]),
        ({"after": 2, "times": 2}, [3, 4]),
        ({"nth": 2, "times": 3}, [2, 3, 4]),
        ({"nth": 2, "after": 3}, [5]),
        ({"times": 1}, [1]),
        ({"nth": None, "tool": None, "session": None}, [1, 2, 3, 4, 5, 6]),
    ],
)
def test_numbers(on, expected):
    assert hits(Rule({"on": on, "do": "timeout"}), CALLS) == expected


def test_only_what_a_rule_is_about_is_counted():
    messages = [request(1, "tools/list"), call(2, "say", {}), call(3, "move", {}), call(4, "say", {})]
    assert hits(short("tools/call:say#2=timeout"), messages) == [4]
    assert hits(short("tools/call#2=timeout"), messages) == [3]


def test_sessions_are_told_apart():
    rule = short("tools/call@2#1=timeout")
    assert not rule.is_about(exchange(CALLS[0]), 1)
    assert rule.is_about(exchange(CALLS[0]), 2)
    each = short("tools/call@each#2=timeout")
    assert [each.count(session) for session in (1, 2, 1, 2, 1)] == [False, False, True, True, False]


def test_a_notification_is_hit_by_its_name_and_not_by_chance():
    message = exchange(note("notifications/initialized"))
    assert not short("*=timeout").is_about(message, 0)
    assert short("notifications/*=timeout").is_about(message, 0)


def test_a_stream_and_the_end_of_a_session_have_names():
    get, delete = exchange(None, GET), exchange(None, DELETE)
    assert short("GET=timeout").is_about(get, 0) and not short("GET=timeout").is_about(delete, 0)
    assert short("DELETE=timeout").is_about(delete, 0)
    assert not short("*=timeout").is_about(get, 0)


def test_a_response_is_hit_by_nothing():
    assert not short("*=timeout").is_about(exchange({"jsonrpc": "2.0", "id": 1, "result": {}}), 0)


@pytest.mark.parametrize(
    "text, given",
    [
        ("*=timeout", {}),
        ("*=delay:250", {"ms": 250}),
        ("*=delay", {"ms": 1000}),
        ("*=error:-32000,stuck: at 3, 4", {"code": -32000, "message": "stuck: at 3, 4"}),
        ("*=tool-error:no, not now", {"text": "no, not now"}),
        ("*=malformed", {"how": "not-json", "size": 1 << 20}),
        ("*=malformed:oversize:5000", {"how": "oversize", "size": 5000}),
        ("*=status:429,7", {"code": 429, "retry_after": 7}),
        ("*=redirect:http://127.0.0.1:1/x?a=b,c", {"location": "http://127.0.0.1:1/x?a=b,c"}),
        ("*=slow:1,5", {"bytes": 1, "ms": 5}),
        ("*=close-mid-body:0", {"bytes": 0}),
        ("*=drop-tool:move_*", {"tool": "move_*"}),
    ],
)
def test_what_a_fault_is_given(text, given):
    assert short(text).given == given


@pytest.mark.parametrize(
    "text, said",
    [
        ("timeout", "METHOD"),
        ("tools/call=", "METHOD"),
        ("=timeout", "METHOD"),
        ("tools/call#x=timeout", "METHOD"),
        ("tools/call#0=timeout", "from 1"),
        ("tools/call#4-2=timeout", "no range"),
        ("tools/call#0-=timeout", "no range"),
        ("tools/call@0=timeout", "session"),
        ("*=hiccup", "no fault is called 'hiccup': timeout, "),
        ("*=timeout:5", "takes nothing"),
        ("*=delay:soon", "no number"),
        ("*=delay:-1", "from 0"),
        ("*=malformed:strangely", "none of not-json"),
        ("*=status:42", "200 to 599"),
        ("*=slow:0", "from 1"),
        ("*=redirect:/a b", "cannot be"),
        ("*=redirect:/\r\nX: y", "cannot be"),
    ],
)
def test_a_short_form_that_makes_no_sense(text, said):
    with pytest.raises(Unreadable, match=said):
        short(text)


@pytest.mark.parametrize(
    "rule, said",
    [
        ([], "object"),
        ({}, "fault is called None"),
        ({"do": "timeout", "when": 1}, "'when' is none of on, do"),
        ({"do": "timeout", "on": {"methods": "x"}}, "'methods' is none of method"),
        ({"do": "timeout", "on": {"nth": 0}}, '"nth" is a number from 1'),
        ({"do": "timeout", "on": {"nth": True}}, '"nth" is a number from 1'),
        ({"do": "timeout", "on": {"after": -1}}, '"after" is a number from 0'),
        ({"do": "timeout", "on": {"tool": 3}}, '"tool" is a text'),
        ({"do": "timeout", "on": {"session": "last"}}, '"session"'),
        ({"do": "timeout", "consume": "yes"}, "true or false"),
        ({"do": "timeout", "with": []}, '"with" is an object'),
        ({"do": "delay", "with": {"s": 1}}, "this fault takes ms"),
        ({"do": "delay", "with": {"ms": 1.5}}, "a number from"),
    ],
)
def test_a_rule_of_a_file_that_makes_no_sense(tmp_path, rule, said):
    path = tmp_path / "faults.json"
    path.write_text(json.dumps([{"do": "timeout"}, rule]))
    with pytest.raises(Unreadable, match=said) as caught:
        from_file(path)
    assert "faults.json: rule 2" in str(caught.value)


def test_a_file_is_an_array_or_has_one(tmp_path):
    path = tmp_path / "faults.json"
    value = [
        {
            "on": {"method": "tools/call", "session": "each"},
            "do": "error",
            "with": {"code": 5},
            "consume": True,
        }
    ]
    for whole in (value, {"faults": value}):
        path.write_text(json.dumps(whole))
        (rule,) = from_file(path)
        assert (rule.do, rule.given["code"], rule.consume, rule.session) == ("error", 5, True, EACH)
    for text, said in (("{", "no JSON"), ("{}", "array of rules"), ('"x"', "array of rules")):
        path.write_text(text)
        with pytest.raises(Unreadable, match=said):
            from_file(path)
    with pytest.raises(Unreadable, match="No such file"):
        from_file(tmp_path / "none.json")


@pytest.mark.parametrize(
    "environ, expected",
    [
        ({"FAULT_METHOD": "tools/call", "FAULT": "timeout"}, ["timeout"]),
        ({"FAULT_METHOD": "tools/call", "FAULT": "disconnect"}, ["disconnect"]),
        ({"FAULT_METHOD": "tools/call", "FAULT": "malformed"}, ["malformed"]),
        ({"FAULT_METHOD": "tools/call", "FAULT": "hiccup"}, []),
        ({"FAULT_METHOD": "tools/call", "FAULT": ""}, []),
        ({"FAULT_METHOD": "", "FAULT": "timeout"}, []),
        ({}, []),
    ],
)
def test_the_articles_environment(environ, expected):
    rules = from_environment(environ)
    assert [rule.do for rule in rules] == expected
    assert all(hits(rule, CALLS) == [1, 2, 3, 4, 5, 6] for rule in rules)


PAGE = (ROOT / "docs" / "testkit.md").read_text("utf-8")
SECTION = PAGE[PAGE.index("\n## Break") : PAGE.index("\n## What is relied on")]


def test_the_page_has_every_fault_with_what_it_is_given():
    tables = SECTION[: SECTION.index("What a client should make of it")]
    cells = re.findall(r"^\| (`[^|]*`) \|", tables, re.M)
    forms = re.findall(r"`([a-z0-9-]+)(?::([A-Z_,]+))?`", " ".join(cells))
    named = {name: words for name, words in forms if name in FAULTS}
    assert set(named) == set(FAULTS)
    for name, fault in FAULTS.items():
        most = len(named[name].split(",")) if named[name] else 0
        shown = len(fault.parameters) - (name == "malformed")  # its size is told beside `oversize`
        assert most == shown, name


def test_the_page_has_every_way_of_a_fault():
    for fault in FAULTS.values():
        for parameter in fault.parameters:
            for choice in parameter.choices or ():
                assert re.search("`%s(:BYTES)?`" % choice, SECTION), choice


def test_what_the_page_shows_are_rules(tmp_path):
    shown = re.findall(r"`([^`\s]*=[a-z][^`\s]*)`", SECTION)
    assert len(shown) > 5
    for text in shown:
        short(text)
    (block,) = re.findall(r"```json\n(.*?)```", SECTION, re.S)
    path = tmp_path / "faults.json"
    path.write_text(block)
    assert [rule.do for rule in from_file(path)] == ["malformed", "drop-tool", "timeout"]


@pytest.mark.parametrize("command", [("serve", "weather.json"), ("proxy",)])
def test_the_help_lists_them(capsys, command):
    tsumiki = Command(capsys)
    assert tsumiki(*command, "--fault", "help") == 0
    names = re.findall(r"^([a-z0-9-]+)(?::.*)?$", tsumiki.out, re.M)
    assert names == list(FAULTS) and "status:CODE,RETRY_AFTER\n" in tsumiki.out
