"""What `tsumiki device-test` runs on the robot: the text goes through the raw REPL, and its functions are called there.

MicroPython, with the firmware on the board.
"""

import gc
import sys
import time

_TOKEN = "a-token-of-the-probe"


def find_firmware():
    """As main.py does."""
    try:
        with open("/tsumiki/slot") as f:
            sys.path.insert(0, "/tsumiki/" + f.read(1))
    except OSError:
        pass


def about():
    """(MicroPython, machine, Hz or None, version of the firmware)."""
    from umcp import VERSION

    try:
        import machine

        hertz = machine.freq()
    except (ImportError, AttributeError):
        hertz = None
    words = sys.version.split("; ")
    return words[-1], getattr(sys.implementation, "_machine", "?"), hertz, VERSION


def layer(names):
    """Import modules: (ms, bytes that they take, bytes free then)."""
    gc.collect()
    before = gc.mem_alloc()
    since = time.ticks_ms()
    for name in names:
        __import__(name)
    ms = time.ticks_diff(time.ticks_ms(), since)
    gc.collect()
    return ms, gc.mem_alloc() - before, gc.mem_free()


def idf_heap():
    """(bytes free, largest piece) of the heap that Wi-Fi and lwIP live in, or None where there is none."""
    try:
        import esp32
    except ImportError:
        return None
    parts = esp32.idf_heap_info(esp32.HEAP_DATA)
    return sum([part[1] for part in parts]), max([part[2] for part in parts])


def add(a, b):
    return "%s + %s = %s" % (a, b, a + b)


def tools():
    from umcp.tool import Tool
    from umcp.types import Number, Object

    return (Tool("add", "Add two numbers.", Object((("a", Number()), ("b", Number()))), add),)


def loop(port, calls):
    """Server and client in one process: list of microseconds a call, or a str that says what went wrong."""
    import asyncio

    try:
        import network

        network.WLAN(network.WLAN.IF_STA).active(True)  # Without it there is no loopback either.
    except ImportError:
        pass
    return asyncio.run(_loop(port, calls))


async def _loop(port, calls):
    from mcpserver import McpServer
    from net.mcpclient import McpClient
    from umcp import VERSION

    server = McpServer("probe", VERSION, tools(), token=_TOKEN, host="127.0.0.1", port=port)
    if not await server.start():
        return server.error
    client = McpClient("http://127.0.0.1:%d/mcp" % port, _TOKEN)
    times = []
    try:
        await client.initialize()
        for i in range(calls):
            since = time.ticks_us()
            result = await client.call_tool("add", {"a": i, "b": 1})
            times.append(time.ticks_diff(time.ticks_us(), since))
            if result["content"][0]["text"] != add(i, 1):
                return "a wrong answer: %r" % result
    finally:
        await client.close()
        await server.close()
    return times


def serve_line():
    """Serve MCP on this line until Ctrl-C."""
    import asyncio

    asyncio.run(_serve_line())


async def _serve_line():
    import net.runtime
    from net.lines import LineServer
    from net.serial import Serial
    from umcp import VERSION
    from umcp.server import Server

    serial = Serial()
    server = Server("probe", VERSION, runtime=net.runtime)
    for tool in tools():
        server.add_tool(tool)
    await LineServer(server, serial.log, serial, serial, True).serve()
