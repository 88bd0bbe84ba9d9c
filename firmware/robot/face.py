"""The face: what every shape's numbers are now.  Nothing here draws; `draw.Painter` and the page do."""

from array import array

from umcp.errors import ToolError

from .balloon import Balloon
from .geometry import (
    EFFECT_PHASE_MS,
    EFFECT_PHASES,
    EFFECTS,
    EMOTIONS,
    EYE_NUMBERS,
    EYES,
    HEIGHT,
    MOUTH,
    MOUTH_NUMBERS,
    PRIMARY,
    SECONDARY,
    WIDTH,
    Layout,
)

try:
    from micropython import const
except ImportError:
    const = int

# What changed: the flags of `step` and `dirty`.
RIGHT_EYE = const(1)
LEFT_EYE = const(2)
LIPS = const(4)
EFFECT = const(8)
BALLOON = const(16)
ALL = const(32)

_TICK_MS = const(33)  # A step sooner than that after the last does nothing.
_TRANSITION_MS = const(300)
_BREATH_MS = const(5000)
_BREATH = b"\3\4\5\5\6\6\6\5\5\4\3\2\1\1\0\0\0\1\1\2"  # 3 px of sine, 3 added
_EYES_OPEN_MS = const(2400)
_EYES_OPEN_MORE = const(2000)
_CLOSING_MS = const(60)
_CLOSED_MS = const(180)  # since the blink began; it opens until
_BLINK_MS = const(240)
_SACCADE_MS = const(500)
_SACCADE_MORE = const(2000)
_GAZE_X = const(12)  # px at 100
_GAZE_Y = const(9)

# Where a number is in an eye, in a mouth, and where the parts begin.
_Y = const(1)
_RX = const(2)
_RY = const(3)
_CLOSED = const(3)  # the radius of an eye that is shut
_W = const(2)
_H = const(3)
_TOP = const(4)
_BOTTOM = const(5)
_WAVE = const(7)
_LEFT = EYE_NUMBERS
_MOUTH = 2 * EYE_NUMBERS
_ALL = _MOUTH + MOUTH_NUMBERS
_TALL = const(46)  # an open mouth


