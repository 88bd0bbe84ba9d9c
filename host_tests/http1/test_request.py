"""The head of a request: RFC 9112's rules for a server, each with its section."""

from served import HOST, parsed, refusal

from harness import eq

CLOSES_400 = (400, True)


def head(*lines, first=b"GET /health HTTP/1.1", host=HOST):
    return first + b"\r\n" + host + b"".join([line + b"\r\n" for line in lines])


def refused(*lines, **options):
    return refusal(parsed, head(*lines, **options))


def test_a_head_is_read():
    request = parsed(head(b"Mcp-Session-Id: s1", b"MCP-Protocol-Version:2025-06-18 ", b"Content-Length: 12"))
    eq((request.method, request.path, request.http10, request.authority), ("GET", "/health", False, None))
    eq((request.session_id, request.protocol_version, request.length), (b"s1", b"2025-06-18", 12))
    eq((request.chunked, request.wants_continue, request.keep_alive), (False, False, True))
    request = parsed(head())
    eq((request.session_id, request.protocol_version, request.length), (None, None, None))


def test_what_the_modern_era_says_in_its_head():
    lines = b"MCP-Method: tools/call", b"mcp-name:\t \xe7\xa9\x8d ", b"Last-Event-ID: 7"
    request = parsed(head(*lines))
    eq((request.mcp_method, request.mcp_name, request.last_event_id), (b"tools/call", b"\xe7\xa9\x8d", b"7"))
    eq(parsed(head(b"Mcp-Name:")).mcp_name, b"")
    eq((request.headed, request.sessions, request.left), (True, None, False))
    eq(refused(b"Mcp-Name: a", b"Mcp-Name: a"), CLOSES_400)


def test_any_field_by_its_name():
    lines = b"MCP-Param-Sku: A1", b"mcp-param-sku-2:\t2 ", b"X: 1", b"x: 2", b"Y:", b"Mcp-Name: n"
    request = parsed(head(*lines))
    for name, value in (
        (b"mcp-param-sku", b"A1"),
        (b"mcp-param-sku-2", b"2"),
        (b"x", b"1, 2"),
        (b"y", b""),
        (b"mcp-name", b"n"),
        (b"host", b"localhost"),
        (b"mcp-param", None),
        (b"param-sku", None),
        (b"z", None),
    ):
        eq((name, request.header(name)), (name, value))
    # What lies behind the head is no part of it.
    raw = head(b"X: 1") + b"\r\n"
    buf = bytearray(raw + b"Z: body\r\n\r\n")
    request.parse(buf, len(raw))
    eq((request.header(b"x"), request.header(b"z")), (b"1", None))


def test_who_takes_an_event_stream():
    for value, takes in (
        (b"application/json, text/event-stream", True),
        (b"text/event-stream", True),
        (b"TEXT/Event-Stream;q=0.5", True),
        (b"text/*", True),
        (b"*/*", True),
        (b"", True),
        (b"application/json", False),
        (b"application/*", False),
        (b"text/html, application/json", False),
    ):
        eq((value, parsed(head(b"Accept: " + value)).can_stream()), (value, takes))
    eq(parsed(head()).can_stream(), True)
    eq(parsed(head(b"Accept: application/json", b"Accept: text/event-stream")).can_stream(), True)


def test_rfc_9112_3_a_request_line_has_three_parts_and_two_spaces():
    for line in (
        b"",
        b"GET",
        b"GET /health",
        b"GET  /health HTTP/1.1",
        b"GET /health  HTTP/1.1",
        b" GET /health HTTP/1.1",
        b"GET /health HTTP/1.1 ",
        b"GET\t/health HTTP/1.1",
        b"GET /a b HTTP/1.1",
        b"/health HTTP/1.1",
    ):
        eq((line, refused(first=line)), (line, CLOSES_400))


def test_rfc_9110_9_1_a_method_is_a_token():
    for method in (b"GET", b"get", b"PATCH", b"M-SEARCH", b"!#$%&'*+-.^_`|~09azAZ", b"X" * 32):
        eq(parsed(head(first=method + b" /health HTTP/1.1")).method, method.decode())
    for method in (b"G(T", b"GE\xc3", b"GE\0", b'"GET"', b"GET,", b"G{}", b"G:", b"X" * 33, b"G\x7f"):
        eq((method, refused(first=method + b" /health HTTP/1.1")), (method, CLOSES_400))


