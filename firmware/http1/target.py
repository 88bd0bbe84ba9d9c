"""Request lines that no route has: other paths and methods, queries, absolute-form, other versions, malformed ones.

`parse` takes one apart; of those that are well formed, `find` has the route all the same, or the refusal.
"""

from .errors import HTTPError

try:
    from micropython import const
except ImportError:
    const = int

_HOST = const(1 << 0)

_TOKEN = b"!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def parse(line):
    """(method, path, http10, authority, None) of a request line (RFC 9112 section 3); None stands for the route.

    One space is between its three parts.  Raises HTTPError: 400 or 505, with `close`.
    """
    parts = line.split(b" ")
    if len(parts) != 3 or not _is_token(parts[0]):
        raise HTTPError(400, "malformed request line", close=True)
    method, target, version = parts
    # RFC 9110 section 2.5: a higher minor version is read as HTTP/1.1.
    digits = version[5:].split(b".") if version.startswith(b"HTTP/") else ()
    sound = len(version) == 8 and len(digits) == 2 and digits[0].isdigit() and digits[1].isdigit()
    if not sound or digits[0] != b"1":
        raise HTTPError(505 if sound else 400, "only HTTP/1.1 and HTTP/1.0 are served", close=True)
    path, authority = _target(method, target)
    return method.decode(), path, version == b"HTTP/1.0", authority, None


def find(router, request):
    """The Route of a request that came with a query, in absolute-form or in another version.

    Raises HTTPError 404 and 405, and 204 for OPTIONS from an allowed origin.
    """
    route = router.routes.get(request.path)
    if route and request.method in route.methods:
        return route
    if not request.fields.usual & _HOST or request.authority:
        from .site import check_host  # late (RAM): usually a Host that was seen before

        check_host(request)
    if route is None:
        raise HTTPError(404)
    if request.method == "OPTIONS":
        from .site import preflight

        lines = preflight(router.guard, request)
        if lines is not None:
            raise HTTPError(204, headers=lines)
    raise HTTPError(405, headers=b"Allow: %s\r\n" % ", ".join(route.methods).encode())


# RFC 9112 section 3.2: origin-form, absolute-form, or `*` for OPTIONS. The query is ignored.
def _target(method, target):
    authority = None
    if any(c <= 32 or c > 126 for c in target):
        raise HTTPError(400, "malformed request target", close=True)
    if target[:7].lower() == b"http://":
        slash = target.find(b"/", 7)
        authority = target[7:slash] if slash > 0 else target[7:]
        target = target[slash:] if slash > 0 else b"/"
        # RFC 9110 section 4.2.1: an http URI has a host.
        if not authority:
            raise HTTPError(400, "malformed request target", close=True)
    elif not target.startswith(b"/") and not (target == b"*" and method == b"OPTIONS"):
        raise HTTPError(400, "malformed request target", close=True)
    path, _, query = target.partition(b"?")
    # RFC 6750 section 5.3: a token in a URL ends up in logs.
    if b"token=" in query.lower():
        raise HTTPError(400, "a token belongs in the Authorization header, never in the URL", close=True)
    return path.decode(), authority


def _is_token(name):
    return 0 < len(name) <= 32 and all(c in _TOKEN for c in name)
