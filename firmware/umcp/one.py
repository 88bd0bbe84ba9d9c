"""The session of a line of its own (stdio, serial): see `session.py`."""

from .session import Session
from .version import ASSUMED


class One:
    """One session, without an id: the line is the client's. `initialize` begins another one."""

    ids = False

    def __init__(self):
        self._session = Session(ASSUMED)

    def open(self, version, capabilities, principal, now_ms):
        self._session = Session(version, capabilities, principal, now_ms)

    def find(self, id_, version, principal, now_ms):
        return self._session

    def close(self, id_, principal, now_ms):
        """Nothing: the session ends with the line."""
