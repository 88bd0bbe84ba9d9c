"""The unusual Host, and Origin: what `Guard` and `target.find` ask rarely."""

from .errors import HTTPError

try:
    from micropython import const
except ImportError:
    const = int

_HOST = const(0)
_ORIGIN = const(7)

# RFC 3986 section 3.2.2: what a name consists of, and an IPv6 address with its brackets.
_NAME_CHARACTERS = b"abcdefghijklmnopqrstuvwxyz0123456789-._~%!$&'()*+,;="
_ADDRESS_CHARACTERS = b"0123456789abcdef:.[]"

_CORS = (
    b"Access-Control-Allow-Origin: %s\r\nVary: Origin\r\n"
    b"Access-Control-Expose-Headers: Mcp-Session-Id, WWW-Authenticate\r\n"
)
_PREFLIGHT = (
    b"Access-Control-Allow-Methods: GET, POST, DELETE\r\nAccess-Control-Allow-Headers: Authorization, Content-Type, "
    b"Accept, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID%s\r\n"
    b"Access-Control-Max-Age: 600\r\n"
)


def check(guard, request):
    """Raise HTTPError 403 for a Host or Origin foreign to a `Guard`; note the CORS lines of an allowed one."""
    host = request.authority or request.fields.get(_HOST)
    if host_name(host) not in guard.hosts:
        raise HTTPError(403, "this Host is not served; name it in hosts= or net.allowed_hosts")
    origin = _origin(request)
    if origin is None:
        return
    if _is_allowed(guard, origin):
        request.cors = _CORS % origin
    elif origin not in (b"http://" + host.lower(), b"https://" + host.lower()):
        raise HTTPError(403, "this Origin may not call")


def check_host(request):
    """Raise HTTPError 400 for a Host that is none (RFC 9112 section 3.2), whatever else is refused."""
    host_name(request.authority or request.fields.get(_HOST))


def preflight(guard, request):
    """The header lines that answer OPTIONS from an allow-listed origin, or None."""
    origin = _origin(request)
    return _CORS % origin + _PREFLIGHT % _asked_for(request) if _is_allowed(guard, origin) else None


# The fields that repeat arguments (MCP 2026-07-28) have names that tools make up: those that are asked for may come.
def _asked_for(request):
    names = (request.header(b"access-control-request-headers") or b"").split(b",")
    names = [name.strip() for name in names if name.strip().lower().startswith(b"mcp-param-")]
    return b"".join([b", " + name for name in names if not any([c <= 32 or c > 126 for c in name])])


def _origin(request):
    origin = request.fields.get(_ORIGIN)
    return None if origin is None else origin.lower()


def _is_allowed(guard, origin):
    return any(origin == allowed.lower().encode() for allowed in guard.origins)


# The host of a Host header without its port: an IPv6 address keeps its brackets (RFC 9110 section 7.2).
def host_name(host):
    if host is None:
        return b""
    host = host.lower()
    address = host.startswith(b"[")
    end = host.find(b"]") + 1 if address else host.find(b":")
    name = host[:end] if end >= 0 else host
    port = host[len(name) :]
    allowed = _ADDRESS_CHARACTERS if address else _NAME_CHARACTERS
    if any(c not in allowed for c in name) or not _is_port(port):
        raise HTTPError(400, "malformed Host", close=True)
    return name


def _is_port(port):
    return port in (b"", b":") or (port.startswith(b":") and len(port) <= 6 and port[1:].isdigit())
