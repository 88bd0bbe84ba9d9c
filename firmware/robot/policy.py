"""What the robot's owner allows, from the preferences `robot.*` (`config.KEYS`): nothing here changes them.

A change holds at once, but for the list of tools: offer them again (`robot.tools.offer`).
"""

from .clamp import clamp

try:
    from micropython import const
except ImportError:
    const = int

_DAY_MINUTES = const(1440)
# What moves the head, and does not exist with motion off.
_MOTION = ("play_motion", "move_head", "look_at", "look_away", "set_torque", "set_idle_motion")


class Policy:
    """preferences: has `get(key)`.

    minute: `minute()` -> int, of the day (0-1439), or None while the clock is not set; None: there is no clock.
    """

    def __init__(self, preferences, minute=None):
        self._get = preferences.get
        self._minute = minute or _no_clock

    def offers(self, name):
        """bool: the tool exists for clients.  name: str."""
        allowed = self._get("robot.tools")
        return (allowed is None or name in allowed) and (self.motion or name not in _MOTION)

    @property
    def motion(self):
        """bool: the head may move."""
        return self._get("robot.motion") is not False

    @property
    def volume_cap(self):
        """int 0-100: what no volume exceeds."""
        return clamp(self._get("robot.volume_cap"), 0, 100)

    def quiet(self):
        """bool: these are quiet hours. Without a clock that is set there are none."""
        return is_quiet(self._get("robot.quiet_from"), self._get("robot.quiet_until"), self._minute())


def is_quiet(begin, end, minute):
    """bool: a minute of the day is in begin..end, end not included, perhaps over midnight.

    begin, end, minute: int 0-1439, or None: then there are no quiet hours, as where begin is end or out of range.
    """
    if begin is None or end is None or minute is None:
        return False
    if not (0 <= begin < _DAY_MINUTES and 0 <= end < _DAY_MINUTES):
        return False
    if begin <= end:
        return begin <= minute < end
    return minute >= begin or minute < end


def _no_clock():
    return None
