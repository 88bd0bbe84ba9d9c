"""No sessions: see `session.py`."""

from .session import Session
from .version import ASSUMED, LEGACY


class Off:
    """No sessions: nothing that must ask the client can be offered."""

    ids = False

    def __init__(self):
        self._sessions = {version: Session(version) for version in LEGACY}

    def open(self, version, capabilities, principal, now_ms):
        return None

    def find(self, id_, version, principal, now_ms):
        return self._sessions[version or ASSUMED]
