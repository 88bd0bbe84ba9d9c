"""An http or https URL, taken apart for a client (RFC 9110 section 4.2, RFC 3986).

    parse_url("https://robot.local/mcp/")   # ("https", "robot.local", 443, "/mcp")

Refused: other schemes, user names and passwords, a fragment, white space, control characters, non-ASCII.
"""


def parse_url(url):
    """-> (scheme, host, port, target), all str but the port. One slash at the end is dropped, as the original does.

    Raises ValueError with a text that does not repeat the URL, which may hold a secret.
    """
    scheme, rest = _scheme(url[:-1] if url.endswith("/") else url)
    if any([not "!" <= c <= "~" or c in '"<>\\^`{|}' for c in rest]):
        raise ValueError("url: bad character")
    if "#" in rest:
        raise ValueError("url: no fragment, please")
    cut = min([i for i in (rest.find("/"), rest.find("?"), len(rest)) if i >= 0])
    host, port = _authority(rest[:cut], 443 if scheme == "https" else 80)
    target = rest[cut:]
    return scheme, host, port, target if target.startswith("/") else "/" + target


def authority(scheme, host, port):
    """The value of the Host field: host, and the port unless it is the scheme's own."""
    if ":" in host:
        host = "[%s]" % host
    return host if port == (443 if scheme == "https" else 80) else "%s:%d" % (host, port)


def origin(url):
    """Scheme and host of a URL that a peer sent (bytes), without user, path and query; "" if it has none."""
    try:
        text = url.decode()
        scheme, rest = _scheme(text)
    except ValueError:  # relative, of another scheme, or no UTF-8
        return ""
    for mark in "/?#":
        rest = rest.split(mark)[0]
    host = rest.split("@")[-1]
    return "%s://%s" % (scheme, "".join([c if "!" <= c <= "~" else "?" for c in host]))


def redirect_note(location):
    """The end of an error text about a redirect that is not followed.  location: bytes or None."""
    target = origin(location) if location else ""
    return " (redirect to %s not followed)" % target if target else " (redirect not followed)"


def _scheme(url):
    for scheme in ("http", "https"):
        size = len(scheme) + 3
        if url[:size].lower() == scheme + "://":
            return scheme, url[size:]
    raise ValueError("url: must begin with http:// or https://")


def _authority(text, port):
    if "@" in text:
        raise ValueError("url: no user name or password, please")
    if text.startswith("["):
        host, bracket, rest = text[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            raise ValueError("url: bad host")
        return _checked(host), _port(rest[1:], port)
    host, _, rest = text.partition(":")
    return _checked(host), _port(rest, port)


def _checked(host):
    if not host:
        raise ValueError("url: no host")
    return host


def _port(text, default):
    if not text:
        return default
    if not text.isdigit() or len(text) > 5 or not 0 < int(text) < 65536:
        raise ValueError("url: bad port")
    return int(text)
