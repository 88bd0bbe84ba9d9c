"""URLs that a client is given, and those that a peer redirects to."""

from harness import eq, raises
from http1.url import authority, origin, parse_url, redirect_note


def test_parts():
    for url, parts in (
        ("http://robot.local/mcp", ("http", "robot.local", 80, "/mcp")),
        ("HTTPS://robot.local:8443/a/b?c=d", ("https", "robot.local", 8443, "/a/b?c=d")),
        ("http://h", ("http", "h", 80, "/")),
        ("http://h?x=/", ("http", "h", 80, "/?x=")),
        ("http://[::1]:8080/mcp", ("http", "::1", 8080, "/mcp")),
        ("http://[::1]", ("http", "::1", 80, "/")),
        ("http://h:/x", ("http", "h", 80, "/x")),
    ):
        eq(parse_url(url), parts)


def test_exactly_one_slash_is_dropped():
    eq(parse_url("http://h/mcp/")[3], "/mcp")
    eq(parse_url("http://h/mcp//")[3], "/mcp/")
    eq(parse_url("http://h/")[3], "/")


def test_what_is_refused():
    for url in (
        "",
        "h/mcp",
        "ftp://h/",
        "http:/h",
        "http://",
        "http:///x",
        "http://u:secret@h/",
        "http://h/#x",
        "http://h /",
        "http://h/\r\nX: y",
        "http://h/\u00e9",
        "http://h:0/",
        "http://h:65536/",
        "http://h:8o/",
        "http://h:+1/",
        "http://[::1/",
        "http://[::1]x/",
        "http://[]/",
        "http://a\\b/",
    ):
        e = raises(ValueError, parse_url, url)
        assert "secret" not in str(e)


def test_the_host_field_names_only_an_unusual_port():
    eq(authority("http", "h", 80), "h")
    eq(authority("http", "h", 443), "h:443")
    eq(authority("https", "h", 443), "h")
    eq(authority("http", "::1", 8080), "[::1]:8080")


def test_a_redirect_is_named_without_its_secrets():
    eq(origin(b"https://u:p@h:1/path?k=v"), "https://h:1")
    eq(origin(b"http://h?k=v"), "http://h")
    eq(origin(b"http://h\x01\xc3\xa9/"), "http://h??")
    for other in (b"/path", b"mailto:x", b"\xff\xfe", b""):
        eq(origin(other), "")
    eq(redirect_note(b"http://h/x"), " (redirect to http://h not followed)")
    eq(redirect_note(b"/x"), redirect_note(None))
