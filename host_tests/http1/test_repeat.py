"""A head that comes again is not parsed again, and nothing passes by it that would not pass the long way."""

from served import BEARER, HOST, JSON, POST, TOKEN, outcomes, put, reader

from harness import eq
from http1.errors import HTTPError
from http1.guard import Guard

LENGTH = b"Content-Length: %d\r\n\r\n"
ONE = POST + LENGTH % 2 + b"{}"
WRONG = BEARER.replace(b"abcdef", b"abcdeF")


def parses(served, pieces):
    """(how many heads were parsed, what a connection sees)."""
    count = []
    real = served.request.parse

    def counted(buf, end):
        count.append(end)
        real(buf, end)

    served.request.parse = counted
    return count, outcomes(served, pieces)


def test_the_same_head_is_parsed_once_whatever_its_length():
    bodies = [b"{}", b"[]", b"17", b"", b"{}"]
    count, seen = parses(reader(), [POST + b"Content-Length: 0%d\r\n\r\n" % len(b) + b for b in bodies])
    eq((len(count), seen), (1, [("POST", "/mcp", body) for body in bodies]))


def test_it_is_found_in_pieces_and_pipelined():
    whole = ONE * 5
    for size in (1, 7, 60, 160, len(ONE), len(ONE) + 1, len(whole)):
        count, seen = parses(reader(), [whole[i : i + size] for i in range(0, len(whole), size)])
        eq((size, seen), (size, [("POST", "/mcp", b"{}")] * 5))
        # In small pieces a head is whole before it is looked at again.
        eq(len(count), 1)


def test_any_other_byte_goes_the_long_way():
    for changed in (
        ONE.replace(b"localhost", b"localhosT"),
        ONE.replace(b"/mcp", b"/mcP"),
        ONE.replace(b"json", b"jsom"),
        ONE.replace(b"Bearer", b"bearer"),
        ONE.replace(b"Length: 2", b"Length: 02"),
        ONE.replace(b"Length:", b"Lengti:"),
        ONE.replace(BEARER, b"X-" + BEARER[2:]),
        ONE.replace(HOST, HOST + b"X: y\r\n"),
    ):
        fresh = outcomes(reader(), [changed])
        eq((changed, outcomes(reader(), [ONE, changed])), (changed, [("POST", "/mcp", b"{}")] + fresh))


def test_a_wrong_token_is_refused_and_the_right_one_passes_again():
    wrong = ONE.replace(BEARER, WRONG)
    ok = ("POST", "/mcp", b"{}")
    eq(outcomes(reader(), [ONE, wrong, ONE, wrong, ONE]), [ok, (401, "POST"), ok, (401, "POST"), ok])


def test_header_lines_in_the_place_of_the_token_are_seen():
    for lines in (
        b"x\r\nHost: y.a",
        b"0123456789abcde\n",
        b"\r\nContent-Length",
        b"01234567\r89abcde",
        b"0123456\x0089abcdef",
    ):
        changed = ONE.replace(TOKEN.encode(), (lines + b"zzzzzzzzzzzzzzzz")[:16])
        eq(len(changed), len(ONE))
        fresh = outcomes(reader(), [changed])
        assert fresh[0] in (400, 401, (401, "POST")), fresh
        eq(outcomes(reader(), [ONE, changed]), [("POST", "/mcp", b"{}")] + fresh)


def test_a_malformed_or_large_length_is_refused():
    head = POST + b"Content-Length: 002\r\n\r\n{}"
    for digits, wanted in (
        (b"0x2", 400),
        (b" 02", ("POST", "/mcp", b"{}")),
        (b"+02", 400),
        (b"2\r\n", ("POST", "/mcp", b"\r\n")),
        (b"101", (413, "POST")),
    ):
        changed = head.replace(b"002", digits)
        eq((digits, outcomes(reader(), [head, changed])[:2]), (digits, [("POST", "/mcp", b"{}"), wanted]))


