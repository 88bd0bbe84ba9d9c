"""Sessions in a bounded table: see `session.py`."""

import os
from binascii import hexlify

from .session import Session, lost


class Ram:
    """At most `limit` sessions, each forgotten after `idle_ms` without use; a full table forgets the longest idle."""

    ids = True

    def __init__(self, limit=8, idle_ms=30 * 60 * 1000):
        self._limit = limit
        self._idle_ms = idle_ms
        self._sessions = {}

    def __len__(self):
        return len(self._sessions)

    def open(self, version, capabilities, principal, now_ms):
        while len(self._sessions) >= self._limit:
            oldest = max(self._sessions, key=lambda id_: _elapsed(now_ms, self._sessions[id_].used_ms))
            del self._sessions[oldest]
        id_ = hexlify(os.urandom(16))
        self._sessions[id_] = Session(version, capabilities, principal, now_ms)
        return id_

    def find(self, id_, version, principal, now_ms):
        session = self._sessions.get(id_)
        if session is None or session.principal != principal:
            raise lost(id_)
        if _elapsed(now_ms, session.used_ms) > self._idle_ms:
            del self._sessions[id_]
            raise lost(id_)
        session.used_ms = now_ms
        return session

    def close(self, id_, principal, now_ms):
        self.find(id_, None, principal, now_ms)
        del self._sessions[id_]


# Milliseconds from `then_ms` to `now_ms`, which may be MicroPython ticks: they wrap at 2**30.
def _elapsed(now_ms, then_ms):
    return (now_ms - then_ms) & 0x3FFFFFFF
