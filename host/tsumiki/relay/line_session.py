"""The session on a line, which ends when the robot restarts, and is opened again unseen by the client.

What a client of 2026-07-28 listens to is asked for again by whoever holds the requests in flight: it has no session.
"""

from . import messages
from .replay import Replay

_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class LineSession:
    """new_id: gives ids.  is_open: bool, the robot knows all that it must."""

    def __init__(self, new_id):
        self._new_id = new_id
        self._opening = None
        self._replay = Replay()
        self.saw = self._replay.saw
        self.answered = self._replay.answered
        self.is_open = False

    def probe(self, id):
        """A request that every server answers, if only with an error, and that changes nothing."""
        return {"jsonrpc": "2.0", "id": id, "method": messages.DISCOVER, "params": {"_meta": _META}}

    def close(self):
        """The robot has forgotten it."""
        self.is_open = False
        self._opening = None

    def begin(self):
        """The messages to send to a robot that is there again."""
        if self._replay.request is None:
            self.is_open = True
            return []
        self._opening = self._new_id()
        return [dict(self._replay.request, id=self._opening)]

    def is_opening(self, id):
        """True if the answer of that id is to what `begin` gave."""
        return id == self._opening and self._opening is not None

    def opened(self, message, tell):
        """The messages to send when it is answered."""
        self._opening = None
        self.is_open = True
        self._replay.compare(message.get("result") or {}, tell)
        return self._replay.rest(self._new_id)
