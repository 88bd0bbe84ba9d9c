"""A batch of tools that wait, each in its time: together they may take longer than one handler."""

import asyncio

from loopback import Client

from harness import eq, port
from mcpserver import McpServer
from net.http_server import Limits
from umcp.tool import Tool

_CALL = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"wait"}}'
_BODY = b"[" + b",".join([_CALL % i for i in range(5)]) + b"]"
_POST = (
    b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer a-long-secret-token\r\n"
    b"Mcp-Protocol-Version: 2025-03-26\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
) % (len(_BODY), _BODY)


async def test_mcp_2025_03_26_a_batch_takes_as_long_as_its_tools():
    async def wait():
        await asyncio.sleep_ms(60)
        return "waited"

    limits = Limits(handler_ms=100, linger_ms=20)
    number = port()
    tools = (Tool("wait", "Wait.", None, wait),)
    token = "a-long-secret-token"
    server = McpServer("t", "1", tools, token, host="127.0.0.1", port=number, sessions="off", limits=limits)
    assert await server.start()
    client = Client((await asyncio.open_connection("127.0.0.1", number))[0])
    status, _, body = await client.ask(_POST)
    eq((status, body.count(b"waited")), (200, 5))
    await client.close()
    await server.close()
