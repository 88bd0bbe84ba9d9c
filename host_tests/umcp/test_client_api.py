"""The methods that all clients share, over a driver that is none."""

from scripted import ACCEPTED, READY, Lines, discovered, result_of, run, with_session

from harness import eq, raises
from umcp import client_errors as ce
from umcp import codec
from umcp.client_api import Client


class Scripted(Client):
    """Its server is a list of replies; `sent` has the last call's exchanges, `limit_ms` its time limit."""

    def __init__(self, **kwargs):
        self._begin(Lines, **kwargs)
        self.replies = ()

    def _run(self, flow, timeout_ms):
        self.limit_ms = timeout_ms
        result, self.sent, error = run(flow, *self.replies)
        if error:
            raise error
        return result


def _call(client, name, *args, replies=(), **kwargs):
    client.replies = replies
    return getattr(client, name)(*args, **kwargs)


_OPENINGS = {"legacy": (with_session(READY), ACCEPTED), "modern": (discovered(),)}


def _open(era):
    client = Scripted(only=era)
    _call(client, "initialize", replies=_OPENINGS[era])
    return client


def test_what_is_known_of_the_server():
    client = Scripted(only=None)
    eq((client.era, client.protocol_version, client.is_initialized()), (None, None, False))
    for era, version in (("legacy", "2025-11-25"), ("modern", "2026-07-28")):
        client = _open(era)
        eq((client.era, client.protocol_version, client.is_initialized()), (era, version, True))
        client.reset()
        eq((client.era, client.protocol_version, client.is_initialized()), (era, None, False))
        raises(ce.NotInitialized, _call, client, "list_tools")


_PROMPT = {"type": "ref/prompt", "name": "p"}
# Name, arguments, method, params, the server's result, and what the call gives.
_METHODS = (
    ("list_tools", (), "tools/list", {}, {"tools": []}, []),
    ("call_tool", ("t", {"a": 1}), "tools/call", {"name": "t", "arguments": {"a": 1}}, {"n": 1}, {"n": 1}),
    ("list_resources", (), "resources/list", {}, {"resources": []}, []),
    ("list_resource_templates", (), "resources/templates/list", {}, {"resourceTemplates": []}, []),
    ("read_resource", ("a://b",), "resources/read", {"uri": "a://b"}, {"contents": []}, []),
    ("list_prompts", (), "prompts/list", {}, {"prompts": []}, []),
    ("get_prompt", ("p", {"x": "y"}), "prompts/get", {"name": "p", "arguments": {"x": "y"}}, {"messages": []},
     {"messages": []}),
    ("complete", (_PROMPT, "x", "a"), "completion/complete", {"ref": _PROMPT, "argument": {"name": "x", "value": "a"}},
     {"completion": {"values": ["ab"]}}, {"values": ["ab"]}),
)  # fmt: skip


def test_each_method_in_each_era():
    for era in ("legacy", "modern"):
        client = _open(era)
        for name, args, method, params, result, wanted in _METHODS:
            seen = _call(client, name, *args, replies=(result_of(result),), timeout_ms=77)
            eq((name, seen, client.limit_ms, len(client.sent)), (name, wanted, 77, 1))
            message = codec.loads(client.sent[0].body)
            said = dict(message.get("params", {}))
            eq("_meta" in said, era == "modern")
            said.pop("_meta", None)
            eq((message["method"], said), (method, params))


def test_what_the_eras_do_in_their_own_ways():
    legacy, modern = _open("legacy"), _open("modern")
    for name, method in (("subscribe", "resources/subscribe"), ("unsubscribe", "resources/unsubscribe")):
        _call(legacy, name, "a://b", replies=(result_of({}),))
        eq(codec.loads(legacy.sent[0].body)["method"], method)
        _call(modern, name, "a://b")
        eq(modern.sent, [])
    _call(legacy, "set_log_level", "info", replies=(result_of({}),))
    eq(len(legacy.sent), 1)
    _call(modern, "set_log_level", "info")
    eq(len(modern.sent), 0)
