"""The requests of the load client are those of the Python SDK's client, byte for byte."""

import asyncio
import socket
import threading

import httpx2
from mcp import ClientSession
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


async def _talk(port):
    headers = {"Authorization": "Bearer " + wire.TOKEN}
    async with httpx2.AsyncClient(headers=headers) as http:
        async with streamable_http_client("http://127.0.0.1:%d/mcp" % port, http_client=http) as streams:
            async with ClientSession(*streams[:2]) as session:
                await session.initialize()
                await session.list_tools()
                result = await session.call_tool("echo", {"text": "hello"})
                assert result.content[0].text == "Echo: hello"
                await session.send_ping()


def _sent(port, operation, id_, session):
    body = wire.body(operation, id_)
    return wire.head(operation, port, len(body), session) + body


def test_requests_are_those_of_the_sdk():
    port, connections = _recorder(echo_server.start())
    asyncio.run(_talk(port))
    seen = [b"".join(segments) for segments in connections]
    session = "0123456789abcdef"
    for wanted in (
        _sent(port, "initialize", 1, None),
        _sent(port, "initialized", None, session),
        _sent(port, "list", 2, session),
        _sent(port, "echo", 3, session),
        _sent(port, "ping", 4, session),
    ):
        assert any(wanted in one for one in seen), "%r\nis not in\n%r" % (wanted, seen)