class Face:
    """rng: `rng(n)` -> int in 0..n-1.  width, height: pixels of the panel, for what fits into the balloon.

    emotion: str, what is set.  shown: array of the numbers of right eye, left eye and mouth, in the order of
    `geometry`, each centre absolute.  dirty: flags of what changed since somebody set it to 0.
    """

    def __init__(self, rng, width=WIDTH, height=HEIGHT):
        self._rng = rng
        self.layout = Layout(width, height)
        self.words = Balloon(self.layout)
        self.page = None  # The `Screen` in place of the face.
        self.primary = PRIMARY
        self.secondary = SECONDARY
        self.shown = array("h", bytes(2 * _ALL))
        self._from = array("h", self.shown)
        self._pose = array("h", self.shown)
        self._to = array("h", self.shown)
        self.dirty = self._told = ALL  # _told: flags of commands since the last step.
        self._then_ms = None
        self._breath_ms = 0
        self._blink_ms = _EYES_OPEN_MS  # until the next blink; below 0 since it began
        self._saccade_ms = _SACCADE_MS
        self._saccade_x = self._saccade_y = 0
        self._gaze_x = self._gaze_y = 0  # px, where they are and where they go
        self._gaze_to_x = self._gaze_to_y = 0
        self._open = self._open_to = 0  # percent
        self._effect_ms = 0
        self.effect_phase = 0
        self._shivers = False
        self.set_emotion("neutral")
        self._moved_ms = _TRANSITION_MS
        self._move(0)
        self._compose()

    ####################################################################################################
    # Commands

    def set_emotion(self, name):
        """Go over to an emotion (see `geometry.EMOTIONS`) in 0.3 s, with the effect that belongs to it.

        Raises ToolError `unknown_emotion`.
        """
        self.emotion, rows, effect, self._shiver = _emotion(name)
        for i in range(_ALL):
            self._from[i] = self._pose[i]
        self._aim(0, rows[0], EYES[0])
        self._aim(_LEFT, rows[1] or rows[0], EYES[1])
        self._aim(_MOUTH, rows[2], MOUTH)
        self._moved_ms = 0
        self.effect(effect)

    def mouth(self, level):
        """Open the mouth: 0-100, clamped.  Lip sync calls it again and again."""
        self._open_to = max(0, min(100, level))

    def gaze(self, x, y):
        """Look aside: x -100..100, + is the robot's left; y -100..100, + is up; clamped."""
        self._gaze_to_x = max(-100, min(100, x)) * _GAZE_X // 100
        self._gaze_to_y = max(-100, min(100, -y)) * _GAZE_Y // 100

    def colors(self, primary, secondary):
        """Colour the features (primary) and what is behind them (secondary).

        Each is (red, green, blue) of 0-255, or None: as it is.
        """
        if primary is not None:
            self.primary = primary[0] << 16 | primary[1] << 8 | primary[2]
        if secondary is not None:
            self.secondary = secondary[0] << 16 | secondary[1] << 8 | secondary[2]
        self._tell(ALL)

    def effect(self, name):
        """Show an effect (see `geometry.EFFECTS`) or None, until the next emotion is set.

        Raises ToolError `unknown_effect`.
        """
        if name is not None and name not in EFFECTS:
            raise ToolError("unknown_effect", "no such effect: %s" % name)
        self.effect_shown = name
        self._effect_ms = self.effect_phase = 0
        self._tell(EFFECT)

    def balloon(self, text, duration_ms=None):
        """Show a speech balloon (see `Balloon.say`), or hide it with None."""
        self.words.say(text, duration_ms)
        self._tell(BALLOON)

    def screen(self, lines, battery_percent=None, secret=None):
        """Show the status screen (see `Screen`), or the face again with None."""
        self.page = None
        if lines is not None:
            from .screen import Screen  # late (RAM): few robots show it

            self.page = Screen(self.layout, lines, battery_percent, secret)
        self._tell(ALL)

    # A command changed what is seen at once.
    def _tell(self, flag):
        self._told |= flag
        self.dirty |= flag

    ####################################################################################################
    # Time

    def step(self, now_ms):
        """Let time pass until now_ms (ticks); returns the flags of what changed.  Allocates nothing."""
        if self._then_ms is None:
            self._then_ms = (now_ms - _TICK_MS) & 0x3FFFFFFF
        dt_ms = (now_ms - self._then_ms) & 0x3FFFFFFF
        if dt_ms < _TICK_MS:
            return 0
        self._then_ms = now_ms
        changed = self._told
        self._told = 0
        self._breath_ms = (self._breath_ms + dt_ms) % _BREATH_MS
        self._move(dt_ms)
        self._look(dt_ms)
        if self._phase(dt_ms):
            changed |= EFFECT
        if self.words.step(dt_ms):
            changed |= BALLOON
        self._shivers = self._shiver and not self._shivers
        changed |= self._compose()
        self.dirty |= changed
        return changed

    # The emotion's numbers, on their way from the last one's.
    def _move(self, dt_ms):
        if self._moved_ms > _TRANSITION_MS:
            return
        self._moved_ms += dt_ms
        part = min(100, self._moved_ms * 100 // _TRANSITION_MS)
        for i in range(_ALL):
            self._pose[i] = self._from[i] + (self._to[i] - self._from[i]) * part // 100

    # Blink, saccade, gaze and mouth.
    def _look(self, dt_ms):
        self._blink_ms -= dt_ms
        if self._blink_ms <= -_BLINK_MS:
            self._blink_ms = _EYES_OPEN_MS + self._rng(_EYES_OPEN_MORE)
        self._saccade_ms -= dt_ms
        if self._saccade_ms <= 0:
            self._saccade_ms = _SACCADE_MS + self._rng(_SACCADE_MORE)
            self._saccade_x = self._rng(5) - 2
            self._saccade_y = self._rng(3) - 1
        self._gaze_x = _nearer(self._gaze_x, self._gaze_to_x)
        self._gaze_y = _nearer(self._gaze_y, self._gaze_to_y)
        self._open = _nearer(self._open, self._open_to)

    # True if the effect looks otherwise now.
    def _phase(self, dt_ms):
        if self.effect_shown is None:
            return False
        self._effect_ms = (self._effect_ms + dt_ms) % (EFFECT_PHASES * EFFECT_PHASE_MS)
        before = self.effect_phase
        self.effect_phase = self._effect_ms // EFFECT_PHASE_MS
        return self.effect_phase != before

    # How far the lids are open, percent.
    def _lids(self):
        if self._blink_ms > 0:
            return 100
        if self._blink_ms > -_CLOSING_MS:
            return 45
        return 0 if self._blink_ms > -_CLOSED_MS else 55

    # What is seen, from the emotion's numbers; returns the flags of what changed.
    def _compose(self):
        aside = 1 if self._shivers else 0
        down = _BREATH[self._breath_ms * len(_BREATH) // _BREATH_MS] - 3
        return (
            self._eye(0, RIGHT_EYE, aside, down)
            | self._eye(_LEFT, LEFT_EYE, aside, down)
            | self._lips(aside, down)
        )

    def _eye(self, at, flag, aside, down):
        pose = self._pose
        changed = self._put(at, pose[at] + aside + self._gaze_x + self._saccade_x)
        changed |= self._put(at + _Y, pose[at + _Y] + down + self._gaze_y + self._saccade_y)
        changed |= self._put(at + _RX, pose[at + _RX])
        changed |= self._put(at + _RY, max(_CLOSED, pose[at + _RY] * self._lids() // 100))
        for i in range(at + _RY + 1, at + EYE_NUMBERS):
            changed |= self._put(i, pose[i])
        return flag if changed else 0

    # It opens up and down and gets narrower; a zigzag moves with the shiver.
    def _lips(self, aside, down):
        pose = self._pose
        opened = self._open
        changed = self._put(_MOUTH, pose[_MOUTH] + aside)
        changed |= self._put(_MOUTH + _Y, pose[_MOUTH + _Y] + down)
        w = pose[_MOUTH + _W]
        h = pose[_MOUTH + _H]
        tall = max(h, _TALL - max(0, pose[_MOUTH + _BOTTOM] - pose[_MOUTH + _TOP]))
        changed |= self._put(_MOUTH + _W, w - w // 4 * opened // 100)
        changed |= self._put(_MOUTH + _H, h + (tall - h) * opened // 100)
        for i in range(_MOUTH + _H + 1, _ALL):
            changed |= self._put(i, -pose[i] if self._shivers and i == _MOUTH + _WAVE else pose[i])
        return LIPS if changed else 0

    def _put(self, i, value):
        if self.shown[i] == value:
            return 0
        self.shown[i] = value
        return 1

    def _aim(self, at, row, centre):
        for i in range(len(row)):
            self._to[at + i] = row[i]
        self._to[at] += centre[0]
        self._to[at + _Y] += centre[1]

    def state(self):
        """dict for `robot://status`: all that is needed to draw the face as it is now with `geometry`."""
        shown = list(self.shown)
        return {
            "emotion": self.emotion,
            "eyes": [shown[:_LEFT], shown[_LEFT:_MOUTH]],
            "mouth": shown[_MOUTH:],
            "open": self._open,
            "effect": self.effect_shown,
            "effect_phase": self.effect_phase,
            "primary": self.primary,
            "secondary": self.secondary,
            "balloon": self.words.state(),
            "screen": None if self.page is None else self.page.state(),
        }


# Half of the way to `goal`, at least 1.
def _nearer(value, goal):
    way = goal - value
    return goal if -2 < way < 2 else value + way // 2 + (way > 0)


def _emotion(name):
    for row in EMOTIONS:
        if row[0] == name:
            return row
    raise ToolError("unknown_emotion", "no such emotion: %s" % name)
