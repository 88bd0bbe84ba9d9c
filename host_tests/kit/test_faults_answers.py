"""Faults that change an answer: its envelope, its bytes, its list of tools, its values."""

import json

import pytest

from kit.faulting import Inner, met, raw
from kit.playing import Client, call, request, run, text
from tsumiki.fault_rules import short
from tsumiki.faults import Faults

GOOD = text(7, "21 sheep")
CHANGED = [
    ("wrong-id", dict(GOOD, id=1000007)),
    ("string-id", dict(GOOD, id="7")),
    ("no-jsonrpc", {"id": 7, "result": GOOD["result"]}),
    ("both", dict(GOOD, result={}, error={"code": -32603, "message": "Injected fault"})),
]


@pytest.mark.parametrize("how, expected", CHANGED)
def test_answers_to_nobody(how, expected):
    actions, asked = met("malformed:" + how)
    assert (json.loads(raw(actions)), asked) == (expected, ["count"])


def test_the_id_of_a_text_is_another_text_or_a_number():
    asked = request("seven", "tools/call", {"name": "count"})
    assert json.loads(raw(met("malformed:wrong-id", asked)[0]))["id"] == "seven-x"
    assert json.loads(raw(met("malformed:string-id", asked)[0]))["id"] == 0


def test_bytes_that_are_no_message():
    whole = json.dumps(GOOD).encode()
    cut = raw(met("malformed:truncate")[0])
    assert whole.startswith(cut) and len(cut) == len(whole) // 2
    stray = raw(met("malformed:stray-line")[0])
    assert stray.endswith(b"\n" + whole) and stray.count(b"\n") == 1
    big = raw(met("malformed:oversize:5000")[0])
    assert len(big) == len(whole) + 5000 and json.loads(big) == GOOD
    bad = raw(met("malformed:bad-utf8")[0])
    with pytest.raises(UnicodeDecodeError):
        bad.decode()
    assert json.loads(bad.decode("utf-8", "replace"))["id"] == 7


TOOLS = [
    {"name": "say", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}},
    {
        "name": "move_head",
        "inputSchema": {"type": "object", "properties": {"yaw": {"type": "number"}}, "required": ["yaw"]},
    },
    {"name": "move_neck"},
]


def listed(fault, message=None):
    actions, asked = met(
        fault,
        message or request(7, "tools/list"),
        lambda e: {"jsonrpc": "2.0", "id": e.id, "result": {"tools": TOOLS}},
    )
    return json.loads(raw(actions)), asked


@pytest.mark.parametrize(
    "fault, names",
    [
        ("drop-tool", ["move_head", "move_neck"]),
        ("drop-tool:say", ["move_head", "move_neck"]),
        ("drop-tool:move_*", ["say"]),
        ("drop-tool:none", ["say", "move_head", "move_neck"]),
    ],
)
def test_a_tool_that_is_gone(fault, names):
    answer, asked = listed(fault)
    assert ([tool["name"] for tool in answer["result"]["tools"]], asked) == (names, ["tools/list"])


def test_a_call_of_a_tool_that_is_gone():
    answer, asked = listed("drop-tool:move_*", call(7, "move_neck", {}))
    assert (answer["error"]["code"], asked) == (-32602, [])


@pytest.mark.parametrize(
    "how, properties, required",
    [
        ("required", {"yaw": {"type": "number"}, "drift": {"type": "string"}}, ["yaw", "drift"]),
        ("type", {"yaw": {"type": "string"}}, ["yaw"]),
        ("renamed", {"yaw_2": {"type": "number"}}, ["yaw_2"]),
    ],
)
def test_schemas_that_drift(how, properties, required):
    tools = listed("schema-drift:%s,move_*" % how)[0]["result"]["tools"]
    assert tools[0] == TOOLS[0]
    assert (tools[1]["inputSchema"]["properties"], tools[1]["inputSchema"]["required"]) == (
        properties,
        required,
    )
    assert TOOLS[1]["inputSchema"]["required"] == ["yaw"]


@pytest.mark.parametrize(
    "result, expected",
    [
        (
            {
                "content": [{"type": "text", "text": '{"n":21,"at":[0.5]}'}],
                "structuredContent": {"n": 21, "at": [0.5]},
            },
            {
                "content": [{"type": "text", "text": '{"n":12,"at":[0.6]}'}],
                "structuredContent": {"n": 12, "at": [0.6]},
            },
        ),
        ({"content": [{"type": "text", "text": "Ok"}]}, {"content": [{"type": "text", "text": "oK"}]}),
        ({"contents": [{"uri": "a://1", "text": "90"}]}, {"contents": [{"uri": "a://1", "text": "80"}]}),
        (
            {"messages": [{"role": "user", "content": {"type": "text", "text": "7 up"}}]},
            {"messages": [{"role": "user", "content": {"type": "text", "text": "8 up"}}]},
        ),
        ({"structuredContent": {"on": True, "x": None}}, {"structuredContent": {"on": False, "x": None}}),
        ({"structuredContent": [-3, 1e300]}, {"structuredContent": [-4, -1e300]}),
    ],
)
def test_values_that_are_others(result, expected):
    actions, _ = met("corrupt-valid", answer=lambda e: {"jsonrpc": "2.0", "id": e.id, "result": result})
    assert json.loads(raw(actions))["result"] == expected


def test_where_there_is_nothing_to_change_people_are_told():
    said = []
    faults = Faults(Inner(), [short("*=drop-tool")], said.append)
    answer = run(Client(faults).ask("prompts/list"))
    assert answer["result"]["content"] and said == [
        "*=drop-tool: the answer to prompts/list has nothing to change"
    ]
