"""Where a token may go unencrypted: this machine, and with its owner's word the network that he or she is in."""

import ipaddress
from urllib.parse import urlsplit

from ..errors import Failed

_LOOPBACK = ("127.0.0.0/8", "::1/128")
# RFC 1918, RFC 3927 and RFC 4291 link-local, RFC 4193.
_PRIVATE = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fe80::/10", "fc00::/7")

PUBLIC, PRIVATE, LOOPBACK = range(3)


def kind(address):
    """PUBLIC, PRIVATE or LOOPBACK.  address: str.  Raises ValueError for what is none."""
    found = ipaddress.ip_address(address.partition("%")[0])
    found = getattr(found, "ipv4_mapped", None) or found
    for networks, verdict in ((_LOOPBACK, LOOPBACK), (_PRIVATE, PRIVATE)):
        if any(found in network for network in map(ipaddress.ip_network, networks)):
            return verdict
    return PUBLIC


class Target:
    """url: str, of an MCP endpoint; without a path it is /mcp.  allow_http: bool, unencrypted to private addresses too.

    Raises Failed for a URL that is none, and for http to where it may not go.
    """

    def __init__(self, url, allow_http=False):
        try:
            parts = urlsplit(url)
            self.port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
        except ValueError as e:
            raise Failed("%s: %s" % (url, e)) from None
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
            raise Failed("%s is no http:// or https:// URL of a robot" % url)
        self.tls = parts.scheme == "https"
        self.host = parts.hostname.replace("%25", "%")
        self.path = (parts.path if parts.path.strip("/") else "/mcp") + (
            "?" + parts.query if parts.query else ""
        )
        self.allow_http = allow_http
        if not self.tls:
            self._check(_kind_of_name(self.host), self.host)

    def check_peer(self, address):
        """Before the token goes out: what the name has led to.  Raises Failed."""
        if not self.tls:
            self._check(kind(address), address)

    def _check(self, found, what):
        if found == PUBLIC:
            raise Failed("%s is no private address: the token would go over http, for all to read" % what)
        if found == PRIVATE and not self.allow_http:
            raise Failed("the token would go to %s unencrypted: --allow-http, if the network is yours" % what)


# A name in DNS is anybody's, and is none of ours; one of mDNS is the network's.
def _kind_of_name(name):
    name = name.lower().rstrip(".")
    if name == "localhost":
        return LOOPBACK
    if name.endswith(".local"):
        return PRIVATE
    try:
        return kind(name)
    except ValueError:
        return PUBLIC