def test_a_request_between_leaves_nothing_behind():
    ok = ("POST", "/mcp", b"{}")
    for between, wanted in (
        (b"DELETE /mcp HTTP/1.1\r\n" + HOST + b"\r\n", (401, "DELETE")),
        (b"DELETE /mcp HTTP/1.1\r\n" + HOST + BEARER + b"\r\n", ("DELETE", "/mcp", b"")),
        (b"GET /health HTTP/1.1\r\n" + HOST + b"\r\n", ("GET", "/health", b"")),
        (b"POST /none HTTP/1.1\r\n" + HOST + LENGTH % 0, (404, "POST")),
        (POST + b"Mcp-Session-Id: a\r\n" + LENGTH % 2 + b"{}", ok),
    ):
        eq(outcomes(reader(), [ONE, between, ONE]), [ok, wanted, ok])


def sessions(served, pieces):
    seen = []
    for piece in pieces:
        for _ in put(served, piece):
            while served.next():
                seen.append(served.request.session_id)
                served.done()
    return seen


def test_the_fields_are_those_of_the_head_that_is_there():
    a = POST + b"Mcp-Session-Id: a\r\n" + LENGTH % 2 + b"{}"
    b = a.replace(b"Id: a", b"Id: b")
    eq(sessions(reader(), [a, a, b, b, ONE, a]), [b"a", b"a", b"b", b"b", None, b"a"])


def test_the_short_way_keeps_what_the_head_says_and_voids_what_a_handler_wished():
    raw = POST + b"Accept: application/json\r\nMcp-Method: m\r\nMcp-Name: n\r\nX: y\r\n" + LENGTH % 2 + b"{}"
    served = reader()
    for _ in range(2):
        for _ in put(served, raw):
            assert served.next()
        request = served.request
        eq((request.mcp_method, request.mcp_name, request.last_event_id), (b"m", b"n", None))
        eq((request.header(b"x"), request.header(b"y"), request.can_stream()), (b"y", None, False))
        eq(request.stops_with_peer, False)
        request.stops_with_peer = True
        served.done()
    # All but the values: a length of one digit, a method and a name.
    eq(served.repeat.size, len(raw) - 2 - 3)


def test_a_changed_token_or_host_counts_at_once():
    guard = Guard(TOKEN, ["robot.local"])
    served = reader(guard)
    there = ONE.replace(b"localhost", b"robot.local")
    eq(outcomes(served, [there, there]), [("POST", "/mcp", b"{}")] * 2)
    guard.allow_hosts([])
    eq(outcomes(served, [there]), [(403, "POST")])
    served = reader(guard)
    eq(outcomes(served, [ONE]), [("POST", "/mcp", b"{}")])
    guard.set_token("another-token-of-it")
    eq(outcomes(served, [ONE]), [(401, "POST")])
    guard.set_token(None)
    eq(outcomes(served, [ONE]), [(401, "POST")])


def test_the_token_is_not_kept():
    served = reader()
    outcomes(served, [ONE])
    assert served.repeat.size
    kept = b"".join([piece for piece, _ in served.repeat._pieces])
    assert TOKEN.encode() not in kept and b"Bearer " in kept


def test_the_next_connection_may_send_the_same_head_but_needs_the_token_too():
    served = reader()
    outcomes(served, [ONE])
    served.reset()
    eq(parses(served, [ONE]), ([], [("POST", "/mcp", b"{}")]))
    served.reset()
    eq(outcomes(served, [ONE.replace(BEARER, WRONG), ONE]), [(401, "POST"), ("POST", "/mcp", b"{}")])


def test_what_is_special_is_not_remembered():
    for special in (
        POST + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        POST + b"Expect: 100-continue\r\n" + LENGTH % 2 + b"{}",
        POST + b"Origin: http://localhost\r\n" + LENGTH % 2 + b"{}",
        b"POST /open HTTP/1.1\r\n" + HOST + JSON + LENGTH % 2 + b"{}",
        b"POST http://localhost/mcp HTTP/1.1\r\n" + HOST + BEARER + JSON + LENGTH % 2 + b"{}",
    ):
        served = reader()
        try:
            for _ in put(served, special):
                pass
            assert served.next()
        except HTTPError as e:
            raise AssertionError((special, e.status))
        eq((special, served.repeat.size), (special, 0))


def test_an_odd_head_between_leaves_nothing_behind():
    health = b"HEAD /health HTTP/1.1\r\n" + HOST + BEARER + LENGTH % 0
    delete = health.replace(b"HEAD /health", b"DELETE /mcp")
    for head, seen in ((health, ("HEAD", "/health", b"")), (delete, ("DELETE", "/mcp", b""))):
        for between in (b"POST /mcp HTTP/1.1\n\n", POST + b"Cookie: " + bytes([97]) * 2000):
            served = reader()
            eq(outcomes(served, [head, between])[0], seen)
            served.reset()
            eq(outcomes(served, [head]), [seen])


