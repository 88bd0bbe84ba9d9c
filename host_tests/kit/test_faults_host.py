"""Every fault has its class for the host's client, on both transports, in bounded time, and the next request works."""

import asyncio
import time

import pytest

from kit import fault_cases
from kit.fault_cases import LISTS, by_case, is_of_http, name_of, tool
from kit.served import Served, command, environment
from tsumiki.fault_kinds import FAULTS
from tsumiki.live import Live

LIMIT_S = 0.4
SLOW_S = 2.0  # a process may have to start
STDIO = {
    "ok": "delay:100 late:100 disconnect-after duplicate reorder:100 empty corrupt-valid malformed:oversize:70000",
    "timeout": "timeout delay:2000 late:2000 malformed:wrong-id malformed:string-id",
    "disconnect": "disconnect disconnect:1",
    "malformed": "malformed malformed:truncate malformed:stray-line malformed:bad-utf8 malformed:no-jsonrpc "
    "malformed:both",
    "rpc_error:-32603": "error",
    "rpc_error:-32000": "error:-32000,stuck",
    "rpc_error:-32602": "drop-tool",
    "tool_error:injected_fault": "tool-error",
}
HTTP = {
    "ok": STDIO["ok"] + " slow:16,1 sse multi-data-lines comments crlf other-events-first wrong-id-first "
    "done-marker:behind",
    "timeout": "timeout delay:2000 late:2000 never-ends",
    "disconnect": STDIO["disconnect"] + " close-before-headers close-before-headers:reset close-mid-body "
    "close-mid-body:0 bad-length:long no-final-blank",
    "malformed": STDIO["malformed"] + " malformed:wrong-id malformed:string-id bad-length bad-length:text "
    "bad-length:two wrong-type empty-200 done-marker:before done-marker:instead",
    **{name: STDIO[name] for name in STDIO if name[:4] in ("rpc_", "tool")},
    "http:307": "redirect",
    # The session is opened anew, but a call is not sent twice.
    "http:404": "session-lost status:404",
    **{"http:%d" % code: "status:%d" % code for code in (400, 401, 403, 405, 406, 413, 429, 500, 502, 503)},
}
WANTED = {"stdio": by_case(STDIO), "http": by_case(HTTP)}


def test_the_tables_have_every_fault():
    assert {name_of(case) for case in WANTED["http"]} | set(LISTS) == set(FAULTS)
    of_messages = {name for name, fault in FAULTS.items() if not fault.http_only}
    assert {name_of(case) for case in WANTED["stdio"]} | set(LISTS) == of_messages
    assert not any(is_of_http(case) for case in WANTED["stdio"])


async def meet(live, case):
    """(class, seconds, class of the next)."""
    begun = time.monotonic()
    answer = await live.call(tool(case), timeout=LIMIT_S)
    took = time.monotonic() - begun
    while case == "disconnect-after" and hasattr(live._transport, "_reading") and not live._transport.lost:
        await asyncio.sleep(0.01)
    after = await live.call("steady", timeout=20)
    return answer.error_class, took, after.error_class


@pytest.fixture(scope="module", params=["stdio", "http"])
def met(request, tmp_path_factory):
    """(the transport, {case: what `meet` gave}): a server for all, and a client for each."""
    cases = WANTED[request.param]
    folder = tmp_path_factory.mktemp(request.param)
    fixture = fault_cases.fixture(folder / "f.json", [*cases, "steady"], "optional")
    faults = fault_cases.arguments(cases)

    async def each(**where):
        found = {}
        for case in cases:
            async with Live(era="legacy", timeout=20, **where) as live:
                found[case] = await meet(live, case)
        return found

    async def one(line):
        found = {}
        async with Live(era="legacy", timeout=20, command=line) as live:
            for case in cases:
                found[case] = await meet(live, case)
        return found

    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment().items():
            patch.setenv(name, value)
        if request.param == "stdio":
            return "stdio", asyncio.run(one(command("serve", fixture, *faults)))
        with Served(fixture, *faults) as served:
            return "http", asyncio.run(each(url=served.url + "/mcp"))