def test_rfc_9110_2_5_versions():
    for version, http10 in (
        (b"HTTP/1.0", True),
        (b"HTTP/1.1", False),
        (b"HTTP/1.2", False),
        (b"HTTP/1.9", False),
    ):
        eq(parsed(head(first=b"GET / " + version)).http10, http10)
    for version in (b"HTTP/0.9", b"HTTP/2.0", b"HTTP/3.0", b"HTTP/9.1"):
        eq((version, refused(first=b"GET / " + version)), (version, (505, True)))
    for version in (
        b"HTTP/1",
        b"HTTP/11",
        b"HTTP/1.10",
        b"http/1.1",
        b"HTTP/x.1",
        b"HTTP/1.x",
        b"HTTP1.1",
        b"XTTP/1.1",
        b"",
    ):
        eq((version, refused(first=b"GET / " + version)), (version, CLOSES_400))


def test_rfc_9112_3_2_1_origin_form_without_its_query():
    for target, path in (
        (b"/", "/"),
        (b"/mcp/", "/mcp/"),
        (b"/mcp?a=1&b=2", "/mcp"),
        (b"/mcp?", "/mcp"),
        (b"//a//b", "//a//b"),
        (b"/%6Dcp", "/%6Dcp"),
        (b"/a:b@c", "/a:b@c"),
    ):
        request = parsed(head(first=b"GET " + target + b" HTTP/1.1"))
        eq((request.path, request.authority), (path, None))


def test_rfc_9112_3_2_2_absolute_form_overrides_host():
    for target, path, authority in (
        (b"http://other.example:80/mcp?x", "/mcp", b"other.example:80"),
        (b"HTTP://Other/", "/", b"Other"),
        (b"http://other", "/", b"other"),
        (b"http://[::1]:8080/mcp", "/mcp", b"[::1]:8080"),
    ):
        request = parsed(head(first=b"GET " + target + b" HTTP/1.1"))
        eq((request.path, request.authority), (path, authority))


def test_rfc_9110_4_2_1_an_http_uri_without_a_host_is_refused():
    for target in (b"http://", b"http:///mcp"):
        eq(refused(first=b"GET " + target + b" HTTP/1.1"), CLOSES_400)


def test_rfc_9112_3_2_other_forms_of_a_target():
    eq(parsed(head(first=b"OPTIONS * HTTP/1.1")).path, "*")
    for line in (
        b"GET * HTTP/1.1",
        b"CONNECT localhost:80 HTTP/1.1",
        b"GET localhost HTTP/1.1",
        b"GET https://localhost/ HTTP/1.1",
        b"GET ftp://localhost/ HTTP/1.1",
        b"GET mcp HTTP/1.1",
        b"GET ?/ HTTP/1.1",
        b"OPTIONS ** HTTP/1.1",
    ):
        eq((line, refused(first=line)), (line, CLOSES_400))


def test_a_target_is_visible_ascii():
    for byte in (
        b"\0",
        b"\x01",
        b"\t",
        b"\x0b",
        b"\x1f",
        b"\x7f",
        b"\x80",
        b"\xc3\xa9",
        b"\xff",
        b"\r",
        b"\n",
    ):
        eq((byte, refused(first=b"GET /a" + byte + b" HTTP/1.1")), (byte, CLOSES_400))


def test_rfc_6750_5_3_a_token_in_the_url_is_refused():
    for query in (b"token=x", b"a=1&access_token=x", b"TOKEN=x", b"token="):
        eq(refused(first=b"GET /mcp?" + query + b" HTTP/1.1"), CLOSES_400)
    eq(parsed(head(first=b"GET /mcp?tokens=x HTTP/1.1")).path, "/mcp")


def test_rfc_9112_3_2_a_request_needs_exactly_one_host():
    eq(refused(host=b""), CLOSES_400)
    eq(refused(host=HOST + HOST), CLOSES_400)
    eq(refused(host=b"Host: a\r\nhost: b\r\n"), CLOSES_400)
    eq(refused(host=b"", first=b"GET http://localhost/ HTTP/1.1"), CLOSES_400)
    eq(parsed(head(host=b"", first=b"GET /health HTTP/1.0")).path, "/health")
    eq(refused(host=HOST + HOST, first=b"GET /health HTTP/1.0"), CLOSES_400)


def test_rfc_9112_6_2_a_content_length_is_digits():
    for value, length in ((b"0", 0), (b"5", 5), (b"0005", 5), (b"999999999", 999999999), (b" 7 ", 7)):
        eq(parsed(head(b"Content-Length:" + value)).length, length)
    for value in (
        b"",
        b" ",
        b"+5",
        b"-5",
        b"-0",
        b"5 5",
        b"0x5",
        b"5.0",
        b"1e1",
        b"five",
        b"5,5",
        b"5, 5",
        b"1_0",
        b"9" * 10,
        b"9" * 30,
    ):
        eq((value, refused(b"Content-Length:" + value)), (value, CLOSES_400))


