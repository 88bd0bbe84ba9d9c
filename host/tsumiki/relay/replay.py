"""What a server must hear again after it has forgotten a session of the older versions: what its client had said.

The session is opened again, with the log level and the resources that the client had asked for.
"""

from . import messages

_SET_LEVEL = "logging/setLevel"
_SUBSCRIBE = "resources/subscribe"
_UNSUBSCRIBE = "resources/unsubscribe"


class Replay:
    """request: the client's `initialize`, dict, once it was answered; None before."""

    def __init__(self):
        self.request = None
        self._answer = None
        self._noted = False  # notifications/initialized
        self._level = None
        self._subscribed = {}

    def saw(self, message):
        """The client says it, dict."""
        method = message.get("method")
        if method == messages.INITIALIZED:
            self._noted = True
        elif method == _UNSUBSCRIBE:
            self._subscribed.pop(messages.params(message).get("uri"), None)

    def answered(self, entry, message):
        """The robot has answered the client's request.  entry: `in_flight.Entry`.  message: dict."""
        if "result" not in message or messages.modern_version(entry.message):
            return
        method = entry.message["method"]
        if method == messages.INITIALIZE:
            self.request = entry.message
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

    def compare(self, result, tell):
        """Tell what of another answer to `initialize` is not as it was: the client has the first one."""
        for name in ("protocolVersion", "capabilities", "serverInfo"):
            if result.get(name) != self._answer.get(name):
                tell("the robot is not what it was: %s changed; start the client anew" % name)

    def rest(self, new_id):
        """What is to be said after `initialize`: a list of dicts.  new_id: gives ids."""
        more = [{"jsonrpc": "2.0", "method": messages.INITIALIZED}] if self._noted else []
        for kept in [self._level, *self._subscribed.values()]:
            if kept is not None:
                more.append(dict(kept, id=new_id()))
        return more
