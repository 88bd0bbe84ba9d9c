"""What the tests of event streams share: a request, what comes of it, and a client in the middle of it."""

from loopback import HOST

from harness import eq

WORK = b"GET /work HTTP/1.1\r\n" + HOST + b"\r\n"
ANSWER = 200, b'{"n":9}', b""
HEADERS = (
    b"Content-Type: text/event-stream\r\nCache-Control: no-cache\r\nX-Accel-Buffering: no\r\n"
    b"Transfer-Encoding: chunked\r\n"
)


def event(data):
    return b"event: message\ndata: %s\n\n" % data


async def begin(served, raw=WORK):
    """A client that has had the head of a stream."""
    client = await served.connect()
    await client.send(raw)
    eq(await client.head(), (200, HEADERS))
    return client
