"""Who may ask: Host, Origin, and the token."""

from served import HOST, TOKEN, parsed, refusal

from harness import eq, raises
from http1.errors import HTTPError
from http1.guard import Guard
from http1.request import Request
from http1.site import check_host, preflight

SITE = "https://app.example"


def request(*lines, host=b"localhost:8080", guard=None, first=b"POST /mcp HTTP/1.1"):
    lines = (b"Host: " + host,) + lines if host is not None else lines
    raw = first + b"\r\n" + b"".join([line + b"\r\n" for line in lines]) + b"\r\n"
    made = Request((guard or Guard(TOKEN)).names, {})
    made.parse(bytearray(raw), len(raw))
    return made


def site(guard, *lines, **options):
    return refusal(guard.check_site, request(*lines, guard=guard, **options))


def test_hosts_that_are_served():
    guard = Guard(TOKEN, hosts=("robot.local", "192.168.0.7", "[fe80::1]"))
    for host in (
        b"localhost",
        b"LOCALHOST:1",
        b"127.0.0.1:8080",
        b"[::1]",
        b"[::1]:80",
        b"robot.local",
        b"Robot.Local:8080",
        b"192.168.0.7",
        b"[FE80::1]:80",
        b"localhost:",
    ):
        eq((host, site(guard, host=host)), (host, None))


def test_foreign_hosts_are_refused():
    guard = Guard(TOKEN, hosts=("robot.local",))
    for host in (
        b"evil.example",
        b"localhost.evil.example",
        b"xlocalhost",
        b"127.0.0.2",
        b"[::2]",
        b"",
        b":80",
        b"robot",
        b"robot.local.",
        b"0.0.0.0",
    ):
        eq((host, site(guard, host=host)), (host, (403, False)))


def test_rfc_9112_3_2_a_host_that_is_none_is_a_bad_request():
    guard = Guard(TOKEN)
    for host in (
        b"local host",
        b"localhost/",
        b"localhost@evil",
        b"user@localhost",
        b"localhost?",
        b"a,b",
        b"local\xc3\xa9",
        b"localhost:80:80",
        b"localhost:x",
        b"localhost:8080x",
        b"localhost:000080",
        b"localhost:-1",
        b"localhost: 80",
        b"[::1",
        b"[::1]x",
        b"[::1]80",
        b"[evil]",
        b"::1",
        b'"localhost"',
        b"local<host",
        b"localhost:" + b"8" * 400,
    ):
        # A comma is allowed in a name (RFC 3986): such a Host is only foreign.
        wanted = (403, False) if host == b"a,b" else (400, True)
        eq((host, site(guard, host=host)), (host, wanted))
        eq((host, refusal(check_host, request(host=host))), (host, None if host == b"a,b" else wanted))


def test_a_request_without_a_host_is_refused_from_the_first_on():
    guard = Guard(TOKEN)
    for _ in range(2):
        eq(site(guard, host=None, first=b"POST /mcp HTTP/1.0"), (403, False))
        eq(site(guard, b"Origin: http://evil.example", host=None, first=b"POST /mcp HTTP/1.0"), (403, False))
        eq(site(guard), None)


def test_rfc_9112_3_2_2_the_authority_of_the_target_stands_for_host():
    guard = Guard(TOKEN)
    eq(site(guard, first=b"POST http://evil.example/mcp HTTP/1.1"), (403, False))
    eq(site(guard, host=b"evil.example", first=b"POST http://localhost/mcp HTTP/1.1"), None)
    eq(site(guard, first=b"POST http://user@localhost/mcp HTTP/1.1"), (400, True))


def test_hosts_can_be_replaced():
    guard = Guard(TOKEN, hosts=("a",))
    eq(site(guard, host=b"a"), None)
    guard.allow_hosts(("b",))
    eq((site(guard, host=b"a"), site(guard, host=b"b"), site(guard)), ((403, False), None, None))


def test_without_an_origin_anyone_may_call():
    eq(site(Guard(TOKEN)), None)


