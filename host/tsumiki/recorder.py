"""The part of the pipeline that writes down what passes: every message, both ways, without its secrets."""

import time
from datetime import datetime, timezone

from .cassette import C2S, S2C, Row
from .people import tell
from .pipeline import DELETE, GET, Ask, Middleware, Notify, Reply, Status, parsed
from .redact import Redactor, redacted_row

_AUTHORIZATION = ("authorization", "proxy-authorization", "cookie")
_MIN_SESSION = 8  # characters: a shorter id may be an ordinary word


def header(server=None, scenario=None):
    """A header for a cassette that is recorded now: dict."""
    found = {"server": server, "scenario": scenario}
    found = {name: value for name, value in found.items() if value is not None}
    now = datetime.now(timezone.utc)
    return dict(
        found, transport=None, era=None, protocolVersion=None, recordedAt=now.strftime("%Y-%m-%dT%H:%M:%SZ")
    )


class Recorder(Middleware):
    """inner: `Responder`.  writer: `cassette.Writer`.  redactor: `redact.Redactor`, or None: nothing is taken out.

    plain: bool, rows have direction and raw alone, and what was redacted.
    """

    def __init__(self, inner, writer, redactor=None, plain=False):
        super().__init__(inner)
        self._writer = writer
        self._redactor = redactor or Redactor(("none",))
        self._plain = plain
        self._since = None
        self._broken = False
        self.path = None  # of the cassette, once it is in its place

    @property
    def exit_status(self):
        """That of the inner one; 1 if the recording could not be written."""
        return self.inner.exit_status or int(self._broken)

    async def handle(self, exchange):
        """See `Responder`."""
        self._learn(exchange)
        if exchange.kind not in (GET, DELETE):
            self._begin(exchange)
            self._write(C2S, exchange.raw, exchange)

        async def sink(action):
            self._saw(exchange, action)
            await exchange.send(action)

        await self.inner.handle(exchange.through(sink))

    async def close(self):
        """Put the cassette in its place, after what is said at the end."""
        try:
            await super().close()
        finally:
            if self._writer.header is not None:
                self._writer.header["redaction"] = {
                    "rules": self._redactor.rules,
                    "count": self._redactor.count,
                }
            self._try(self._commit)

    def _commit(self):
        self.path = self._writer.commit()

    # Whoever talks through here goes on, whatever becomes of the recording.
    def _try(self, write, *what):
        if self._broken:
            return
        try:
            write(*what)
        except OSError as e:
            self._broken = True
            self._writer.leave()
            tell("the recording has ended: %s" % (e.strerror or e))

    # Header fields are not recorded, but what they hold may be said elsewhere, too.
    def _learn(self, exchange):
        if exchange.transport != "http":
            return
        for name in _AUTHORIZATION:
            value = exchange.http.headers.get(name)
            if value:
                self._redactor.learn(value.split(" ", 1)[-1].strip())
        self._learn_session(exchange.session)

    def _learn_session(self, id):
        if id and len(id) >= _MIN_SESSION:
            self._redactor.learn(id)

    def _begin(self, exchange):
        header = self._writer.header
        if header is not None and header.get("transport") is None:
            header["transport"] = exchange.transport
            header["era"] = exchange.era
            if exchange.era == "modern":
                header["protocolVersion"] = "2026-07-28"

    def _saw(self, exchange, action):
        if isinstance(action, (Notify, Ask)):
            if action.raw:
                self._write(S2C, action.raw, exchange)
        elif isinstance(action, Reply):
            self._learn_version(exchange, action)
            if action.raw:
                self._write(S2C, action.raw, exchange, {"status": action.status}, action.headers)
        elif isinstance(action, Status) and exchange.kind not in (GET, DELETE):
            self._write(S2C, action.body, exchange, {"status": action.code}, action.headers)

    def _learn_version(self, exchange, action):
        for name, value in action.headers:
            if name.lower() == "mcp-session-id":
                self._learn_session(value)
        header = self._writer.header
        if header is None or exchange.method != "initialize":
            return
        message = parsed(action.raw)
        result = message.get("result") if isinstance(message, dict) else None
        if isinstance(result, dict):
            header["era"] = "legacy"
            header["protocolVersion"] = result.get("protocolVersion")

    def _write(self, direction, raw, exchange, http=None, headers=()):
        now = time.monotonic()
        self._since = self._since or now
        row = Row(direction, raw.decode("utf-8", "surrogateescape"))
        if not self._plain:
            row.seq = self._writer.count
            row.t = round((now - self._since) * 1000)
            if exchange.transport == "http":
                row.ex = exchange.number
                row.http = _told(http, headers) if http else None
        self._try(self._writer.write, redacted_row(self._redactor, row))


# What a row tells of an answer's head: of a credential that is wanted, its scheme alone.
def _told(http, headers):
    fields = {name.lower(): value for name, value in headers}
    if "content-type" in fields:
        http["type"] = fields["content-type"]
    if "retry-after" in fields:
        http["retryAfter"] = fields["retry-after"]
    if "www-authenticate" in fields:
        http["authenticate"] = fields["www-authenticate"].split(" ")[0]
    return http
