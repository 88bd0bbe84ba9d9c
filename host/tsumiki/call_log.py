"""The call log: one line of JSON a tools/call. It may hold what users typed: keep it out of version control.

    {"ts":"2026-11-30T16:20:08.123Z","tool":"get_weather","arguments":{...},"id":3,"era":"legacy","transport":"http",
     "session":null,"outcome":"ok","case":0}

The outcome is the class of the answer (`stub.errclass`), or null where there was none; `case` is what the stub answered
with: the index of a case, "default", "generated" or "invalid".
"""

import json
from datetime import datetime, timezone

from stub.errclass import of_response

from .pipeline import Middleware, Reply, parsed


class Calls(Middleware):
    """inner: `Responder`.  take: called with the row (dict) of each call, once it is answered."""

    def __init__(self, inner, take):
        super().__init__(inner)
        self._take = take

    async def handle(self, exchange):
        """See `Responder`."""
        if exchange.method != "tools/call":
            await self.inner.handle(exchange)
            return
        row = self._row(exchange)

        # Told first, so that who has the answer finds the row.
        async def sink(action):
            if type(action) is Reply and "outcome" not in row:
                row["outcome"] = of_response(parsed(action.raw))
                self._take(dict(row, **exchange.notes))
            await exchange.send(action)

        try:
            await self.inner.handle(exchange.through(sink))
        finally:
            if "outcome" not in row:
                self._take(dict(row, outcome=None, **exchange.notes))

    def _row(self, exchange):
        now = datetime.now(timezone.utc)
        return {
            "ts": now.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (now.microsecond // 1000),
            "tool": exchange.tool,
            "arguments": exchange.params.get("arguments", {}),
            "id": exchange.id,
            "era": exchange.era,
            "transport": exchange.transport,
            "session": exchange.session,
        }


class CallLog(Calls):
    """The same in a file, which is appended to.  path: str.  Raises OSError if it cannot be opened."""

    def __init__(self, inner, path):
        super().__init__(inner, self._write)
        self._file = open(path, "a", encoding="utf-8")

    async def close(self):
        """See `Responder`."""
        await super().close()
        self._file.close()

    def _write(self, row):
        self._file.write(json.dumps(row, ensure_ascii=False) + "\n")
        self._file.flush()
