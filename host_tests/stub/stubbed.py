"""What the stub's tests share: a fixture, a server of it, and one request to it."""

import json

from stub.fixture import Fixture
from stub.server import StubServer
from umcp.peer import Peer as Base
from umcp.version import MODERN

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
PORT = {
    "name": "tide",
    "description": "Tell the tide",
    "inputSchema": {"type": "object", "properties": {"port": {"type": "string"}}, "required": ["port"]},
    "cases": [
        {
            "when": {"port": "Brest"},
            "result": {"content": [{"type": "text", "text": "Brest: 4.2 m, rising"}]},
        },
        {"when": {"port": "Ys"}, "error": {"code": -32004, "message": "Sunk"}},
    ],
    "result": {"content": [{"type": "text", "text": "No table for that port"}]},
}
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Peer(Base):
    """A peer over HTTP."""

    headed = True

    def __init__(self, method=None, name=None, version=None, session_id=None):
        self.mcp_method = method
        self.mcp_name = name
        self.protocol_version = version
        self.session_id = session_id


def document(tools=(PORT,), schema="mcpstub/v1", **more):
    """A fixture's document."""
    return dict(
        {
            "schema": schema,
            "server": {"name": "harbour", "version": "1.2.0"},
            "tools": list(tools) if type(tools) is tuple else tools,
        },
        **more,
    )


def server(tools=(PORT,), validate=False, sleep_ms=None, eras=None, sessions=None, **more):
    """A `StubServer` of a document."""
    return StubServer(Fixture(document(tools, **more), validate, sleep_ms), sessions, eras)


def post(stub, method, params=None, peer=None, modern=False):
    """(status, the response) of a request, on a line of its own unless a peer is given."""
    if modern:
        params = dict(params or {}, _meta=META)
    if peer is None:
        peer = Base()
        peer.sessions = stub.line()
    message = {"jsonrpc": "2.0", "id": 1, "method": method}
    if params is not None:
        message["params"] = params
    raw = json.dumps(message).encode()
    reply = stub.handle(raw, 0, len(raw), peer, 0)
    body = reply[1] if type(reply[1]) is bytes else b"".join(reply[1])
    return reply[0], json.loads(body)


def call(stub, name, arguments=None, modern=False):
    """The response to a tools/call."""
    return post(stub, "tools/call", {"name": name, "arguments": arguments or {}}, modern=modern)[1]


def text(response):
    """The first text of a result."""
    return response["result"]["content"][0]["text"]
