"""What the robot must hear again after it has restarted, so that its client need not know.

The session of the older versions is opened again, with the log level and the resources that the client had asked for.
What a client of 2026-07-28 listens to is asked for again by whoever holds the entries in flight: there is no session.
"""

from . import messages

_SET_LEVEL = "logging/setLevel"
_SUBSCRIBE = "resources/subscribe"
_UNSUBSCRIBE = "resources/unsubscribe"


class LineSession:
    """in_flight: gives ids.  is_open: bool, the robot knows all that it must."""

    def __init__(self, in_flight):
        self._in_flight = in_flight
        self._initialize = None  # the client's request, once it was answered
        self._answer = None
        self._noted = False  # notifications/initialized
        self._level = None
        self._subscribed = {}
        self._opening = None
        self.is_open = False

    def probe(self, id):
        """A request that every server answers, if only with an error, and that changes nothing."""
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        return {"jsonrpc": "2.0", "id": id, "method": "server/discover", "params": {"_meta": meta}}

    def saw(self, message):
        """The client says it: what of it belongs to the session is kept."""
        method = message.get("method")
        if method == messages.INITIALIZED:
            self._noted = True
        elif method == _UNSUBSCRIBE:
            self._subscribed.pop(messages.params(message).get("uri"), None)

    def answered(self, entry, message):
        """The robot has answered the client's request."""
        if "result" not in message or messages.modern_version(entry.message):
            return
        method = entry.message["method"]
        if method == messages.INITIALIZE:
            self._initialize = entry.message
            self._answer = message["result"]
            self._noted = False
            self._level = None
            self._subscribed = {}
        elif method == _SET_LEVEL:
            self._level = entry.message
        elif method == _SUBSCRIBE:
            uri = messages.params(entry.message).get("uri")
            if isinstance(uri, str):
                self._subscribed[uri] = entry.message

    def close(self):
        """The robot has forgotten it."""
        self.is_open = False
        self._opening = None

    def begin(self):
        """The messages to send to a robot that is there again."""
        if self._initialize is None:
            self.is_open = True
            return []
        self._opening = self._in_flight.new_id()
        return [dict(self._initialize, id=self._opening)]

    def is_opening(self, id):
        return id == self._opening and self._opening is not None

    def opened(self, message, tell):
        """The messages to send when `initialize` is answered: again as on the first time, or it is told."""
        self._opening = None
        self.is_open = True
        result = message.get("result") or {}
        for name in ("protocolVersion", "capabilities", "serverInfo"):
            if result.get(name) != self._answer.get(name):
                tell("the robot is not what it was: %s changed; start the client anew" % name)
        more = [{"jsonrpc": "2.0", "method": messages.INITIALIZED}] if self._noted else []
        for kept in [self._level, *self._subscribed.values()]:
            if kept is not None:
                more.append(dict(kept, id=self._in_flight.new_id()))
        return more
