"""One table of paths, and the verdict on a request before its body is read: a route, or an HTTPError."""

try:
    from micropython import const
except ImportError:
    const = int

MAX_BODY = 8192  # bytes: one 24,000-byte body starves the network of an ESP32 without PSRAM

_HOST = const(1 << 0)
_TYPE = const(1 << 4)
_ACCEPT = const(1 << 5)
_ORIGIN = const(1 << 7)


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
    """routes: dict of path (str) -> Route.  guard: `Guard`.  max_body: int, bytes.  known: as for `Request`."""

    def __init__(self, routes, guard, max_body=MAX_BODY):
        self.routes = {}
        self.guard = guard
        self.max_body = max_body
        self.names = guard.names
        # What `target.parse` would make of the lines, and the route.
        self.known = {}
        for path, route in routes.items():
            self.add(path, route)

    def add(self, path, route):
        """Serve one path more, or another one in its place."""
        self.routes[path] = route
        for method in route.methods:
            line = ("%s %s HTTP/1.1" % (method, path)).encode()
            self.known[line] = (method, path, False, None, route)

    def admit(self, request):
        """The Route that serves the request. Raises HTTPError: 401, 403, 404, 405, 406, 411, 413 or 415."""
        route = request.route
        if route is None:
            from .target import find  # late (RAM): most clients send what is known

            route = find(self, request)
        present = request.fields.present
        usual = request.fields.usual
        if not usual & _HOST or present & _ORIGIN or request.authority:
            self.guard.check_site(request)
        if route.needs_token:
            self.guard.check_token(request)
        length = request.length
        posted = request.method == "POST"
        odd = posted and (length is None or not usual & _TYPE or (present ^ usual) & _ACCEPT)
        if odd or (length or 0) > self.max_body:
            from .content import check  # late (RAM): most clients say what they send in the usual words

            check(request, posted, self.max_body)
        return route
