"""The bytes of answers."""

import json

from harness import eq
from http1.answer import CONTINUE, answer, failure
from http1.errors import HTTPError


def test_an_answer_is_one_buffer():
    eq(
        answer(200, b"{}"),
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}",
    )
    eq(
        answer(200, b"{}", False, b"A: b\r\n"),
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: 2\r\n"
        b"A: b\r\nConnection: close\r\n\r\n{}",
    )
    eq(
        answer(400, b"{}", True, b"A: b\r\n"),
        b"HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: 2\r\n"
        b"A: b\r\n\r\n{}",
    )


def test_a_length_counts_bytes():
    body = '{"a":"é😀"}'.encode()
    for status in (200, 400):
        head, _, rest = answer(status, body).partition(b"\r\n\r\n")
        eq(rest, body)
        assert b"Content-Length: %d\r\n" % len(body) in head + b"\r\n"


def test_a_202_says_that_its_body_is_empty():
    eq(answer(202, b""), b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")


def test_rfc_9110_8_6_a_204_has_no_length():
    eq(answer(204, b"", True, b"A: b\r\n"), b"HTTP/1.1 204 No Content\r\nA: b\r\n\r\n")
    eq(
        failure(HTTPError(204, headers=b"A: b\r\n"), False, b"C: d\r\n"),
        b"HTTP/1.1 204 No Content\r\nC: d\r\nA: b\r\nConnection: close\r\n\r\n",
    )


def body_of(raw):
    return json.loads(raw.partition(b"\r\n\r\n")[2])


def test_every_status_has_a_reason_and_a_json_body_with_error():
    for status, phrase in (
        (202, "Accepted"),
        (204, "No Content"),
        (400, "Bad Request"),
        (401, "Unauthorized"),
        (403, "Forbidden"),
        (404, "Not Found"),
        (405, "Method Not Allowed"),
        (406, "Not Acceptable"),
        (408, "Request Timeout"),
        (411, "Length Required"),
        (413, "Content Too Large"),
        (415, "Unsupported Media Type"),
        (417, "Expectation Failed"),
        (431, "Request Header Fields Too Large"),
        (500, "Internal Server Error"),
        (501, "Not Implemented"),
        (503, "Service Unavailable"),
        (505, "HTTP Version Not Supported"),
    ):
        raw = failure(HTTPError(status, "why"), True)
        assert raw.startswith(b"HTTP/1.1 %d %s\r\n" % (status, phrase.encode())), raw
        if status != 204:
            eq(
                body_of(raw)["error"],
                {401: "invalid_token", 404: "not_found"}.get(status, phrase.lower().replace(" ", "_")),
            )
    eq(answer(299, b""), b"HTTP/1.1 299 \r\nContent-Length: 0\r\n\r\n")
    eq(answer(202, b"{}").split(b"\r\n")[0], b"HTTP/1.1 202 Accepted")


def test_oauth_probing_clients_find_what_they_expect():
    raw = failure(HTTPError(401, "missing-authorization", headers=b"WWW-Authenticate: Bearer\r\n"), True)
    eq(body_of(raw), {"error": "invalid_token"})
    assert b"\r\nWWW-Authenticate: Bearer\r\n" in raw and b"missing" not in raw
    eq(body_of(failure(HTTPError(404), True)), {"error": "not_found"})


def test_other_refusals_say_why():
    eq(
        body_of(failure(HTTPError(413, "the body may have 8192 bytes"), True)),
        {"error": "content_too_large", "message": "the body may have 8192 bytes"},
    )
    eq(body_of(failure(HTTPError(500), True)), {"error": "internal_server_error"})
    assert b"\r\nConnection: close\r\n" in failure(HTTPError(500), False)
    assert b"Connection" not in failure(HTTPError(405), True)


def test_continue_is_an_interim_answer():
    eq(CONTINUE, b"HTTP/1.1 100 Continue\r\n\r\n")


def test_an_error_tells_its_status_and_reason():
    eq(str(HTTPError(431, "the head may have 4096 bytes")), "431 the head may have 4096 bytes")


def test_a_large_answer_is_the_same_in_parts():
    for size in (511, 512, 5000):
        body = b"x" * size
        wanted = (b"Content-Length: %d\r\nA: b\r\n\r\n" % size) + body
        for parts in (body, (body,), (body[:100], b"", body[100:])):
            data = bytes(answer(200, parts, True, b"A: b\r\n"))
            eq((data[:15], data[data.find(b"Content-Length") :]), (b"HTTP/1.1 200 OK", wanted))
