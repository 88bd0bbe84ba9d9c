"""Setup without a computer: an access point of the robot's own, and a page on it that asks for the Wi-Fi.

    setup = Setup(preferences, "192.168.4.1", names, missing, reset, log)
    await setup.run()            # for ever

Who knows the access point's password may use it: the robot shows that on its screen and over USB. Nothing that was set
before is told there.
"""

import asyncio

from micropython import const

from http1.errors import HTTPError
from http1.guard import Guard
from http1.router import Route, Router
from net.http_server import HttpServer, Limits
from umcp.codec import dumps, loads
from umcp.errors import RemoteError, Violation
from umcp.types import Object, String

_BODY = const(512)
_RESET_MS = const(1000)  # for the answer to arrive
_AGAIN_MS = const(5000)
_NETWORKS = const(20)

# IEEE 802.11: a name has at most 32 bytes; WPA2: a passphrase 8 to 63 characters.
_ASKED = Object(
    (
        ("name", String(min_length=1, max_length=32)),
        ("password", String(max_length=63, default="")),
        ("hostname", String(pattern="^[A-Za-z0-9]+(-+[A-Za-z0-9]+)*$", max_length=32, optional=True)),
    )
)


class Setup:
    """preferences: `config.Preferences`.  address: str, of the access point.  networks: list of str, those in reach.

    missing: dict of part to why, of the board.  reset: function that restarts the board.  port, dns_port: 80 and 53.
    """

    def __init__(self, preferences, address, networks, missing, reset, log, port=80, dns_port=53):
        self._preferences = preferences
        self._address = address
        self._networks = networks[:_NETWORKS]
        self._missing = missing
        self._reset = reset
        self._log = log
        self._dns_port = dns_port
        routes = {
            "/": Route(("GET", "HEAD"), False, _page),
            "/setup": Route(("GET", "POST"), False, self._serve),
        }
        router = _Captive(routes, Guard(hosts=(address,)), _BODY)
        router.elsewhere = Route(("GET", "HEAD"), False, self._lead_here)
        self.server = HttpServer(router, "0.0.0.0", port, Limits(body=_BODY), log)

    async def run(self):
        """Serve the page and lead every name to it, for ever; what cannot listen, or has died, is tried again."""
        server = self.server
        names = asyncio.create_task(self._again(self._lead_names))
        try:
            await self._again(self._listen)
        finally:
            names.cancel()
            await server.close()

    async def _again(self, work):
        while True:
            try:
                await work()
            except Exception as e:
                self._log("warning", "setup: %s" % e)
            await asyncio.sleep_ms(_AGAIN_MS)

    async def _listen(self):
        listener = self.server.listener
        if listener is None or listener.task.done():
            await self.server.close()
            await self.server.start()

    def _lead_names(self):
        from net import captive_dns

        return captive_dns.serve("0.0.0.0", self._address, self._dns_port)

    def _lead_here(self, *request):
        return 302, b"", b"Location: http://%s/\r\nCache-Control: no-store\r\n" % self._address.encode()

    def _serve(self, request, buf, start, end):
        if request.method != "POST":
            known = {
                "hostname": self._preferences.get("wifi.hostname"),
                "networks": self._networks,
                "missing": self._missing,
            }
            return 200, dumps(known), b"Cache-Control: no-store\r\n"
        try:
            self._keep(_ASKED.check(loads(buf, start, end)))
        except (RemoteError, Violation, OSError, ValueError) as e:
            return 400, dumps({"message": str(e)}), b""
        self._restarting = asyncio.create_task(self._restart())
        return 200, b'{"done":true}', b""

    # The network that was named last is tried first; those before it are kept.
    def _keep(self, asked):
        get = self._preferences.get
        name, password = asked["name"], asked["password"]
        if len(name.encode()) > 32:
            raise Violation("/name", "has at most 32 bytes")
        if password and not 8 <= len(password.encode()) <= 63:
            raise Violation("/password", "has 8 to 63 characters, or none")
        # A password may be missing at the end of the list: such a network is open.
        passwords = tuple(get("wifi.passwords")) + ("",) * len(get("wifi.names"))
        known = [pair for pair in zip(get("wifi.names"), passwords) if pair[0] != name]
        known.insert(0, (name, password))
        self._preferences.update(
            {
                "wifi.names": [pair[0] for pair in known[:4]],
                "wifi.passwords": [pair[1] for pair in known[:4]],
                "wifi.hostname": asked.get("hostname", get("wifi.hostname")),
            }
        )

    async def _restart(self):
        await asyncio.sleep_ms(_RESET_MS)
        self._reset()


class _Captive(Router):
    """Leads a page that is asked for elsewhere to `elsewhere`: so a phone finds that there is one to be shown."""

    def admit(self, request):
        try:
            return super().admit(request)
        except HTTPError as e:
            if request.method in ("GET", "HEAD") and e.status in (403, 404):
                return self.elsewhere
            raise


async def _page(*request):
    import setup_page  # late (RAM): rare

    return 200, [setup_page.HTML], setup_page.LINES