def test_rfc_9112_6_3_two_content_lengths_are_refused():
    eq(refused(b"Content-Length: 5", b"Content-Length: 5"), CLOSES_400)
    eq(refused(b"Content-Length: 5", b"content-length: 6"), CLOSES_400)


def test_rfc_9112_6_1_content_length_with_transfer_encoding_is_refused():
    for coding in (b"chunked", b"identity", b""):
        eq(refused(b"Content-Length: 5", b"Transfer-Encoding: " + coding), CLOSES_400)
        eq(refused(b"Transfer-Encoding: " + coding, b"Content-Length: 0"), CLOSES_400)


def test_rfc_9112_6_1_transfer_encoding_in_http_1_0_is_refused():
    eq(refused(b"Transfer-Encoding: chunked", first=b"GET /health HTTP/1.0"), CLOSES_400)


def test_rfc_9112_7_chunked_is_the_one_coding():
    for value in (b"chunked", b"Chunked", b"CHUNKED ", b", chunked", b"chunked,"):
        eq(parsed(head(b"Transfer-Encoding:" + value)).chunked, True)
    for value in (
        b"gzip",
        b"identity",
        b"gzip, chunked",
        b"xchunked",
        b"chunked;q=1",
        b'"chunked"',
        b"chunked x",
    ):
        eq((value, refused(b"Transfer-Encoding:" + value)), (value, (501, True)))
    eq(refused(b"Transfer-Encoding: gzip", b"Transfer-Encoding: chunked"), (501, True))


def test_rfc_9112_6_3_chunked_comes_once_and_last():
    for value in (b"chunked, chunked", b"chunked, gzip", b"chunked, identity", b"", b",", b" , "):
        eq((value, refused(b"Transfer-Encoding:" + value)), (value, CLOSES_400))
    eq(refused(b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked"), CLOSES_400)
    eq(refused(b"Transfer-Encoding: chunked", b"Transfer-Encoding: identity"), CLOSES_400)


def test_rfc_9110_10_1_1_expectations():
    for value in (b"100-continue", b"100-Continue"):
        eq(parsed(head(b"Expect: " + value)).wants_continue, True)
        eq(parsed(head(b"Expect: " + value, first=b"GET / HTTP/1.0")).wants_continue, False)
    for value in (b"200-ok", b"100-continue, x", b"x", b"100 continue"):
        eq((value, refused(b"Expect: " + value)), (value, (417, True)))
        eq(parsed(head(b"Expect: " + value, first=b"GET / HTTP/1.0")).wants_continue, False)


def test_rfc_9112_9_3_when_a_connection_stays():
    for value, stays in (
        (b"keep-alive", True),
        (b"close", False),
        (b"Close", False),
        (b"x, CLOSE", False),
        (b"closed", True),
        (b"", True),
    ):
        eq((value, parsed(head(b"Connection: " + value)).keep_alive), (value, stays))
    eq(parsed(head(b"Connection: keep-alive", b"Connection: close")).keep_alive, False)
    eq(parsed(head()).keep_alive, True)
    for line in (b"Connection: keep-alive", b"Connection: close", b"X: y"):
        eq(parsed(head(line, first=b"GET / HTTP/1.0")).keep_alive, False)


def test_one_request_after_another_leaves_nothing_behind():
    lines = (
        b"Content-Length: 5",
        b"Expect: 100-continue",
        b"Mcp-Session-Id: s",
        b"MCP-Protocol-Version: v",
        b"Mcp-Method: m",
        b"Mcp-Name: n",
        b"Last-Event-ID: e",
        b"Connection: close",
    )
    first = head(*lines, first=b"POST http://other/x HTTP/1.1") + b"\r\n"
    request = parsed(head(b"Transfer-Encoding: chunked"))
    for raw in (first, head() + b"\r\n"):
        request.stops_with_peer = True
        request.parse(bytearray(raw), len(raw))
    eq((request.method, request.path, request.authority, request.length), ("GET", "/health", None, None))
    eq((request.chunked, request.wants_continue, request.keep_alive), (False, False, True))
    eq((request.session_id, request.protocol_version, request.cors), (None, None, b""))
    eq((request.mcp_method, request.mcp_name, request.last_event_id), (None, None, None))
    eq(request.stops_with_peer, False)
    eq(request.fields.get(b"expect"), None)


def test_what_is_answered_to_a_malformed_head_is_no_answer_to_head():
    request = parsed(head(first=b"HEAD /health HTTP/1.1"))
    raw = head(first=b"GET") + b"\r\n"
    eq(refusal(request.parse, bytearray(raw), len(raw)), CLOSES_400)
    eq(request.method, "")
