"""One behaviour of a server broken at a time: what contract, diff and verify say of it.

contract  what the contract below relies on, at the live server
lists     diff of a cassette with the live server, which is listed and not called
tapes     diff of a cassette with a new recording
verify    the cassette's requests, sent again
"""

import json

import pytest

from kit import mutable, taping
from tsumiki import cli

CONTRACT = {
    "schema": "tsumiki/contract-v1",
    "tools": {
        "echo": {
            "required": ["text"],
            "args": {"text": {"type": "string"}, "style": {"enum": ["plain", "loud"]}},
            "annotations": {"readOnlyHint": True},
            "calls": [
                {"args": {"text": "hello"}, "class": "ok", "content": [{"type": "text", "text": "hello"}]},
                {"args": {}, "class": "tool_error:invalid_arguments"},
            ],
        },
        "get_status": {"output": {"required": ["battery"], "properties": {"battery": {"type": "integer"}}}},
        "move": {"args": {"angle": {"minimum": -90, "maximum": 90}}},
    },
    "resources": ["robot://log"],
    "prompts": {"greet": {"required": ["who"]}},
    "requests": [{"method": "no/such", "class": "rpc_error:-32601"}],
}

HOLDS, FAILS = "holds", "FAILS"
SAME, INFO, ROUTING, BREAKING = "same", "info", "routing", "BREAKING"

# what is broken: contract, diff of the lists, diff of two tapes, verify
CATCHES = {
    None: (HOLDS, SAME, SAME, HOLDS),
    "added-tool": (HOLDS, INFO, INFO, HOLDS),
    "description": (HOLDS, ROUTING, ROUTING, HOLDS),
    "removed-tool": (FAILS, BREAKING, BREAKING, FAILS),
    "lost-required": (FAILS, ROUTING, BREAKING, FAILS),
    "newly-required": (FAILS, BREAKING, BREAKING, FAILS),
    "narrowed-enum": (FAILS, BREAKING, BREAKING, FAILS),
    "type-changed": (FAILS, BREAKING, BREAKING, FAILS),
    "limit-tightened": (FAILS, BREAKING, BREAKING, FAILS),
    "output-lost": (FAILS, BREAKING, BREAKING, FAILS),
    "not-read-only": (FAILS, BREAKING, BREAKING, FAILS),
    "removed-prompt": (FAILS, BREAKING, BREAKING, FAILS),
    "changed-class": (FAILS, SAME, BREAKING, FAILS),
    "changed-code": (FAILS, SAME, BREAKING, FAILS),
    "is-error": (FAILS, SAME, BREAKING, FAILS),
    "wrong-id": (FAILS, SAME, BREAKING, FAILS),
    "malformed": (FAILS, SAME, BREAKING, FAILS),
    "timeout": (FAILS, SAME, BREAKING, FAILS),
    "disconnect": (FAILS, SAME, BREAKING, FAILS),
    # Other words of the same kind: only the contract's content, and `verify --deep`, look at them.
    "content": (FAILS, SAME, SAME, HOLDS),
}


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return taping.record(mutable.command(), tmp_path_factory.mktemp("tapes") / "base.ndjson")


def _report(capsys, *arguments):
    status = cli.main([str(word) for word in arguments])
    found = json.loads(capsys.readouterr().out)
    assert status == (0 if found["ok"] else 1)
    return found


def _worst(report):
    return next((name for name in (BREAKING, ROUTING, INFO) if report["counts"][name.lower()]), SAME)


def _verdict(report):
    return HOLDS if report["ok"] else FAILS


@pytest.mark.parametrize("broken", CATCHES, ids=str)
def test_each_break_is_caught_by_what_should_and_by_nothing_else(broken, base, tmp_path, capsys):
    contract = tmp_path / "contract.json"
    contract.write_text(json.dumps(CONTRACT))
    server = mutable.command(*([broken] if broken else []))
    seconds = 1 if broken in ("timeout", "wrong-id") else 10
    live = ("--era", "legacy", "--timeout", seconds, "--json", "--", *server)
    tape = taping.record(server, tmp_path / "new.ndjson", seconds=seconds)
    found = (
        _verdict(_report(capsys, "contract", contract, "--all-calls", *live)),
        _worst(_report(capsys, "diff", base, *live)),
        _worst(_report(capsys, "diff", base, tape, "--json")),
        _verdict(_report(capsys, "verify", base, "--all-calls", *live)),
    )
    assert found == CATCHES[broken]


@pytest.mark.parametrize("broken, place", [("content", "/result/content/0/text"), (None, None)], ids=str)
def test_what_only_a_deep_look_finds(broken, place, base, capsys):
    server = mutable.command(*([broken] if broken else []))
    arguments = ("verify", base, "--allow-calls", "--deep", "--json")
    found = _report(capsys, *arguments, "--", *server)
    wrong = [one["detail"] for one in found["exchanges"] if not one["ok"]]
    assert wrong == ([place + " differs"] * 2 if place else [])
    assert _report(capsys, *arguments, "--ignore", "/result/content/*/text", "--", *server)["ok"]


def test_the_table_has_all_breaks_but_those_of_no_comparison():
    from kit import mutable_server

    others = {"repeated-cursor", "banner", "asks", "input-required"}  # of the client's own tests
    assert {*mutable_server.CHANGES, *mutable_server.ANSWERS} - others == set(CATCHES) - {None}
