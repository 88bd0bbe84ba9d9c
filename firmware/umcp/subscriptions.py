"""Who wants to know of changes, and how they are told: one `publish` for both eras and all transports.

Modern (2026-07-28): `subscriptions/listen`, a request whose reply is the stream. Legacy: a stream opened with GET, or a
line of its own, and `resources/subscribe`. What has changed is a flag until it is told, so a slow client costs no
memory.
"""

from .codec import dumps
from .errors import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, RemoteError
from .rpc import notification
from .session import owner

try:
    from micropython import const
except ImportError:
    const = int

_MOST_URIS = const(32)  # of one subscriber
_MOST_CHARACTERS = const(4096)  # in what a session subscribed to
_MAX_URI = const(2048)  # characters
_MOST_OWNERS = const(8)  # sessions with subscriptions
_MOST_ON_LINES = const(4)  # streams of a transport that gives up no connection for them

_KINDS = ("tools", "resources", "prompts")
_ID = b'"_meta":{"io.modelcontextprotocol/subscriptionId":%s}'


class _Subscriber:
    """kinds: of lists.  uris: list of str, shared with who changes it.  tag: bytes, members of each notification."""

    def __init__(self, peer, kinds, uris, tag, event):
        self.peer = peer
        self.kinds = kinds
        self.uris = uris
        self.tag = tag
        self.event = event
        self.changed = set()
        self.over = self.telling = False

    def messages(self):
        """What there is to tell, as bytes; then there is nothing any more."""
        changed = self.changed
        self.changed = set()
        for what in changed:
            if what in _KINDS:
                yield notification(b"notifications/%s/list_changed" % what.encode(), self.tag)
            else:
                members = b'"uri":' + dumps(what)
                if self.tag:
                    members += b"," + self.tag
                yield notification(b"notifications/resources/updated", members)


