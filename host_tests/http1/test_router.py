"""The verdict on a request before its body: path, method, site, token, body, in that order."""

from served import BEARER, HOST, JSON, POST, TOKEN, handler, router

from harness import eq, raises
from http1.errors import HTTPError
from http1.guard import Guard
from http1.request import Request
from http1.router import Route, Router

SITE = b"Origin: https://app.example\r\n"
FOREIGN = b"Host: evil.example\r\n"


def asked(head, table=None):
    table = table or router()
    request = Request(table.names, table.known)
    raw = bytearray(head + b"\r\n")
    request.parse(raw, len(raw))
    return table, request


def verdict(head, table=None):
    """The status of the refusal, or None for a route."""
    table, request = asked(head, table)
    try:
        table.admit(request)
    except HTTPError as e:
        return e.status
    return None


def error(head, table=None):
    table, request = asked(head, table)
    return raises(HTTPError, table.admit, request)


def line(text):
    return text + b" HTTP/1.1\r\n"


def test_the_verdict_is_made_in_order():
    bad_host, bad_origin = b"Host: evil\r\n", HOST + b"Origin: http://evil\r\n"
    long = b"Content-Length: 101\r\n"
    for head, status in (
        (line(b"POST /nowhere") + bad_host, 404),
        (line(b"PUT /mcp") + bad_host, 405),
        (line(b"POST /mcp") + bad_host, 403),
        (line(b"POST /mcp") + bad_origin, 403),
        (line(b"POST /mcp") + HOST, 401),
        (line(b"POST /mcp") + HOST + b"Content-Type: text/plain\r\n" + long, 401),
        (line(b"POST /mcp") + HOST + BEARER + long, 415),
        (POST, 411),
        (POST + long + b"Accept: text/plain\r\n", 413),
        (POST + b"Content-Length: 100\r\nAccept: image/png\r\n", 406),
        (POST + b"Content-Length: 100\r\n", None),
    ):
        eq((head, verdict(head)), (head, status))


def test_a_path_is_exact_and_its_query_ignored():
    for path in (
        b"/",
        b"/mcp/",
        b"/mcp/x",
        b"/MCP",
        b"/mc",
        b"/mcp%20",
        b"/.well-known/oauth-protected-resource",
        b"//mcp",
        b"/mcp#x",
    ):
        eq((path, verdict(line(b"POST " + path) + HOST)), (path, 404))
    eq(verdict(line(b"GET /health?x=1") + HOST), None)
    eq(verdict(line(b"OPTIONS *") + HOST), 404)


def test_a_method_that_is_not_served_is_told_which_are():
    for method in (b"GET", b"PUT", b"HEAD", b"PATCH", b"post", b"OPTIONS", b"TRACE"):
        e = error(line(method + b" /mcp") + HOST)
        eq((method, e.status, e.headers, e.close), (method, 405, b"Allow: POST, DELETE\r\n", False))
    eq(error(line(b"POST /health") + HOST).headers, b"Allow: GET, HEAD\r\n")


def test_rfc_9112_3_2_a_malformed_host_is_400_whatever_else_is_wrong():
    for text in (b"GET /nowhere", b"PUT /mcp", b"POST /mcp", b"OPTIONS /mcp", b"GET /health"):
        e = error(line(text) + b"Host: a b\r\n")
        eq((text, e.status, e.close), (text, 400, True))


def test_a_served_host_is_checked_for_each_request():
    table = router()
    eq(verdict(line(b"GET /health") + FOREIGN, table), 403)
    eq(verdict(line(b"GET /health") + b"Host:\r\n", table), 403)
    eq(verdict(line(b"GET /health") + HOST, table), None)
    eq(verdict(line(b"GET /health") + FOREIGN, table), 403)
    eq(verdict(line(b"GET /health") + b"Host:\r\n", table), 403)
    eq(verdict(line(b"GET http://evil.example/health") + HOST, table), 403)
    eq(verdict(line(b"GET /health") + b"Host: 127.0.0.1:99\r\n", table), None)
    eq(verdict(b"GET /health HTTP/1.0\r\n", table), 403)
    eq(verdict(line(b"GET /health") + HOST + b"Origin: http://evil\r\n", table), 403)


