"""One table of paths, and the verdict on a request before its body is read: a route, or an HTTPError."""

from .errors import HTTPError
from .request import NAMES, request_line

MAX_BODY = 8192  # bytes: one 24,000-byte body starves the network of an ESP32 without PSRAM

_HOST = NAMES.bits(b"host")
_ORIGIN = NAMES.bits(b"origin")
_TYPE = NAMES.bits(b"content-type")
_ACCEPT = NAMES.bits(b"accept")

_JSON = b"application/json"
_READABLE = (b"application/json", b"text/event-stream", b"*/*", b"application/*", b"text/*")


class Route:
    """methods: tuple of str.  needs_token: bool.

    handler: called with (request, buf, start, end), the body in buf[start:end], which it may read until it returns;
    returns (status, body as in `answer.answer`, header lines) or an awaitable of it.
    """

    def __init__(self, methods, needs_token, handler):
        self.methods = methods
        self.needs_token = needs_token
        self.handler = handler


class Router:
    """routes: dict of path (str) -> Route.  guard: `Guard`.  max_body: int, bytes."""

    def __init__(self, routes, guard, max_body=MAX_BODY):
        self._routes = routes
        self.guard = guard
        self._max_body = max_body
        self.names = guard.names
        self.known = {}
        for path, route in routes.items():
            for method in route.methods:
                line = ("%s %s HTTP/1.1" % (method, path)).encode()
                self.known[line] = request_line(line) + (route,)

    def admit(self, request):
        """The Route that serves the request. Raises HTTPError: 401, 403, 404, 405, 406, 411, 413 or 415."""
        route = request.route or self._find(request)
        fields = request.fields
        if not fields.usual & _HOST or fields.present & _ORIGIN or request.authority:
            self.guard.check_site(request)
        if route.needs_token:
            self.guard.check_token(request)
        if request.method == "POST":
            self._check_body(request)
        elif request.length:
            self._check_length(request)
        return route

    def _find(self, request):
        route = self._routes.get(request.path)
        if route is None:
            self.guard.check_host(request)
            raise HTTPError(404)
        if request.method not in route.methods:
            self._refuse_method(request, route)
        return route

    def _refuse_method(self, request, route):
        self.guard.check_host(request)
        if request.method == "OPTIONS":
            lines = self.guard.preflight(request)
            if lines is not None:
                raise HTTPError(204, headers=lines)
        raise HTTPError(405, headers=b"Allow: %s\r\n" % ", ".join(route.methods).encode())

    def _check_body(self, request):
        fields = request.fields
        if not fields.usual & _TYPE and _media_type(fields.get(b"content-type")) != _JSON:
            raise HTTPError(415, "Content-Type must be application/json")
        if request.length is None and not request.chunked:
            raise HTTPError(411, "send Content-Length or chunks", close=True)
        if request.length:
            self._check_length(request)
        if (fields.present ^ fields.usual) & _ACCEPT and not _accepts(fields.get(b"accept")):
            raise HTTPError(406, "accept application/json or text/event-stream")

    def _check_length(self, request):
        if request.length > self._max_body:
            raise HTTPError(413, "the body may have %d bytes" % self._max_body)


# Media types have no case (RFC 9110 section 8.3.1); parameters are ignored.
def _media_type(value):
    return value and value.split(b";")[0].strip().lower()


def _accepts(accept):
    return not accept or any(_media_type(part.strip()) in _READABLE for part in accept.split(b","))