def test_the_server_s_own_origin_may_call():
    for origin in (b"http://localhost:8080", b"https://localhost:8080", b"HTTP://LocalHost:8080"):
        guard = Guard(TOKEN)
        asked = request(b"Origin: " + origin, guard=guard)
        guard.check_site(asked)
        eq(asked.cors, b"")


def test_foreign_origins_are_refused():
    guard = Guard(TOKEN, origins=(SITE,))
    for origin in (
        b"http://evil.example",
        b"null",
        b"",
        b"http://localhost",
        b"http://localhost:80800",
        b"http://localhost:8080.evil.example",
        b"http://evil.example#http://localhost:8080",
        b"ftp://localhost:8080",
        b"localhost:8080",
        b"http://localhost:8080/",
        b"https://app.example.evil",
        b"http://app.example",
        b"https://app.example, https://app.example",
    ):
        eq((origin, site(guard, b"Origin: " + origin)), (origin, (403, False)))


def test_an_allowed_origin_gets_its_headers_and_no_other():
    guard = Guard(TOKEN, origins=("https://App.Example", "http://b"))
    for origin in (b"https://app.example", b"HTTPS://APP.example"):
        asked = request(b"Origin: " + origin, guard=guard)
        guard.check_site(asked)
        assert b"Access-Control-Allow-Origin: https://app.example\r\n" in asked.cors
        assert b"Vary: Origin\r\n" in asked.cors and b"Mcp-Session-Id" in asked.cors
    eq(request(guard=guard).cors, b"")


def test_a_preflight_is_answered_to_an_allowed_origin_only():
    guard = Guard(TOKEN, origins=(SITE,))
    lines = preflight(guard, request(b"Origin: https://app.example", guard=guard))
    for wanted in (
        b"Allow-Origin: https://app.example\r\n",
        b"Allow-Methods: GET, POST, DELETE\r\n",
        b"Authorization, Content-Type",
        b"Mcp-Session-Id",
    ):
        assert wanted in lines, wanted
    for line in (b"Origin: http://evil.example", b"X: y", b"Origin: null", b"Origin:"):
        eq(preflight(guard, request(line, guard=guard)), None)
    eq(preflight(Guard(TOKEN), request(b"Origin: https://app.example")), None)


def test_a_refused_token_is_challenged_and_logged_without_it():
    log = []
    for token, header, reason in (
        (TOKEN, b"X: y", "missing-authorization"),
        (TOKEN, b"Authorization: Bearer wrong-wrong-wrong", "invalid-authorization"),
        (None, b"Authorization: Bearer " + TOKEN.encode(), "token-not-configured"),
    ):
        guard = Guard(token, log=lambda *line: log.append(line))
        e = raises(HTTPError, guard.check_token, request(header, guard=guard))
        eq((e.status, e.reason, e.close), (401, reason, False))
        eq(e.headers, b'WWW-Authenticate: Bearer realm="tsumiki", error="invalid_token"\r\n')
        eq(log.pop(), ("warning", "refused: " + reason))
        assert TOKEN not in str(e) and "wrong" not in str(e)
    eq(refusal(Guard(TOKEN).check_token, request()), (401, False))


def test_the_principal_stands_for_the_token():
    guard = Guard(TOKEN)
    asked = request(b"Authorization: Bearer " + TOKEN.encode(), guard=guard)
    guard.check_token(asked)
    first = asked.principal
    assert len(first) == 8 and TOKEN.encode() not in first
    eq(Guard(" " + TOKEN + " ").principal, first)
    guard.set_token("another-secret-token")
    eq(refusal(guard.check_token, asked), (401, False))
    assert guard.principal not in (first, b"")
    guard.set_token(None)
    eq((refusal(guard.check_token, asked), guard.principal), ((401, False), b""))


def test_a_head_parsed_for_one_server_tells_nothing_of_another():
    eq(parsed(b"GET / HTTP/1.1\r\n" + HOST).fields.usual & 1, 0)
    one, other = Guard(TOKEN, hosts=("a",)), Guard(TOKEN, hosts=("b",))
    eq((site(one, host=b"a"), site(other, host=b"b")), (None, None))
    eq((site(one, host=b"b"), site(other, host=b"a")), ((403, False), (403, False)))
