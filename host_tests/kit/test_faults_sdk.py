"""Each fault on stdio in the hands of a client that is not ours: the Python SDK's. It ends in bounded time."""

import asyncio
import contextlib
import os
import time

import mcp
import pytest

from kit import fault_cases
from kit.fault_cases import tool
from kit.served import command, environment
from kit.test_faults_host import WANTED

TIMEOUT_S = 0.6
# (what the call gave, what the next gave), to be found in the texts of the errors.
OUTCOMES = {
    # It passes over a line that is no message, and takes an id of another type for the same.
    ("ok", "ok"): "delay:100 late:100 duplicate reorder:100 corrupt-valid malformed:oversize:70000 "
    "malformed:stray-line malformed:string-id",
    ("timed out", "ok"): "timeout delay:2000 late:2000 malformed malformed:truncate malformed:wrong-id "
    "malformed:no-jsonrpc",
    # Which of the two members counts is up to who reads them.
    ("injected fault", "ok"): "malformed:both error",
    ("stuck", "ok"): "error:-32000,stuck",
    ("unknown tool", "ok"): "drop-tool",
    ("tool error", "ok"): "tool-error",
    ("field required", "ok"): "empty",
}
ENDS = {
    ("closed", "closed"): "disconnect disconnect:1",
    # The end may come before it has looked at the answer.
    ("ok|closed", "closed"): "disconnect-after",
    # Bytes that are no UTF-8 end its reading for good.
    ("timed out", "timed out"): "malformed:bad-utf8",
}
LIVES = {case: key for key, cases in OUTCOMES.items() for case in cases.split()}
TABLE = dict(LIVES, **{case: key for key, cases in ENDS.items() for case in cases.split()})


def test_the_table_has_every_fault_of_stdio():
    assert set(TABLE) == set(WANTED["stdio"])


async def outcome(client, name, seconds):
    try:
        found = await client.call_tool(name, {}, read_timeout_seconds=seconds)
    except Exception as e:
        return str(e).lower()
    return "tool error" if found.is_error else "ok"


# {case: (what the call gave, seconds, what the next gave)} of one client.
async def meet(line, cases, log, found):
    from mcp.client.stdio import StdioServerParameters, stdio_client

    server = StdioServerParameters(command=line[0], args=line[1:], env=environment())
    async with mcp.Client(stdio_client(server, log), mode="legacy") as client:
        for case in cases:
            begun = time.monotonic()
            first = await outcome(client, tool(case), TIMEOUT_S)
            took = time.monotonic() - begun
            if case == "disconnect-after":
                await asyncio.sleep(0.5)
            then = await outcome(client, "steady", TIMEOUT_S if case == "malformed:bad-utf8" else 10)
            found[case] = first, took, then


def run(folder, cases):
    fixture = fault_cases.fixture(folder / "f.json", [*cases, "steady"], "off")
    line = command("serve", fixture, *fault_cases.arguments(cases))
    found = {}
    with open(os.devnull, "w") as log, contextlib.suppress(Exception):  # what its reader could not bear
        asyncio.run(asyncio.wait_for(meet(line, cases, log, found), 60))
    return found


@pytest.fixture(scope="module")
def met(tmp_path_factory):
    found = run(tmp_path_factory.mktemp("all"), list(LIVES))
    for case in TABLE:
        if case not in LIVES:
            found.update(run(tmp_path_factory.mktemp("one"), [case]))
    return found


@pytest.mark.parametrize("case", TABLE)
def test_a_fault_ends_in_time(met, case):
    assert case in met, sorted(met)
    first, took, after = met[case]
    wanted, then = TABLE[case]
    assert any(words in first for words in wanted.split("|")) and then in after, (first, after)
    assert took < TIMEOUT_S + 2
