"""What a server writes as an event stream, read back by the client's parser."""

from served import HOST, parsed

from harness import eq, splits
from http1.body import Chunked
from http1.events import COMMENT, LAST_CHUNK, chunk, event, head
from http1.sse import SSEParser

_FIXED = b"Content-Type: text/event-stream\r\nCache-Control: no-cache\r\nX-Accel-Buffering: no\r\n"


def frame(*args, **options):
    return b"".join(event(*args, **options))


def test_mcp_a_message_is_one_line_of_data():
    eq(frame(b"{}"), b"event: message\ndata: {}\n\n")
    eq(frame((b"{", b'"a":1', b"}")), b'event: message\ndata: {"a":1}\n\n')
    eq(frame(b"{}", b"s-7", 500), b"id: s-7\nretry: 500\nevent: message\ndata: {}\n\n")
    eq(frame(b"{}", retry_ms=0), b"retry: 0\nevent: message\ndata: {}\n\n")


def test_mcp_2025_11_25_a_priming_event_has_an_id_and_no_data():
    eq(frame(b"", b"s-1"), b"id: s-1\ndata: \n\n")
    eq(frame(b"", b"s-1", 500), b"id: s-1\nretry: 500\ndata: \n\n")


def test_a_client_reads_it_back():
    whole = frame(b"", b"a-0", 30) + COMMENT + frame(b"{}", b"a-1") + COMMENT + frame((b"[", b"]"))
    for pieces in splits(whole):
        parser = SSEParser()
        seen = []
        for piece in pieces:
            seen += parser.feed(piece)
        eq(seen, [(b"message", b"{}"), (b"message", b"[]")])
        eq((parser.last_id, parser.retry_ms), (b"a-1", 30))


def test_rfc_9112_7_1_chunks():
    data = b"x" * 300
    raw = b"".join(chunk(*event(data)) + chunk(COMMENT)) + LAST_CHUNK
    assert raw.startswith(b"%x\r\nevent: " % len(frame(data))), raw
    buf = bytearray(raw)
    chunks = Chunked(0, 1000)
    eq((chunks.feed(buf, len(buf)), chunks.done), (chunks.end, True))
    eq(bytes(buf[: chunks.end]), frame(data) + COMMENT)


def test_the_head_of_a_stream():
    request = parsed(b"GET /mcp HTTP/1.1\r\n" + HOST)
    start = b"HTTP/1.1 200 OK\r\n" + _FIXED
    eq(head(request, True), start + b"Transfer-Encoding: chunked\r\n\r\n")
    eq(head(request, False), start + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
    request.cors = b"Vary: Origin\r\n"
    eq(head(request, True), start + b"Transfer-Encoding: chunked\r\nVary: Origin\r\n\r\n")


def test_rfc_9112_7_1_an_http_1_0_client_gets_no_chunks():
    request = parsed(b"GET /mcp HTTP/1.0\r\n" + HOST)
    eq(head(request, False), b"HTTP/1.1 200 OK\r\n" + _FIXED + b"Connection: close\r\n\r\n")
