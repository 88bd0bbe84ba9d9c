"""The requests of the load client are those of the Python SDK's client, byte for byte."""

import asyncio
import socket
import threading

import httpx2
import pytest
from mcp import Client, ClientSession
from mcp.client.streamable_http import streamable_http_client

from bench import echo_server, wire


def _pump(source, target, seen):
    try:
        while data := source.recv(65536):
            seen.append(data)
            target.sendall(data)
    except OSError:
        pass  # One side is gone.


def _recorder(port):
    """A proxy to `port`: (its port, [what each connection sent: a list of segments])."""
    listener = socket.create_server(("127.0.0.1", 0))
    connections = []

    def run():
        while True:
            near, _ = listener.accept()
            far = socket.create_connection(("127.0.0.1", port))
            connections.append([])
            for pair in ((near, far, connections[-1]), (far, near, [])):
                threading.Thread(target=_pump, args=pair, daemon=True).start()

    threading.Thread(target=run, daemon=True).start()
    return listener.getsockname()[1], connections


async def _talk(port, act):
    headers = {"Authorization": "Bearer " + wire.TOKEN}
    async with httpx2.AsyncClient(headers=headers) as http:
        await act(streamable_http_client("http://127.0.0.1:%d/mcp" % port, http_client=http))


async def _in_a_session(transport):
    async with transport as streams, ClientSession(*streams[:2]) as session:
        await session.initialize()
        await _list_and_call(session)
        await session.send_ping()


# As the SDK's client does by itself: it asks for the newest era first.
async def _by_default(transport):
    async with Client(transport) as client:
        assert client.protocol_version == wire.MODERN
        await _list_and_call(client)


async def _list_and_call(client):
    await client.list_tools()
    result = await client.call_tool("echo", {"text": "hello"})
    assert result.content[0].text == "Echo: hello"


def _sent(port, operation, id_, session):
    body = wire.body(operation, id_)
    return wire.head(operation, port, len(body), session) + body


# (operation, id)
_LEGACY = (("initialize", 1), ("initialized", None), ("list", 2), ("echo", 3), ("ping", 4))
_MODERN = (("discover", 1), ("modern list", 2), ("modern echo", 3))


@pytest.mark.parametrize(
    "act, operations",
    ((_in_a_session, _LEGACY), (_by_default, _MODERN)),
    ids=("in a session", "by default"),
)
def test_requests_are_those_of_the_sdk(act, operations):
    port, connections = _recorder(echo_server.start())
    asyncio.run(_talk(port, act))
    seen = [b"".join(segments) for segments in connections]
    for operation, id_ in operations:
        wanted = _sent(port, operation, id_, None if operation == "initialize" else "0123456789abcdef")
        assert any(wanted in one for one in seen), "%r\nis not in\n%r" % (wanted, seen)
