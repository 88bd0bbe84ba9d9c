"""Requests that the robot has not answered yet.

On a line they go under ids of this process's own, and so do progress tokens: what the robot still says to a bridge
that has ended belongs to nobody. On the way back the client's own are put in again.
"""

import secrets

from . import messages


class Entry:
    """A request.  id: the client's.  acknowledged: bool, of a subscription: the client knows that it holds.

    cancelled: bool, the client does not want its answer any more.  call: `http_call.Call` that it goes by, or None.
    """

    def __init__(self, message):
        self.message = message
        self.id = message["id"]
        self.token = messages.meta(message).get("progressToken")
        self.listens = message["method"] == messages.LISTEN
        self.acknowledged = self.cancelled = False
        self.call = None


class InFlight:
    """prefix: str, of this process's ids."""

    def __init__(self, prefix=None):
        self._prefix = prefix or secrets.token_hex(4)
        self._count = 0
        self._entries = {}

    def new_id(self):
        """An id that no other has."""
        self._count += 1
        return "%s-%d" % (self._prefix, self._count)

    def enter(self, entry):
        """The message as it goes to the robot."""
        inner = self.new_id()
        self._entries[inner] = entry
        message = dict(entry.message, id=inner)
        return messages.with_meta(message, progressToken=inner) if entry.token is not None else message

    def entries(self):
        """[(id on the line, entry)]"""
        return list(self._entries.items())

    def leave(self, inner):
        """The entry under an id on the line, which is no longer in flight; None if there is none."""
        return self._entries.pop(inner, None) if isinstance(inner, str) else None

    def cancelled(self, id):
        """The id on the line of a request that the client gives up, or None; it is no longer in flight."""
        for inner, entry in self.entries():
            if entry.id == id and type(entry.id) is type(id):
                self.leave(inner)
                return inner
        return None

    def answered(self, message):
        """(entry, the answer as it goes to the client), or (None, None) for an answer to somebody else."""
        entry = self.leave(message.get("id"))
        return (None, None) if entry is None else (entry, self._restored(dict(message, id=entry.id), entry))

    def noted(self, message):
        """A notification as it goes to the client; None for one of somebody else's, or that the client knows."""
        inner = messages.meta(message).get(messages.SUBSCRIPTION)
        if inner is not None:
            entry = self._entries.get(inner) if isinstance(inner, str) else None
            if entry is None or (message["method"] == messages.ACKNOWLEDGED and entry.acknowledged):
                return None
            entry.acknowledged = True
            return self._restored(message, entry)
        if message["method"] != messages.PROGRESS:
            return message
        inner = messages.params(message).get("progressToken")
        entry = self._entries.get(inner) if isinstance(inner, str) else None
        if entry is None:
            return None
        return dict(message, params=dict(message["params"], progressToken=entry.token))

    @staticmethod
    def _restored(message, entry):
        if messages.SUBSCRIPTION not in messages.meta(message):
            return message
        return messages.with_meta(message, **{messages.SUBSCRIPTION: entry.id})