def test_a_refusal_has_no_lines_for_the_page_before():
    served = reader(Guard(TOKEN, origins=["https://app.example"]))
    outcomes(served, [POST + b"Origin: https://app.example\r\n" + LENGTH % 2 + b"{}"])
    assert served.request.cors
    eq(outcomes(served, [b"POST /mcp HTTP/1.1\n\n"]), [400])
    eq(served.request.cors, b"")


CALL = POST + b"Mcp-Method: %s\r\nX: y\r\nMcp-Name: %s\r\nMcp-Session-Id: s\r\n" + LENGTH % 2 + b"{}"


def named(served, pieces):
    """(how many heads were parsed, what the requests say of their method and name)."""
    parsed = []
    seen = []
    real = served.request.parse

    def counted(buf, end):
        parsed.append(end)
        real(buf, end)

    served.request.parse = counted
    for piece in pieces:
        for _ in put(served, piece):
            while served.next():
                request = served.request
                assert bytes(served.buf[served.start : served.stop]) == b"{}"
                seen.append((request.mcp_method, request.mcp_name))
                eq(
                    (request.session_id, request.header(b"x"), request.header(b"mcp-name")),
                    (b"s", b"y", seen[-1][1]),
                )
                served.done()
    return len(parsed), seen


def test_another_method_or_name_needs_no_parsing():
    calls = [(b"tools/call", b"a"), (b"tools/call", b"much_longer"), (b"m", b"n"), (b"", b"x"), (b"m", b"")]
    raw = [CALL % call for call in calls]
    eq(named(reader(), raw), (1, calls))
    eq(named(reader(), [b"".join(raw)]), (1, calls))
    for size in (1, 40, 150):
        whole = b"".join(raw)
        eq(named(reader(), [whole[i : i + size] for i in range(0, len(whole), size)]), (1, calls))


def test_what_no_name_can_be_goes_the_long_way():
    first = CALL % (b"m", b"n")
    for name in (
        b" n",
        b"n ",
        b"\tn",
        b"n\t",
        b" ",
        b"n\r\nMcp-Name: o",
        b"n\r\nHost: evil",
        b"n\x00",
        b"n\n",
        b"\x80",
        b"a b",
    ):
        changed = CALL % (b"m", name)
        fresh = outcomes(reader(), [changed])
        eq((name, outcomes(reader(), [first, changed])), (name, [("POST", "/mcp", b"{}")] + fresh))
        if fresh == [("POST", "/mcp", b"{}")]:
            eq(named(reader(), [first, changed])[1][1], (b"m", name.strip()))


def test_a_longer_name_makes_no_head_that_is_too_long():
    first = CALL % (b"m", b"n")
    served = reader()
    room = served.max_head - len(first) + len(b"n{}")
    for size, wanted in ((room, ("POST", "/mcp", b"{}")), (room + 1, 431)):
        eq(outcomes(reader(), [first, CALL % (b"m", b"n" * size)]), [("POST", "/mcp", b"{}"), wanted])


def test_a_head_without_a_name_is_another_head():
    without = CALL.replace(b"Mcp-Name: %s\r\n", b"") % b"m"
    served = reader()
    for raw, name in ((CALL % (b"m", b"n"), b"n"), (without, None), (CALL % (b"m", b"n"), b"n")):
        eq(named(served, [raw])[1], [(b"m", name)])


def test_what_is_asked_of_the_head_later_is_found_where_it_lies_now():
    call = CALL.replace(JSON, JSON + b"Accept: application/json\r\n")
    # Behind the name, so that it moves.
    moved = call.replace(b"Mcp-Session-Id: s\r\n", b"Mcp-Session-Id: s\r\nAccept: application/json\r\n")
    for raw in (call, moved.replace(JSON + b"Accept: application/json\r\n", JSON)):
        served = reader()
        for name in (b"n", b"text/event-stream", b"n"):
            for _ in put(served, raw % (b"m", name)):
                assert served.next()
            eq((name, served.request.can_stream()), (name, False))
            served.done()
