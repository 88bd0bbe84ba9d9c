"""The floor: all that any server on MicroPython's asyncio must do, and a constant answer.  floor.py PORT

It reads in bulk, finds the end of the body by Content-Length, and writes one buffer; it looks at nothing else,
and takes it that a head comes in one piece.
"""

import asyncio
import sys

BODY = b'{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"Echo: hello"}]}}'
ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: %d\r\n\r\n"
    % len(BODY)
) + BODY
_LENGTH = b"\r\nContent-Length: "


async def serve(reader, writer):
    try:
        while True:
            data = await reader.read(1024)
            if not data:
                break
            end = data.find(b"\r\n\r\n") + 4
            at = data.find(_LENGTH) + len(_LENGTH)
            end += int(data[at : data.find(b"\r", at)])
            while len(data) < end:
                data += await reader.read(1024)
            writer.write(ANSWER)
            await writer.drain()
            if data.find(b"\r\nConnection: close") >= 0:
                break
    except OSError:
        pass
    writer.close()
    await writer.wait_closed()


async def main():
    await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]), backlog=16)
    print("listening on 127.0.0.1:" + sys.argv[1])
    while True:
        await asyncio.sleep(3600)


if __name__ == "__main__":
    asyncio.run(main())
