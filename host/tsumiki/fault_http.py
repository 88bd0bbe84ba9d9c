"""Faults of HTTP: statuses, lengths, connections that close."""

from http1.answer import answer

from .http_answer import plain
from .pipeline import Close, Delay, RawBytes, Status

_JSON = ("Content-Type", "application/json; charset=utf-8")
_HTML = ("Content-Type", "text/html; charset=utf-8")
_PAGE = b"<!doctype html><title>Welcome</title><p>It works!\n"
_BODY = b'{"error":"injected fault"}'


async def status(met):
    code = met.given["code"]
    headers = ()
    if code == 401:
        headers = (("WWW-Authenticate", 'Bearer realm="mcp"'),)
    elif code in (429, 503):
        headers = (("Retry-After", str(met.given["retry_after"])),)
    elif code == 405:
        headers = (("Allow", "GET"),)
    await met.send(Status(code, headers, b"" if code in (204, 304) else _BODY))


async def session_lost(met):
    met.lose_session()
    await met.send(Status(404, (), _BODY))


async def close_before_headers(met):
    await met.send(Close(reset=met.given["how"] == "reset"))


async def close_mid_body(met):
    found = await _plain(met)
    if found is None:
        return
    head, body = found
    size = met.given["bytes"]
    size = len(body) // 2 if size is None else min(size, max(0, len(body) - 1))
    await met.send(RawBytes(head + body[:size]))
    await met.send(Close())


async def slow(met):
    found = await _plain(met)
    if found is None:
        return
    data = b"".join(found)
    size = met.given["bytes"]
    for start in range(0, len(data), size):
        if met.exchange.left:
            break
        await met.send(RawBytes(data[start : start + size]))
        await met.send(Delay(met.given["ms"]))
    if not met.exchange.peer.keep_alive:
        await met.send(Close())


async def bad_length(met):
    found = await _plain(met)
    if found is None:
        return
    head, body = found
    change, closes = LENGTHS[met.given["how"]]
    true = b"Content-Length: %d\r\n" % len(body)
    await met.send(RawBytes(head.replace(true, change(len(body))) + body))
    if closes or not met.exchange.peer.keep_alive:
        await met.send(Close())


async def wrong_type(met):
    await met.send(Status(200, (_HTML,), _PAGE))


async def empty_200(met):
    await met.send(Status(200, (_JSON,)))


async def redirect(met):
    await met.send(Status(307, (("Location", met.given["location"]),)))


# (head, body) of the answer as one JSON document, or None. What would come before it is left out.
async def _plain(met):
    reply = await met.answer(met.nothing)
    if reply is None:
        return None
    data = bytes(plain(reply, met.exchange.peer)) if reply.raw else answer(202, b"")
    size = data.find(b"\r\n\r\n") + 4
    return data[:size], data[size:]


# Name to (the line instead of the true one, the connection closes behind the answer).
LENGTHS = {
    "short": (lambda size: b"Content-Length: %d\r\n" % max(0, size - 9), False),
    "long": (lambda size: b"Content-Length: %d\r\n" % (size + 9), True),
    "text": (lambda size: b"Content-Length: many\r\n", False),
    "two": (lambda size: b"Content-Length: %d\r\nContent-Length: %d\r\n" % (size, size + 9), False),
}