def test_options_is_answered_to_an_allowed_origin_only():
    table = router(Guard(TOKEN, origins=("https://app.example",)))
    e = error(line(b"OPTIONS /mcp") + HOST + SITE, table)
    eq((e.status, b"Access-Control-Allow-Methods" in e.headers), (204, True))
    for origin in (b"", b"Origin: http://evil\r\n", b"Origin: null\r\n"):
        eq(verdict(line(b"OPTIONS /mcp") + HOST + origin, table), 405)
    eq(verdict(line(b"OPTIONS /mcp") + HOST + SITE), 405)


def test_a_foreign_page_is_refused_though_it_has_the_token():
    eq(verdict(POST + b"Content-Length: 2\r\nOrigin: http://evil\r\n"), 403)
    eq(verdict(POST + b"Content-Length: 2\r\nOrigin: http://localhost\r\n"), None)


def test_some_routes_need_no_token():
    eq(verdict(line(b"GET /health") + HOST), None)
    eq(verdict(line(b"POST /open") + HOST + JSON + b"Content-Length: 0\r\n"), None)
    eq(verdict(line(b"DELETE /mcp") + HOST), 401)
    eq(verdict(line(b"DELETE /mcp") + HOST + BEARER), None)


def test_rfc_9110_8_3_1_media_types_have_no_case_and_may_have_parameters():
    start = line(b"POST /open") + HOST + b"Content-Length: 0\r\n"
    for value in (
        b"application/json",
        b"Application/JSON",
        b"application/json; charset=utf-8",
        b"application/json ;x",
        b"application/json;",
    ):
        eq((value, verdict(start + b"Content-Type: " + value + b"\r\n")), (value, None))
    for value in (
        b"text/plain",
        b"",
        b"application/jsonp",
        b"application",
        b"application/json, text/plain",
        b"application/x-www-form-urlencoded",
    ):
        eq((value, verdict(start + b"Content-Type: " + value + b"\r\n")), (value, 415))
    eq(verdict(start), 415)


def test_an_accept_that_takes_none_of_ours_is_refused():
    start = line(b"POST /open") + HOST + JSON + b"Content-Length: 0\r\nAccept: "
    for value in (
        b"application/json, text/event-stream",
        b"text/event-stream, application/json",
        b"application/json",
        b"TEXT/Event-Stream",
        b"*/*",
        b"application/*;q=0.8",
        b"text/html, */*;q=0.1",
        b"",
        b",application/json",
    ):
        eq((value, verdict(start + value + b"\r\n")), (value, None))
    for value in (b"text/html", b"image/*", b"application", b"json"):
        eq((value, verdict(start + value + b"\r\n")), (value, 406))
    eq(verdict(start + b"text/html\r\nAccept: application/json\r\n"), None)


def test_rfc_9110_8_6_a_post_tells_its_length():
    start = line(b"POST /open") + HOST + JSON
    e = error(start)
    eq((e.status, e.close), (411, True))
    eq(verdict(start + b"Content-Length: 0\r\n"), None)
    eq(verdict(start + b"Transfer-Encoding: chunked\r\n"), None)


def test_a_long_body_is_refused_whatever_the_method():
    long = HOST + BEARER + JSON + b"Content-Length: 101\r\n"
    for text in (b"POST /open", b"POST /mcp", b"DELETE /mcp", b"GET /health", b"GET /open"):
        e = error(line(text) + long)
        eq((text, e.status, e.reason), (text, 413, "the body may have 100 bytes"))
        eq(verdict(line(text) + long.replace(b"101", b"100")), None)


def test_known_lines_are_those_of_the_routes():
    table = Router({"/a": Route(("GET", "POST"), False, handler)}, Guard(TOKEN))
    eq(sorted(table.known), [b"GET /a HTTP/1.1", b"POST /a HTTP/1.1"])
    for text in (
        b"GET /a HTTP/1.1",
        b"GET /a HTTP/1.2",
        b"GET /a? HTTP/1.1",
        b"GET http://localhost/a HTTP/1.1",
    ):
        eq(verdict(text + b"\r\n" + HOST, table), None)
