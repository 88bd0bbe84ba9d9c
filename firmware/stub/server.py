"""An MCP server that offers and answers what a fixture says, in one era or both."""

from umcp.codec import dumps
from umcp.errors import INVALID_PARAMS, LocalError, RemoteError
from umcp.one import One
from umcp.pages import Pages
from umcp.rpc import result
from umcp.server import Server, no_log
from umcp.session import capability_bits
from umcp.version import LEGACY, MODERN

from .answers import FixtureError
from .offered import get, read

try:
    from micropython import const
except ImportError:
    const = int

LEGACY_ERA = "legacy"
MODERN_ERA = "modern"

_MAX_PAGE = const(1 << 24)  # bytes: a list is one page
_UNSUPPORTED_VERSION = const(-32022)


class StubServer(Server):
    """fixture: a `Fixture`.  eras: tuple of "legacy" and "modern", or None: what the fixture says, or both.

    sessions, runtime, log: as of `Server`; with a runtime, answers with a delay can be cancelled.
    max_page: int, bytes of a page of a list.  Raises FixtureError.
    """

    def __init__(self, fixture, sessions=None, eras=None, runtime=None, log=no_log, max_page=_MAX_PAGE):
        eras = tuple(eras or fixture.protocol.get("eras") or (LEGACY_ERA, MODERN_ERA))
        versions = tuple(fixture.protocol.get("versions") or LEGACY)
        if not eras or any([era not in (LEGACY_ERA, MODERN_ERA) for era in eras]):
            raise FixtureError("/protocol/eras", "legacy, modern, or both")
        if any([version not in LEGACY for version in versions]):
            raise FixtureError("/protocol/versions", "of " + ", ".join(LEGACY))
        super().__init__(
            fixture.name,
            fixture.version,
            sessions,
            fixture.instructions,
            log,
            max_page,
            runtime,
            about=fixture.about,
        )
        self.identity = dict(fixture.about, name=fixture.name, version=fixture.version)
        self.fixture = fixture
        self._versions = versions
        self._legacy = LEGACY_ERA in eras
        if not self._legacy:
            self.sessions = _Refused()
        if MODERN_ERA not in eras:
            self.modern = _NotModern()
        else:
            self._set_cache()
        self._offer(max_page)

    def capabilities(self, streams):
        """What it offers: nothing of it changes."""
        found = {"tools": {}} if self.fixture.tools or not self.features else {}
        found.update(self.features)
        return found

    def line(self):
        """The sessions of a line of its own, for its peer."""
        return One() if self._legacy else self.sessions

    def _offer(self, max_page):
        fixture = self.fixture
        for tool in fixture.tools:
            self._add(self.tools, tool)
            if b'"x-mcp-header"' in tool.listed():
                from umcp.param_headers import headers

                try:
                    tool.headers = headers(tool)
                except LocalError:
                    pass  # Clients do not use such a tool.
        if fixture.resources or fixture.templates:
            resources = Pages("resources", max_page)
            templates = Pages("resourceTemplates", max_page)
            for pages, entries in ((resources, fixture.resources), (templates, fixture.templates)):
                for entry in entries:
                    self._add(pages, entry)
            self.features["resources"] = {}
            self.methods[b"resources/list"] = resources.list
            self.methods[b"resources/templates/list"] = templates.list
            self.methods[b"resources/read"] = lambda message, session, peer: read(
                resources, templates, message, session
            )
        if fixture.prompts:
            prompts = Pages("prompts", max_page)
            for entry in fixture.prompts:
                self._add(prompts, entry)
            self.features["prompts"] = {}
            self.methods[b"prompts/list"] = prompts.list
            self.methods[b"prompts/get"] = lambda message, session, peer: get(
                prompts, fixture.validate, message, session
            )

    def _add(self, pages, entry):
        pages.add(entry.key.encode(), entry)

    # How long clients may keep lists, and who may share them (2026-07-28, caching).
    def _set_cache(self):
        cache = self.fixture.cache
        if not cache:
            return
        ttl_ms = cache.get("ttlMs", 0)
        scope = cache.get("cacheScope", "private")
        if type(ttl_ms) is not int or ttl_ms < 0 or scope not in ("public", "private"):
            raise FixtureError("/cache", "ttlMs is 0 or more, cacheScope public or private")
        modern = self.use("modern")
        kept = b',"ttlMs":%d,"cacheScope":"%s"' % (ttl_ms, scope.encode())
        for name in modern.tails:
            if name != b"subscriptions/listen":
                modern.tails[name] = kept + modern.tail

    # As `Server`'s, with the fixture's versions.
    def _initialize(self, message, peer, now_ms):
        params = message.params()
        requested = params.get("protocolVersion")
        if not self._legacy:
            data = {"supported": [MODERN], "requested": requested}
            raise RemoteError(_UNSUPPORTED_VERSION, "Unsupported protocol version", data, 400)
        if type(requested) is not str:
            raise RemoteError(INVALID_PARAMS, "protocolVersion must be a string")
        version = requested if requested in self._versions else self._versions[-1]
        store = self.sessions if peer.sessions is None else peer.sessions
        bits = capability_bits(params.get("capabilities"))
        session_id = store.open(version, bits, peer.principal, now_ms)
        told = {
            "protocolVersion": version,
            "capabilities": self.capabilities(False),
            "serverInfo": self.identity,
        }
        if self.instructions:
            told["instructions"] = self.instructions
        return 200, result(message.id, dumps(told)[1:-1]), session_id or b""


class _NotModern:
    """In the place of `umcp.modern.Modern`: every message is of an older era."""

    def session_of(self, message, kind, peer):
        return None


class _Refused:
    """In the place of a store of sessions: there are none (2026-07-28, versioning)."""

    ids = False

    def find(self, id_, version, principal, now_ms):
        raise RemoteError(
            INVALID_PARAMS, "params._meta must have io.modelcontextprotocol/protocolVersion", None, 400
        )

    close = find
