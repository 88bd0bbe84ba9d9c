"""Who may ask: Host and Origin (against DNS rebinding and foreign pages) and the bearer token.

MCP transports, security warning: servers MUST validate Origin. A browser sends one with every cross-site request;
other clients send none.
"""

import hashlib

from . import bearer
from .request import names

try:
    from micropython import const
except ImportError:
    const = int

_HOST = const(0)
_AUTHORIZATION = const(6)
_ORIGIN = const(7)


class Guard:
    """token: str or None; None refuses every request that needs one.

    hosts: the names and addresses of this server (str, no port) besides the loopback ones.
    origins: foreign origins that may call from a browser (`https://app.example`), none by default.
    realm: str, for the challenge.  log: log(level, text).  names: the `Names` of this server's requests.
    version: int, another one after each change of what is admitted.

    What is rare is in `http1.site` and `http1.challenge`, which read token: bytes or None; hosts: tuple of bytes;
    origins, realm, log: as given.
    """

    def __init__(self, token=None, hosts=(), origins=(), realm="tsumiki", log=None):
        self.names = names()
        self.version = 0
        self.allow_hosts(hosts)
        self.origins = tuple(origins)
        self.realm = realm
        self.log = log
        self.set_token(token)

    def set_token(self, token):
        """Take another token from now on. `principal` stands for it: sessions of the old one become unknown."""
        self.token = token = bearer.normalize(token)
        self.version += 1
        self.principal = hashlib.sha256(b"principal" + token).digest()[:8] if token else b""

    def allow_hosts(self, hosts):
        """The names and addresses to serve besides the loopback ones; they replace the earlier ones."""
        served = [host.lower().encode() for host in hosts]
        self.hosts = (b"localhost", b"127.0.0.1", b"[::1]") + tuple(served)
        self.learned = False
        self.version += 1
        self.names.table = names().table

    def check_site(self, request):
        """Raise HTTPError 403 for a foreign Host or Origin; note the CORS lines of an allowed one."""
        fields = request.fields
        host = request.authority or fields.get(_HOST) or b""
        name, _, port = host.partition(b":")
        strange = name not in self.hosts or len(port) > 5 or (port and not port.isdigit())
        if strange or fields.present & 1 << _ORIGIN:
            from .site import check  # late (RAM): usually one of our names, and no browser

            check(self, request)
        if not self.learned and not request.authority:
            # From now on the scan of the head tells that this Host is served.
            self.learned = True
            self.names.table = names(host).table

    def check_token(self, request):
        """Raise HTTPError 401 unless the request bears the token."""
        fields = request.fields
        span = fields.span(_AUTHORIZATION)
        if not bearer.passes(fields.buf, span, self.token):
            from .challenge import refuse  # late (RAM), as above

            refuse(self, span)
        request.principal = self.principal
