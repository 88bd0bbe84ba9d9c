"""The gestures of the head: a table of keyframes, and what they come to for one head."""

from umcp.errors import ToolError

# Name, where its angles count from, and keyframes: yaw, pitch in degrees at intensity 100, ms to get there.
# From the start a gesture ends where it began; from home it looks somewhere.
_START = False
_HOME = True
GESTURES = (
    ("nod", _START, (0, -24, 220), (0, 8, 220), (0, -24, 220), (0, 0, 220)),
    ("shake_head", _START, (40, 0, 220), (-40, 0, 330), (40, 0, 330), (0, 0, 220)),
    ("look_left", _HOME, (60, 0, 500)),
    ("look_right", _HOME, (-60, 0, 500)),
    ("look_up", _HOME, (0, 60, 500)),
    ("look_down", _HOME, (0, -20, 500)),
    ("center", _HOME, (0, 0, 500)),
    ("greet", _START, (0, 20, 300), (16, 8, 300), (-16, 8, 300), (0, -20, 400), (0, 0, 400)),
    ("bow", _START, (0, -40, 800), (0, -40, 600), (0, 0, 800)),
    ("celebrate", _START, (24, 30, 250), (-24, 30, 300), (24, 30, 300), (-24, 36, 300), (0, 0, 400)),
    ("think", _START, (30, 24, 700), (34, 28, 800), (26, 24, 800), (0, 0, 600)),
    ("surprised", _START, (0, 36, 150), (0, 30, 150), (0, 30, 600), (0, 0, 500)),
    ("sleepy", _START, (8, -20, 1200), (8, -24, 800), (4, -8, 300), (10, -30, 1500), (0, 0, 700)),
)
NAMES = tuple(row[0] for row in GESTURES)


def path(name, intensity, start, home, low, high):
    """A gesture as a list of yaw, pitch (centidegrees), ms, yaw, pitch, ms, ...

    intensity: int, 0-100.  start, home, low, high: (yaw_cd, pitch_cd): where the head is, where it looks straight
    ahead, its limits.  Raises ToolError `no_gesture` for a name that is not in `NAMES`.
    A gesture from the start has its room: near a limit it is made a little aside of it.
    """
    if name not in NAMES:
        raise ToolError("no_gesture", name)
    row = GESTURES[NAMES.index(name)]
    keys = row[2:]
    found = [0] * (3 * len(keys))
    for axis in range(2):
        turns = [key[axis] * intensity for key in keys]
        base = home[axis]
        if row[1] == _START:
            base = max(low[axis] - min(turns), min(high[axis] - max(turns), start[axis]))
        for i in range(len(keys)):
            cd = base + turns[i] if turns[i] or row[1] else start[axis]
            found[3 * i + axis] = max(low[axis], min(high[axis], cd))
            found[3 * i + 2] = keys[i][2]
    return found
