"""What becomes of each fault in a client's hands: the one table that every client's test asks.

A case is a fault's short form; the tool of its name is hit at its first call. Outcomes are those of
`firmware/umcp/client_errors.py` for the robot's client, and the error classes of `tsumiki.exchanges` for the host's.
"""

import json
import re

from tsumiki.fault_kinds import FAULTS

ROBOT = {
    "ok": "delay:100 late:100 disconnect-after duplicate reorder:100 empty corrupt-valid slow:16,1 sse "
    "multi-data-lines comments crlf other-events-first wrong-id-first done-marker done-marker:behind",
    "RequestTimeout": "timeout delay:2000 late:2000 never-ends",
    "Disconnected": "disconnect disconnect:1 close-before-headers close-before-headers:reset close-mid-body "
    "close-mid-body:0 close-mid-body:9",
    "Malformed": "malformed malformed:truncate malformed:stray-line malformed:bad-utf8 bad-length bad-length:long "
    "bad-length:text bad-length:two empty-200",
    "TooLarge": "malformed:oversize:70000",
    "WrongContentType": "wrong-type",
    "IdMismatch": "malformed:wrong-id malformed:string-id",
    "InvalidResponse": "malformed:no-jsonrpc malformed:both",
    "NoMatch": "no-final-blank done-marker:before done-marker:instead",
    "RpcError": "error error:-32000,stuck drop-tool",
    "ToolFailed": "tool-error tool-error:servo_off",
    "HttpError": "status status:400 status:405 status:406 status:413 status:500 status:502 redirect",
    "AuthError": "status:401 status:403",
    "Busy": "status:429 status:503,7",
    "SessionLost": "session-lost status:404",
}
# Of a list of tools.
LISTS = ("drop-tool", "schema-drift")
SLOW = ("RequestTimeout", "timeout")


def by_case(table):
    """{case: outcome} of {outcome: cases}."""
    return {case: outcome for outcome, cases in table.items() for case in cases.split()}


def name_of(case):
    """The fault's name."""
    return case.partition(":")[0]


def is_of_http(case):
    """True for a fault that stdio cannot have."""
    return FAULTS[name_of(case)].http_only


def tool(case):
    """The name of the case's tool."""
    return re.sub("[^a-z0-9-]", "-", case)


def arguments(cases):
    """The options for a server that has these faults."""
    return [word for case in cases for word in ("--fault", "tools/call:%s#1=%s" % (tool(case), case))]


def fixture(path, cases, session="required"):
    """path, after a fixture with the tools of the cases was written there."""
    tools = [
        {"name": tool(case), "inputSchema": {"type": "object"}, "result": _result(case)} for case in cases
    ]
    value = {
        "schema": "tsumiki/fixture-v1",
        "server": {"name": "faulty", "version": "1"},
        "http": {"session": session},
        "tools": tools,
    }
    path.write_text(json.dumps(value))
    return path


def cassette(path, cases):
    """path, after a cassette was written there that has an answer for each of the tools."""
    info = {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "f", "version": "1"},
    }
    exchanges = [({"method": "initialize", "params": {}}, info)]
    exchanges += [
        ({"method": "tools/call", "params": {"name": tool(case), "arguments": {}}}, _result(case))
        for case in cases
    ]
    with path.open("w") as file:
        for id_, (message, result) in enumerate(exchanges, 1):
            for direction, members in (("c2s", message), ("s2c", {"result": result})):
                raw = json.dumps(dict({"jsonrpc": "2.0", "id": id_}, **members))
                file.write(json.dumps({"direction": direction, "raw": raw}) + "\n")
    return path


def _result(case):
    return {"content": [{"type": "text", "text": "21 of %s" % tool(case)}]}
