"""Meet the faults of fakes/faulty.py with a client, under MicroPython: try_faults.py FILE KIND PORT FAULT ...

Writes a line of JSON a fault into FILE: what the call gave (the class of the exception, or "ok"), its text, the
milliseconds it took, and what the next call gave.
"""

import asyncio
import json
import sys
import time

TOKEN = "t0ken-s3cret"
TIMEOUT_MS = 400
# The server closes behind a good answer: give its FIN time to come.
_PAUSE_MS = 30


# "async" and "blocking" speak the older eras, "auto" finds out that the server does, "modern" that it does not.
def _client(kind, url):
    if kind != "blocking":
        from net.mcpclient import McpClient

        return McpClient(url, TOKEN, timeout_ms=TIMEOUT_MS, only="legacy" if kind == "async" else None)
    from net.blocking import BlockingMcpClient

    return BlockingMcpClient(url, TOKEN, timeout_ms=TIMEOUT_MS)


async def _wait(made):
    return await made if hasattr(made, "send") else made


async def _call(client, fault):
    if fault.startswith("@tools/list"):
        return await _wait(client.list_tools())
    return await _wait(client.call_tool("echo", {"text": "h\u00e9"}))


async def _outcome(client, fault):
    try:
        return "ok", await _call(client, fault)
    except Exception as e:
        return type(e).__name__, str(e)


async def _meet(out, kind, port, fault):
    client = _client(kind, "http://127.0.0.1:%s/%s/%s" % (port, fault, kind))
    await _wait(client.initialize())
    start = time.ticks_ms()
    outcome, text = await _outcome(client, fault)
    took_ms = time.ticks_diff(time.ticks_ms(), start)
    await asyncio.sleep_ms(_PAUSE_MS)
    next_outcome, next_text = await _outcome(client, fault)
    await _wait(client.close())
    json.dump({"fault": fault, "outcome": outcome, "text": text, "took_ms": took_ms,
                      "next": next_outcome, "next_text": next_text, "era": client.era}, out)  # fmt: skip
    out.write("\n")


async def main(out, kind, port, *faults):
    for fault in faults:
        await _meet(out, kind, port, fault)


with open(sys.argv[1], "w") as out:
    asyncio.run(main(out, *sys.argv[2:]))
