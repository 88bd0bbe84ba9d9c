"""Meet faults with the robot's client, under MicroPython: try_faults.py FILE KIND URL MS TOOL ...

Writes a line of JSON a tool into FILE: what the call gave (the class of the exception, or "ok"), its text, the
milliseconds it took, and what the next call gave. A call may take MS.
"""

import asyncio
import json
import sys
import time

_BEGIN_MS = 20000
_PAUSE_MS = 20
_TOGETHER = 3  # clients: most of their time is waiting


def client_of(kind, url, timeout_ms):
    if kind == "blocking":
        from net.blocking import BlockingMcpClient

        return BlockingMcpClient(url, timeout_ms=timeout_ms)
    from net.mcpclient import McpClient

    return McpClient(url, timeout_ms=timeout_ms, only=kind)


async def wait(made):
    return await made if hasattr(made, "send") else made


async def outcome(client, tool):
    try:
        return "ok", await wait(client.call_tool(tool))
    except Exception as e:
        return type(e).__name__, str(e)


async def meet(out, kind, url, timeout_ms, tool):
    client = client_of(kind, url, timeout_ms)
    await wait(client.initialize(timeout_ms=_BEGIN_MS))
    start = time.ticks_ms()
    met, text = await outcome(client, tool)
    took_ms = time.ticks_diff(time.ticks_ms(), start)
    await asyncio.sleep_ms(_PAUSE_MS)
    after, after_text = await outcome(client, tool)
    await wait(client.close())
    json.dump(
        {
            "tool": tool,
            "met": met,
            "text": text,
            "took_ms": took_ms,
            "after": after,
            "after_text": after_text,
        },
        out,
    )
    out.write("\n")


async def main(out, kind, url, timeout_ms, *tools):
    together = 1 if kind == "blocking" else _TOGETHER
    for i in range(0, len(tools), together):
        await asyncio.gather(
            *[meet(out, kind, url, int(timeout_ms), tool) for tool in tools[i : i + together]]
        )


with open(sys.argv[1], "w") as out:
    asyncio.run(main(out, *sys.argv[2:]))
