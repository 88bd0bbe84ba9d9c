"""What the tests of requests share: a router of three paths, and what a reader makes of bytes."""

from http1.errors import HTTPError
from http1.guard import Guard
from http1.reader import Reader
from http1.request import Request, names
from http1.router import Route, Router

TOKEN = "0123456789abcdef"
HOST = b"Host: localhost\r\n"
BEARER = b"Authorization: Bearer 0123456789abcdef\r\n"
JSON = b"Content-Type: application/json\r\n"
POST = b"POST /mcp HTTP/1.1\r\n" + HOST + BEARER + JSON


def handler(request, buf, start, end):
    return 200, b"", b""


def router(guard=None, max_body=100):
    routes = {
        "/health": Route(("GET", "HEAD"), False, handler),
        "/mcp": Route(("POST", "DELETE"), True, handler),
        "/open": Route(("POST", "GET"), False, handler),
    }
    return Router(routes, guard or Guard(TOKEN), max_body)


def reader(guard=None, max_head=4096, max_body=100):
    return Reader(router(guard, max_body), max_head, max_body)


def put(reader, data):
    """Give bytes to a reader as a connection would: as many at a time as it has space for."""
    while data:
        space = reader.space()
        count = min(len(space), len(data))
        space[:count] = data[:count]
        reader.received(count)
        data = data[count:]
        yield


def outcomes(reader, pieces):
    """[(method, path, body)], and the status of an HTTPError at the end, that a connection would see.

    A refused request whose connection goes on is (status, method); its body is skipped.
    """
    out = []
    skipping = False
    for piece in pieces:
        for _ in put(reader, piece):
            while True:
                try:
                    if skipping:
                        if not reader.skip():
                            break
                        skipping = False
                    if reader.next() is None:
                        break
                except HTTPError as e:
                    if e.close:
                        return out + [e.status]
                    out.append((e.status, reader.request.method))
                    skipping = True
                    continue
                request = reader.request
                out.append((request.method, request.path, bytes(reader.buf[reader.start : reader.stop])))
                reader.done()
    return out


def parsed(head):
    """The Request of a head that may lack its empty line."""
    if not head.endswith(b"\r\n\r\n"):
        head += b"\r\n"
    request = Request(names(), {})
    request.parse(bytearray(head), len(head))
    return request


def refusal(call, *args):
    """(status, close) of the HTTPError that a call raises, or None."""
    try:
        call(*args)
    except HTTPError as e:
        return e.status, e.close
    return None
