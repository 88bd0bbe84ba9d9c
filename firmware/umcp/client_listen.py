"""The stream on which a server tells what has changed: `subscriptions/listen` of 2026-07-28, GET of the older eras."""

from . import codec
from .client_era import meta
from .client_errors import InvalidResponse
from .exchange import Exchange

_ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"

# What belongs to the stream of a request.
_ELSEWHERE = ("notifications/progress", "notifications/message")

# No id of ours: a response on a GET stream is for nobody.
_NOBODY = -1


class Listening(Exchange):
    """heard: bool, the server has said something."""

    heard = False
    _opened = None
    _acknowledged = False

    def head(self, status, reason, headers):
        super().head(status, reason, headers)
        if self.streams and not self._session.modern:
            self._opened()

    def _asks(self, message):
        self.heard = True
        if not self._session.modern:
            return self._session.answer(message)
        params = message.get("params")
        marks = params.get("_meta") if isinstance(params, dict) else None
        id = marks.get(_SUBSCRIPTION) if isinstance(marks, dict) else None
        if type(id) is not int or id != self.id:
            return None
        if message["method"] == _ACKNOWLEDGED:
            self._acknowledged = True
            self._opened()
        elif not self._acknowledged:
            self._fail(InvalidResponse("Invalid JSON-RPC response: not acknowledged"))
        elif message["method"] not in _ELSEWHERE:
            return self._session.answer(message)
        return None


def listening(session, wanted, last_id, opened):
    """The exchange that listens for as long as it lasts.

    wanted: tuple of str, toolsListChanged, promptsListChanged, resourcesListChanged.  last_id: bytes, of the stream
    before.  opened: called when the server listens to us.
    """
    if session.modern:
        return _made(_post(session, wanted), opened)
    made = Listening(session, "GET", b"", _NOBODY, "", True)
    if last_id:
        made.fields = b"Last-Event-ID: %s\r\n" % last_id
    return _made(made, opened)


def _made(exchange, opened):
    exchange._opened = opened
    return exchange


# 2026-07-28, patterns: subscriptions.
def _post(session, wanted):
    notifications = {name: True for name in wanted}
    if session.watched:
        notifications["resourceSubscriptions"] = list(session.watched)
    id = session.next_id()
    body = b'{"jsonrpc":"2.0","id":%d,"method":"subscriptions/listen","params":{"notifications":%s,"_meta":%s}}}' % (
        id, codec.dumps(notifications), meta(session),
    )  # fmt: skip
    made = Listening(session, "POST", body, id, "Listen failed", True)
    made.fields = b"Mcp-Method: subscriptions/listen\r\n"
    return made
