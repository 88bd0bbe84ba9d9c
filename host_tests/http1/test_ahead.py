"""What a client sends ahead: it is served in its turn, and takes no more memory than there is."""

from served import HOST, POST, put, reader

from harness import eq
from http1.ahead import room

GET = b"GET /health HTTP/1.1\r\n" + HOST + b"\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n"


def post(size):
    return POST + b"Content-Length: %d\r\n\r\n" % size + b"x" * size


def fill(served, data):
    """Give the reader of a request that is handled what it takes of the data; returns the rest."""
    while data:
        space = room(served)
        if space is None:
            return data
        count = min(len(space), len(data), 7)
        assert count
        space[:count] = data[:count]
        served.received(count)
        data = data[count:]
    return data


def begun(raw, max_body=3000):
    """A reader whose request is whole, and in a handler's hands."""
    served = reader(max_body=max_body)
    for _ in put(served, raw):
        pass
    assert served.next()
    return served


def test_what_comes_ahead_is_served_in_its_turn():
    for raw in (GET, post(10), post(2000), CHUNKED % (300, b"y" * 300)):
        whole = raw + GET + post(5) + GET
        for size in (len(raw), len(raw) + 1, len(raw) + 40):
            served = begun(whole[:size])
            rest = fill(served, whole[size:])
            served.done()
            seen = []
            for piece in (b"", rest):
                for _ in put(served, piece) if piece else (0,):
                    while served.next():
                        seen.append(served.request.path)
                        served.done()
            eq((raw, size, seen[-3:]), (raw, size, ["/health", "/mcp", "/health"]))


def test_more_than_there_is_room_for_is_left():
    for raw in (GET, post(10), post(2000)):
        served = begun(raw)
        most = max(len(served.buf), 1024) + 256
        left = fill(served, b"z" * 5000)
        assert left and len(served.buf) <= most, (len(raw), len(left), len(served.buf))
        eq(room(served), None)


def test_there_is_room_though_the_request_fills_its_buffer():
    for fill_to in (1024, 1500):
        start = GET[:-2] + b"X: "
        raw = start + b"a" * (fill_to - len(start) - 4) + b"\r\n\r\n"
        served = begun(raw)
        served.resize(len(raw), 0)
        eq(len(room(served)), 256)
        raw = post(fill_to)
        served = begun(raw)
        served.resize(len(raw), 0)
        eq(len(room(served)), fill_to)
