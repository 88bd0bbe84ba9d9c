"""Logging to clients (MCP 2025-11-25, logging; 2026-07-28 has the level in each request's _meta instead)."""

from .errors import INVALID_PARAMS, RemoteError
from .session import owner

try:
    from micropython import const
except ImportError:
    const = int

# From all to least, after RFC 5424.
LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")

_DEFAULT = "info"
_MOST = const(16)  # sessions whose level is remembered


class Levels:
    """The levels that legacy clients have set, by who owns the session; forgotten with a restart."""

    def __init__(self, server):
        self._set = {}
        self.methods = {b"logging/setLevel": self._set_level}

    def of(self, whose):
        """The level (str) of a client, from which on it wants messages.  whose: see `umcp.session.owner`."""
        return self._set.get(whose, _DEFAULT)

    def _set_level(self, message, session, peer):
        level = message.params().get("level")
        check(level, 200)
        whose = owner(peer)
        if len(self._set) >= _MOST and whose not in self._set:
            self._set.clear()
        self._set[whose] = level
        return b""


def check(level, status):
    """Raise RemoteError -32602 with that HTTP status unless the level (JSON value) is one."""
    if level not in LEVELS:
        raise RemoteError(INVALID_PARAMS, "level: one of " + ", ".join(LEVELS), status=status)
