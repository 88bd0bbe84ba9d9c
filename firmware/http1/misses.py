"""Requests whose line no route has: its route all the same, a 404, a 405, or the answer to a browser's preflight."""

from .errors import HTTPError
from .site import check_host, preflight


def find(router, request):
    """The Route of a request that came with a query, in absolute-form or in another version.

    Raises HTTPError 404 and 405, and 204 for OPTIONS from an allowed origin.
    """
    route = router.routes.get(request.path)
    if route and request.method in route.methods:
        return route
    check_host(request)
    if route is None:
        raise HTTPError(404)
    if request.method == "OPTIONS":
        lines = preflight(router.guard, request)
        if lines is not None:
            raise HTTPError(204, headers=lines)
    raise HTTPError(405, headers=b"Allow: %s\r\n" % ", ".join(route.methods).encode())