def test_each_has_its_class_and_the_next_request_works(met):
    transport, found = met
    wrong = {}
    for case, wanted in WANTED[transport].items():
        error_class, took, after = found[case]
        if (error_class, after) != (wanted, "ok") or took > LIMIT_S + SLOW_S:
            wrong[case] = found[case]
    assert wrong == {}


def on_a_line(work, *faults, tools=("a", "b", "c")):
    """The result of `async work(live)` with a stub on stdio that has such faults."""

    async def run(folder):
        fixture = fault_cases.fixture(folder / "f.json", tools, "off")
        words = [word for fault in faults for word in ("--fault", fault)]
        async with Live(command=command("serve", fixture, *words), era="legacy", timeout=20) as live:
            found = await work(live)
            assert live._transport._pending == {}
            return found

    return run


@pytest.fixture
def clone(monkeypatch):
    """The host command is found in processes that are started."""
    for name, value in environment().items():
        monkeypatch.setenv(name, value)


async def together(live, *names, timeout=5):
    """The classes of calls under way at the same time."""
    asked = [live._request("tools/call", {"name": name, "arguments": {}}, timeout) for name in names]
    return [answer.error_class for answer in await asyncio.gather(*asked)]


@pytest.mark.parametrize(
    "fault, classes",
    [
        ("disconnect", ["disconnect"] * 3),
        ("malformed", ["malformed"] * 3),
        ("malformed:truncate", ["malformed"] * 3),
        ("malformed:stray-line", ["malformed"] * 3),
        ("malformed:wrong-id", ["timeout", "ok", "ok"]),
        ("timeout", ["timeout", "ok", "ok"]),
        ("error", ["rpc_error:-32603", "ok", "ok"]),
        ("duplicate", ["ok", "ok", "ok"]),
    ],
)
def test_who_else_is_hit_on_a_line(clone, tmp_path, fault, classes):
    async def work(live):
        found = await together(live, "a", "b", "c", timeout=1.5)
        return found, (await live.call("b", timeout=20)).error_class

    # The others are still under way when it happens.
    faults = ("tools/call:a#1=" + fault, "tools/call#2-3=late:300")
    seen = asyncio.run(on_a_line(work, *faults)(tmp_path))
    assert seen == (classes, "ok")


def test_an_answer_that_comes_too_late_is_nobodys(clone, tmp_path):
    async def work(live):
        late = await live.call("a", timeout=0.1)
        await asyncio.sleep(0.4)
        texts = [(await live.call(name)).result["content"][0]["text"] for name in "bc"]
        return late.error_class, texts

    assert asyncio.run(on_a_line(work, "tools/call:a=late:300")(tmp_path)) == (
        "timeout",
        ["21 of b", "21 of c"],
    )


def test_the_answer_of_one_behind_that_of_another(clone, tmp_path):
    async def work(live):
        order = []

        async def ask(name):
            await live.call(name)
            order.append(name)

        first = asyncio.ensure_future(ask("a"))
        await asyncio.sleep(0.1)
        await ask("b")
        await first
        return order

    assert asyncio.run(on_a_line(work, "tools/call:a#1=reorder:5000")(tmp_path)) == ["b", "a"]


@pytest.mark.parametrize(
    "fault, names",
    [("drop-tool:b", ["a", "c"]), ("drop-tool", ["b", "c"]), ("schema-drift", ["a", "b", "c"])],
)
def test_a_list_that_is_another_the_second_time(clone, tmp_path, fault, names):
    async def work(live):
        return [await live.listing("tools/list", "tools") for _ in range(3)]

    first, second, third = asyncio.run(on_a_line(work, "tools/list#2=" + fault)(tmp_path))
    assert [tool["name"] for tool in second] == names
    assert first == third != second
