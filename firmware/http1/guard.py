"""Who may ask: Host and Origin (against DNS rebinding and foreign pages) and the bearer token.

MCP transports, security warning: servers MUST validate Origin. A browser sends one with every cross-site request;
other clients send none.
"""

import hashlib

from . import bearer
from .errors import HTTPError
from .request import NAMES, names

_ORIGIN = NAMES.bits(b"origin")

# RFC 3986 section 3.2.2: what a name consists of, and an IPv6 address with its brackets.
_NAME_CHARACTERS = b"abcdefghijklmnopqrstuvwxyz0123456789-._~%!$&'()*+,;="
_ADDRESS_CHARACTERS = b"0123456789abcdef:.[]"

_LOOPBACK = (b"localhost", b"127.0.0.1", b"[::1]")

_CORS = (
    b"Access-Control-Allow-Origin: %s\r\nVary: Origin\r\n"
    b"Access-Control-Expose-Headers: Mcp-Session-Id, WWW-Authenticate\r\n"
)
_PREFLIGHT = (
    b"Access-Control-Allow-Methods: GET, POST, DELETE\r\nAccess-Control-Allow-Headers: Authorization, Content-Type, "
    b"Accept, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID\r\n"
    b"Access-Control-Max-Age: 600\r\n"
)


class Guard:
    """token: str or None; None refuses every request that needs one.

    hosts: the names and addresses of this server (str, no port) besides the loopback ones.
    origins: foreign origins that may call from a browser (`https://app.example`), none by default.
    realm: str, for the challenge.  log: log(level, text).  names: the `Names` of this server's requests.
    version: int, another one after each change of what is admitted.
    """

    def __init__(self, token=None, hosts=(), origins=(), realm="tsumiki", log=None):
        self.names = names()
        self.version = 0
        self.allow_hosts(hosts)
        self._origins = tuple([origin.lower().encode() for origin in origins])
        self._challenge = b'WWW-Authenticate: Bearer realm="%s", error="invalid_token"\r\n' % realm.encode()
        self._log = log
        self.set_token(token)

    def set_token(self, token):
        """Take another token from now on. `principal` stands for it: sessions of the old one become unknown."""
        self._token = bearer.normalize(token)
        self.version += 1
        self.principal = (
            b"" if self._token is None else hashlib.sha256(b"principal" + self._token).digest()[:8]
        )

    def allow_hosts(self, hosts):
        """The names and addresses to serve besides the loopback ones; they replace the earlier ones."""
        self._hosts = _LOOPBACK + tuple([host.lower().encode() for host in hosts])
        self._learned = False
        self.version += 1
        self.names.expect(b"host", b"")

    def check_site(self, request):
        """Raise HTTPError 403 for a foreign Host or Origin; note the CORS lines of an allowed one."""
        fields = request.fields
        host = request.authority or fields.get(b"host")
        if _name(host) not in self._hosts:
            raise HTTPError(403, "this Host is not served; add it to net.allowed_hosts")
        if not self._learned and not request.authority:
            # From now on the scan of the head tells that this Host is served.
            self._learned = True
            self.names.expect(b"host", host)
        if fields.present & _ORIGIN:
            request.cors = self._check_origin(fields.get(b"origin").lower(), host.lower())

    def check_host(self, request):
        """Raise HTTPError 400 for a Host that is none (RFC 9112 section 3.2), whatever else is refused."""
        _name(request.authority or request.fields.get(b"host"))

    def _check_origin(self, origin, host):
        if origin in self._origins:
            return _CORS % origin
        if origin not in (b"http://" + host, b"https://" + host):
            raise HTTPError(403, "this Origin may not call")
        return b""

    def preflight(self, request):
        """The header lines that answer OPTIONS from an allow-listed origin, or None."""
        origin = (request.fields.get(b"origin") or b"").lower()
        return _CORS % origin + _PREFLIGHT if origin in self._origins else None

    def check_token(self, request):
        """Raise HTTPError 401 unless the request bears the token."""
        reason = bearer.refusal(request.fields.buf, request.fields.span(b"authorization"), self._token)
        if reason is not None:
            if self._log:
                self._log("warning", "refused: " + reason)
            raise HTTPError(401, reason, headers=self._challenge)
        request.principal = self.principal

    def token_span(self, request):
        """Where the token of an admitted request lies in its buffer: start | end << 16."""
        return bearer.token_span(request.fields.buf, request.fields.span(b"authorization"))

    def is_token(self, buf, span):
        """True if the token lies there."""
        return bearer.is_token(buf, span, self._token)


# The host of a Host header without its port: an IPv6 address keeps its brackets (RFC 9110 section 7.2).
def _name(host):
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
