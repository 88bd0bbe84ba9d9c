"""The robot: the parts that its board has, stepped by one clock, and what its owner allows.

    robot = Robot(board, policy, rng, time.ticks_ms, asyncio.sleep_ms)
    robot.step(time.ticks_ms())       # about every 30 ms

A part that the board lacks is None, its module is not loaded, and its tools do not exist (`robot.tools`).
"""

from umcp.codec import dumps
from umcp.errors import ToolError

from .status import battery

try:
    from micropython import const
except ImportError:
    const = int

_WRAP = const(0x3FFFFFFF)  # MicroPython's ticks wrap there.
_TURN_MS = const(20)
_LOW_PERCENT = const(10)
_CALLS = const(8)
_SHOWN = const(80)  # characters of a call's arguments


class Robot:
    """ports: what the board supplies: display, servos, speaker, leds, inputs, imu, power and system, each or None.

    policy: what the owner allows, `robot.policy.Policy`.  rng: `rng(n)` -> int, 0 to n-1.
    clock: `clock()` -> int, ms, as those of `step`.
    sleep_ms: coroutine of ms.  log: log(level, text, exception=None).  band_bytes: see `robot.draw.Painter`.
    calls: list of the last calls of tools, the oldest first: [number, name, arguments as JSON, cut].
    waiting: int, how many clients wait for an event.  tools: see `robot.tools.kept`.
    more: pairs of a name and a function, whose JSON value the status tells too: of what is no part of the robot.
    starving: bool, the network is short of memory, and calls are refused.
    hide: function of a str: the same without what nobody is to see.
    changed: int, counts what a page that shows the robot would want to know.
    on_event: called without arguments when the senses have felt something, in a step.
    """

    on_event = None
    changed = waiting = 0
    tools = None
    more = ()
    starving = False
    _number = 0

    def __init__(self, ports, policy, rng, clock, sleep_ms, log=None, band_bytes=None):
        self.ports = ports
        self.clock = clock
        self.sleep_ms = sleep_ms
        self._log = log or (lambda level, text, exception=None: None)
        self.calls = []
        self.hide = str
        self.faults = {}
        self.brightness = 100
        self.policy = policy
        self.face = self.painter = self.head = self.voice = self.lights = self.senses = None
        self._make(ports, rng, band_bytes)
        self.obey()
        self._parts = [
            part
            for part in (self.senses, self.head, self.voice, self.lights, self.face, self.painter)
            if part is not None
        ]

    def _make(self, ports, rng, band_bytes):
        if ports.display is not None:
            from .draw import Painter
            from .face import Face

            self.face = Face(rng, ports.display.width, ports.display.height)
            self.painter = Painter(self.face, ports.display, band_bytes)
        if ports.servos is not None:
            from .head import Head

            self.head = Head(ports.servos, rng)
            try:
                self.head.pose()  # So that the status tells it from the start.
            except ToolError as e:
                self._log("error", "the head cannot be measured", e)
        if ports.speaker is not None:
            from .voice import Voice

            self.voice = Voice(ports.speaker, self.face and self.face.mouth, rng)
        if ports.leds:
            from .lights import Lights

            self.lights = Lights(ports.leds)
        if ports.inputs is not None or ports.imu is not None:
            from .senses import Senses

            self.senses = Senses(ports.inputs, ports.imu)
            self.senses.on_event = self.felt

    def obey(self):
        """Do what the policy says, which may be something else than before."""
        if self.voice is not None:
            self.voice.set_limit(self.policy.volume_cap)
        if self.head is not None and not self.policy.motion:
            self.head.idle(False)
            self.head.stop()

    def step(self, now_ms):
        """Let every part go on.  now_ms: int, ticks. Allocates nothing but for what happens.

        A part that fails keeps no other from its turn: the failure is in the log, once for each kind.
        """
        if self.senses is not None:
            self.senses.moving = self.moving
        for part in self._parts:
            try:
                part.step(now_ms)
            except Exception as e:
                self._failed(part, e)

    def _failed(self, part, e):
        name = type(part).__name__
        count = self.faults.get(name, 0)
        self.faults[name] = count + 1
        if not count & (count + 1):  # The 1st, 2nd, 4th, 8th, ...
            self._log("error", "%s failed (%d)" % (name, count + 1), e)

    def felt(self, *event):
        """The senses have felt something."""
        self.changed += 1
        if self.on_event is not None:
            self.on_event()

    def called(self, name, arguments):
        """A tool was called.  name: str.  arguments: dict, as it came."""
        self._number += 1
        self.changed += 1
        if len(self.calls) == _CALLS:
            self.calls.pop(0)
        self.calls.append([self._number, name, self.hide(dumps(arguments).decode())[:_SHOWN]])

    def elapsed(self, since_ms):
        """Milliseconds since a time that `clock` gave."""
        return (self.clock() - since_ms) & _WRAP

    async def idle(self, part, limit_ms):
        """Wait until a part is busy no more; False if it still is after `limit_ms`."""
        since_ms = self.clock()
        while part.busy:
            if self.elapsed(since_ms) > limit_ms:
                return False
            await self.sleep_ms(_TURN_MS)
        return True

    def allow_motion(self):
        """Raises ToolError `motion_off` where the owner wants none, `battery_low` where it would drain the battery."""
        if not self.policy.motion:
            raise ToolError("motion_off", "the robot's owner has turned motion off")
        power = battery(self.ports.power)
        percent = power.get("battery_percent")
        if percent is not None and percent < _LOW_PERCENT and not (power.get("charging") or power.get("usb")):
            raise ToolError("battery_low", "%d %% are left; charge the robot first" % percent)

    def allow_sound(self):
        """Raises ToolError `quiet_hours`, or `busy` while the voice is at something."""
        if self.policy.quiet():
            raise ToolError("quiet_hours", "the robot's owner wants no sound now")
        if self.voice.busy:
            raise ToolError("busy", "the robot is still sounding; try again when it is over")

    @property
    def has_brightness(self):
        return hasattr(self.ports.display, "brightness")

    def set_brightness(self, level):
        """level: int, 0-100."""
        self.ports.display.brightness(level)
        self.brightness = level

    @property
    def moving(self):
        """bool: the head turns."""
        return self.head is not None and self.head.turning
