"""The tools of the head. Angles are degrees here, with one decimal, and centidegrees below."""

from umcp.types import Boolean, Integer, Number, String

from .tools import ACTS, FLAG, READS, SETS, WAIT, told

MOTIONS = (
    "nod",
    "shake_head",
    "look_left",
    "look_right",
    "look_up",
    "look_down",
    "center",
    "greet",
    "bow",
    "celebrate",
    "think",
    "surprised",
    "sleepy",
)
_SLACK_MS = 2000  # How much later than planned a motion may end: the servos have a limit of writes a second.


class HeadHandlers:
    """robot: `robot.robot.Robot`, which has a head.

    Each raises ToolError `motion_off`, `battery_low`, and what the head refuses: `servo_off`, `servo_fault`.
    """

    def __init__(self, robot):
        self._robot = robot
        self._head = robot.head

    def move_head(self, yaw, pitch, duration_ms, hold, wait):
        self._robot.allow_motion()
        return self._pose(wait, self._head.move(_cd(yaw), _cd(pitch), duration_ms, hold))

    def look_at(self, x_mm, y_mm, z_mm, wait):
        self._robot.allow_motion()
        return self._pose(wait, self._head.look_at(x_mm, y_mm, z_mm))

    def look_away(self, wait):
        return self.play_motion("center", 50, wait)

    def play_motion(self, motion, intensity, wait):
        self._robot.allow_motion()
        return self._pose(wait, self._head.gesture(motion, intensity))

    def get_head_pose(self):
        yaw_cd, pitch_cd = self._head.pose()
        return {"yaw": yaw_cd / 100, "pitch": pitch_cd / 100, "moving": self._head.busy}

    def set_torque(self, enabled):
        if enabled:
            self._robot.allow_motion()
        self._head.torque(enabled)
        return {"enabled": enabled}

    def set_idle_motion(self, enabled):
        if enabled:
            self._robot.allow_motion()
        self._head.idle(enabled)
        return {"enabled": enabled}

    # The pose now, or an awaitable of that at the end of the motion.
    def _pose(self, wait, duration_ms):
        return self._pose_later(duration_ms) if wait else self.get_head_pose()

    async def _pose_later(self, duration_ms):
        await self._robot.idle(self._head, duration_ms + _SLACK_MS)
        if self._head.fault is not None:
            raise self._head.fault
        return self.get_head_pose()


# Degrees with one decimal as centidegrees.
def _cd(degrees):
    return round(degrees * 10) * 10


def tools(robot):
    """Of a robot with a head: see `robot.tools.rows`."""
    do = HeadHandlers(robot)
    profile = robot.head.profile
    yaw = Number(
        min=_degrees(profile.yaw_min_cd), max=_degrees(profile.yaw_max_cd), description="+ is its left."
    )
    pitch = Number(
        min=_degrees(profile.pitch_min_cd), max=_degrees(profile.pitch_max_cd), description="+ is up."
    )
    mm = Integer(min=-5000, max=5000)
    pose = told(("yaw", Number()), ("pitch", Number()), ("moving", FLAG))
    enabled = told(("enabled", FLAG))
    move = (
        ("yaw", yaw),
        ("pitch", pitch),
        ("duration_ms", Integer(min=100, max=5000, default=500)),
        ("hold", Boolean(default=False, description="Keep the torque on.")),
        ("wait", WAIT),
    )
    motion = (
        ("motion", String(enum=MOTIONS)),
        ("intensity", Integer(min=0, max=100, default=50)),
        ("wait", WAIT),
    )
    point = (("x_mm", mm), ("y_mm", mm), ("z_mm", mm), ("wait", WAIT))
    return [
        ("play_motion", "Make a gesture with the head.", motion, do.play_motion, pose, ACTS),
        ("move_head", "Turn the head to a pose, in degrees.", move, do.move_head, pose, SETS),
        (
            "look_at",
            "Look at a point: x is forward, y left, z up from the head.",
            point,
            do.look_at,
            pose,
            SETS,
        ),
        ("look_away", "Look straight ahead again.", (("wait", WAIT),), do.look_away, pose, SETS),
        ("get_head_pose", "Measure where the head is, in degrees.", (), do.get_head_pose, pose, READS),
        (
            "set_torque",
            "Let the servos hold the head, or go limp.",
            enabled.fields,
            do.set_torque,
            enabled,
            SETS,
        ),
        (
            "set_idle_motion",
            "Let the head look around by itself.",
            enabled.fields,
            do.set_idle_motion,
            enabled,
            SETS,
        ),
    ]


# An int where it is one: the schema is shorter.
def _degrees(cd):
    return cd // 100 if cd % 100 == 0 else cd / 100
