"""Which recording a request gets: arguments, policies, wildcards, pages, calls at once."""

import asyncio

import pytest

from kit.playing import (
    CALLS,
    GREENHOUSE,
    Client,
    c2s,
    call,
    client,
    replayed,
    request,
    result,
    run,
    s2c,
    text,
)
from tsumiki import cassette
from tsumiki.errors import Unreadable


def test_arguments_choose_whatever_the_order(tmp_path):
    one = client(tmp_path, *CALLS)

    async def work():
        assert [await one.say("t", {"n": n}) for n in (2, 1.0, 1)] == ["two", "one", "one again"]
        assert (await one.say("t", {"n": 2}))["data"]["reason"] == "exhausted"
        assert (await one.say("t", {"n": True}))["data"]["reason"] == "replay-miss"

    run(work())


def test_a_miss_says_what_there_is(tmp_path):
    one = client(tmp_path, *CALLS)
    error = run(one.say("t", {"n": 9}))
    assert (error["code"], error["message"]) == (-32601, "No recording for tools/call")
    assert error["data"]["candidates"][1] == 'tools/call {"name":"t","arguments":{"n":2}}'
    assert len(error["data"]["digest"]) == 16
    assert one.responder.exit_status == 3
    assert one.responder.told == ["replay-miss: no recording for t"]


@pytest.mark.parametrize(
    "policy, third",
    [("error", None), ("repeat", "one again"), ("cycle", "one")],
)
def test_policies_of_what_is_exhausted(tmp_path, policy, third):
    one = client(tmp_path, *CALLS, exhausted=policy)

    async def work():
        await one.say("t", {"n": 1})
        await one.say("t", {"n": 1})
        found = [await one.say("t", {"n": 1}) for _ in range(2)]
        if third is None:
            assert found[0]["data"]["reason"] == "exhausted"
        else:
            assert found == [third, "one again"]

    run(work())


def test_matching_by_method_ignores_arguments(tmp_path):
    one = client(tmp_path, *CALLS, match="method")

    async def work():
        assert [await one.say("other", {}) for _ in range(3)] == ["one", "two", "one again"]
        assert (await one.say("t", {"n": 1}))["data"]["reason"] == "exhausted"

    run(work())


def test_strict_matching_wants_the_next_one(tmp_path):
    one = client(tmp_path, *CALLS, match="strict")

    async def work():
        assert await one.say("t", {"n": 1}) == "one"
        error = await one.say("t", {"n": 1})
        assert error["data"]["expected"].endswith('{"n":2}}')
        assert await one.say("t", {"n": 2}) == "two"
        assert await one.say("t", {"n": 1}) == "one again"
        assert (await one.say("t", {"n": 1}))["data"]["reason"] == "exhausted"

    run(work())


def test_rows_without_params_serve_any_arguments_unless_told_otherwise():
    async def work(match):
        one = Client(replayed(cassette.load(GREENHOUSE), match=match))
        return await one.say("read_bed", {"bed": "x"}), one.responder.told

    assert run(work("auto")) == (
        "tomatoes: 41 %",
        ["read_bed: recorded without params: arguments are not compared"],
    )
    assert run(work("args"))[0]["data"]["reason"] == "replay-miss"


def test_meta_and_ignored_arguments_are_not_compared(tmp_path):
    rows = c2s(call(1, "t", {"n": 1, "when": "then"})), s2c(text(1, "yes"))

    async def work(ignore):
        one = client(tmp_path, *rows, ignore=ignore)
        params = {"name": "t", "arguments": {"when": "now", "n": 1}, "_meta": {"progressToken": 5}}
        return await one.ask("tools/call", params)

    assert "result" in run(work(["/arguments/when"]))
    assert "error" in run(work([]))
    with pytest.raises(Unreadable, match="no JSON pointer"):
        run(work(["when"]))


def test_pages_by_cursor_and_the_list_may_be_asked_again(tmp_path):
    rows = (
        c2s(request(1, "tools/list")), s2c(result(1, tools=[{"name": "a"}], nextCursor="p2")),
        c2s(request(2, "tools/list", {"cursor": "p2"})), s2c(result(2, tools=[{"name": "b"}])),
    )  # fmt: skip
    one = client(tmp_path, *rows)

    async def page(cursor):
        found = await one.ask("tools/list", {"cursor": cursor} if cursor else {})
        return found["result"]["tools"][0]["name"] if "result" in found else found["error"]["data"]["reason"]

    async def work():
        assert [await page(c) for c in (None, "p2", None, None, "p2")] == ["a", "b", "a", "a", "b"]
        assert await page("p3") == "replay-miss"

    run(work())


def test_calls_at_once_are_answered_in_the_order_of_their_answers(tmp_path):
    one = client(
        tmp_path,
        c2s(call(1, "t", {"n": 1})), c2s(call(2, "t", {"n": 2})), c2s(call(3, "t", {"n": 1})),
        s2c(text(3, "third")), s2c(text(2, "second")), s2c(text(1, "first")),
    )  # fmt: skip
    order = []

    async def ask(n):
        order.append(await one.say("t", {"n": n}))
        return order[-1]

    async def work():
        return await asyncio.gather(ask(1), ask(2), ask(1))

    assert run(work()) == ["first", "second", "third"]
    assert order == ["third", "second", "first"]


def test_an_answer_does_not_wait_long_for_a_call_that_does_not_come(tmp_path):
    one = client(
        tmp_path,
        c2s(call(1, "t", {"n": 1})), c2s(call(2, "t", {"n": 2})), s2c(text(2, "b")), s2c(text(1, "a")),
    )  # fmt: skip
    assert run(one.say("t", {"n": 1}), seconds=1) == "a"