class Subscriptions:
    """server: `umcp.server.Server`."""

    def __init__(self, server):
        self._server = server
        self._subscribers = []
        self._uris = {}
        self.methods = {b"resources/subscribe": self._subscribe, b"resources/unsubscribe": self._unsubscribe}

    def list_changed(self, kind):
        """A list has changed.  kind: one of tools, resources, prompts."""
        self._mark(kind, lambda subscriber: kind in subscriber.kinds)

    def updated(self, uri):
        """A resource has changed.  uri: str."""
        self._mark(uri, lambda subscriber: uri in subscriber.uris)

    def close(self):
        """End every stream, as after the last change there will be."""
        for subscriber in list(self._subscribers):
            self._end(subscriber)

    def forget(self, whose):
        """A session, or a line, is over.  whose: see `umcp.session.owner`."""
        for subscriber in list(self._subscribers):
            if owner(subscriber.peer) == whose and not subscriber.tag:
                subscriber.changed.clear()
                self._end(subscriber)
        self._uris.pop(whose, None)

    def listen(self, message, peer):
        """subscriptions/listen: an awaitable of the members of its result, which comes when the stream is over."""
        wanted = message.params().get("notifications")
        if type(wanted) is not dict:
            raise RemoteError(INVALID_PARAMS, "subscriptions/listen needs notifications, an object")
        if not peer.can_stream():
            raise RemoteError(INVALID_REQUEST, "accept text/event-stream to listen")
        if self._held(peer) >= (self._server.streams if peer.headed else _MOST_ON_LINES):
            raise RemoteError(INTERNAL_ERROR, "all streams are in use; try again later", status=503)
        features = self._server.capabilities(True)
        kinds = [kind for kind in _KINDS if wanted.get(kind + "ListChanged") is True and kind in features]
        honoured = {kind + "ListChanged": True for kind in kinds}
        uris = []
        if "resources" in features and "resourceSubscriptions" in wanted:
            uris = honoured["resourceSubscriptions"] = _checked(wanted["resourceSubscriptions"])
        tag = _ID % message.id
        subscriber = _Subscriber(peer, kinds, uris, tag, self._server.runtime.event())
        first = b'%s,"notifications":%s' % (tag, dumps(honoured))
        return self._hold(subscriber, notification(b"notifications/subscriptions/acknowledged", first))

    def hold(self, peer):
        """The stream that a legacy client opens with GET: an awaitable. A newer one of its session ends it.

        Raises RemoteError: status 406 without text/event-stream, 405 if as many as may be are held.
        """
        if not peer.can_stream():
            raise RemoteError(INVALID_REQUEST, "accept text/event-stream", status=406)
        whose = owner(peer)
        if whose is not None:
            for old in list(self._subscribers):
                if owner(old.peer) == whose and not old.tag:
                    self._end(old)
        if self._held(peer) >= self._server.streams:
            raise RemoteError(INVALID_REQUEST, "all streams are in use", status=405)
        peer.stops_with_peer = True
        uris = self._uris_of(whose)
        return self._hold(_Subscriber(peer, _KINDS, uris, b"", self._server.runtime.event()), b"")

    # How many streams there are of the peer's kind of transport. Who is told on a line of its own holds none.
    def _held(self, peer):
        return len([s for s in self._subscribers if s.event is not None and s.peer.headed == peer.headed])

    async def _hold(self, subscriber, first):
        peer = subscriber.peer
        peer.allow(None)
        self._subscribers.append(subscriber)
        try:
            await peer.send(first)
            while not subscriber.over:
                await subscriber.event.wait()
                subscriber.event.clear()
                for message in subscriber.messages():
                    await peer.send(message)
        finally:
            if subscriber in self._subscribers:
                self._subscribers.remove(subscriber)
        return subscriber.tag

    def _end(self, subscriber):
        self._subscribers.remove(subscriber)
        subscriber.over = True
        if subscriber.event is not None:
            subscriber.event.set()

    def _mark(self, what, wants):
        for peer in self._server.lines:
            if not any(s.peer is peer and not s.tag for s in self._subscribers):
                self._subscribers.append(_Subscriber(peer, _KINDS, self._uris_of(owner(peer)), b"", None))
        for subscriber in self._subscribers:
            if wants(subscriber):
                subscriber.changed.add(what)
                if subscriber.event is not None:
                    subscriber.event.set()
                elif not subscriber.telling:
                    subscriber.telling = True
                    self._server.runtime.spawn(self._tell(subscriber))

    # On a line: no task waits there for changes.
    async def _tell(self, subscriber):
        try:
            while subscriber.changed:
                for message in subscriber.messages():
                    await subscriber.peer.send(message)
        finally:
            subscriber.telling = False

    def _uris_of(self, whose):
        uris = self._uris.get(whose)
        if uris is None:
            if len(self._uris) >= _MOST_OWNERS:
                self._forget_one()
            uris = self._uris[whose] = []
        return uris

    # Of those who hold no stream now; streams are few.
    def _forget_one(self):
        held = [owner(subscriber.peer) for subscriber in self._subscribers]
        for whose in self._uris:
            if whose not in held:
                del self._uris[whose]
                return

    def _subscribe(self, message, session, peer):
        uri = _checked([message.params().get("uri")])[0]
        uris = self._uris_of(owner(peer))
        if uri not in uris:
            if len(uris) >= _MOST_URIS or sum([len(one) for one in uris]) + len(uri) > _MOST_CHARACTERS:
                raise RemoteError(INVALID_PARAMS, "too many subscriptions")
            uris.append(uri)
        return b""

    def _unsubscribe(self, message, session, peer):
        uri = _checked([message.params().get("uri")])[0]
        uris = self._uris_of(owner(peer))
        if uri in uris:
            uris.remove(uri)
        return b""


def _checked(uris):
    if type(uris) is not list or len(uris) > _MOST_URIS:
        raise RemoteError(INVALID_PARAMS, "at most %d uris" % _MOST_URIS)
    for uri in uris:
        if type(uri) is not str or not 0 < len(uri) <= _MAX_URI:
            raise RemoteError(INVALID_PARAMS, "a uri is a string of 1 to %d characters" % _MAX_URI)
    return uris
