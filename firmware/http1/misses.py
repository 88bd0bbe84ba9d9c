"""Requests whose line no route has: its route all the same, a 404, a 405, or the answer to a browser's preflight."""

from .errors import HTTPError

try:
    from micropython import const
except ImportError:
    const = int

_HOST = const(1 << 0)


def find(router, request):
    """The Route of a request that came with a query, in absolute-form or in another version.

    Raises HTTPError 404 and 405, and 204 for OPTIONS from an allowed origin.
    """
    route = router.routes.get(request.path)
    if route and request.method in route.methods:
        return route
    if not request.fields.usual & _HOST or request.authority:
        from .site import check_host  # late (RAM), as below

        check_host(request)
    if route is None:
        raise HTTPError(404)
    if request.method == "OPTIONS":
        from .site import preflight

        lines = preflight(router.guard, request)
        if lines is not None:
            raise HTTPError(204, headers=lines)
    raise HTTPError(405, headers=b"Allow: %s\r\n" % ", ".join(route.methods).encode())
