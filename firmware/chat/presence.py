"""What shows of a dialogue: the robot thinks, listens, says the answer.

Emotions are the model's to choose (`set_emotion`), so none is set here: thinking is a gaze and dots, listening a gaze
straight ahead and quiet.
"""

from micropython import const

from robot.voice import MAX_CHARACTERS
from umcp.errors import ToolError

from .dialogue import CALLING, REFUSED, THINKING

LISTENING = "listening"
SPEAKING = "speaking"
QUIET = "idle"

_DOTS_MS = const(60000)
_READ_MS = const(2000)
_MS_A_CHARACTER = const(60)
_TOLD_MS = const(5000)
_SAY_MS = const(60000)  # for one piece of an answer
_REST_MS = const(4000)  # that the head may still turn
_TURN_MS = const(20)
_ENDS = ".!?\u3002\uff01\uff1f\n"  # of sentences, those of Japanese too


class Presence:
    """robot: `robot.robot.Robot`.

    state: str: "idle", "listening", "thinking", "calling" or "speaking".
    """

    def __init__(self, robot):
        self._robot = robot
        self.state = QUIET

    def watch(self, state, detail):
        """What a `Dialogue` tells."""
        self._robot.changed += 1
        face = self._robot.face
        if state == REFUSED:
            if face is not None:
                face.balloon(detail, _TOLD_MS)
            return
        self.state = state
        if face is None:
            return
        if state == THINKING:
            face.gaze(40, 60)
            face.balloon("...", _DOTS_MS)
        elif state != CALLING:
            face.gaze(0, 0)
            if face.words.raw == b"...":
                face.balloon(None)

    def listen(self, on=True):
        """Somebody is about to speak: look at them, and keep still.  on: bool."""
        self.state = LISTENING if on else QUIET
        self._robot.changed += 1
        if on and self._robot.voice is not None:
            self._robot.voice.stop()
        if on and self._robot.face is not None:
            self._robot.face.gaze(0, 0)
            self._robot.face.balloon(None)

    async def say(self, text):
        """Say an answer, and show it; returns when it is over. Where no sound is allowed, it is only shown."""
        self.state = SPEAKING
        self._robot.changed += 1
        try:
            for piece in _pieces(text):
                await self._say(piece)
        finally:
            if self.state == SPEAKING:
                self.state = QUIET
                self._robot.changed += 1

    async def rest(self):
        """Wait until the head turns no more, for a while at most: for what stops the event loop."""
        robot = self._robot
        since_ms = robot.clock()
        while robot.moving and robot.elapsed(since_ms) < _REST_MS:
            await robot.sleep_ms(_TURN_MS)

    def _show(self, text, ms=0):
        if self._robot.face is not None:
            self._robot.face.balloon(text, max(ms, _READ_MS + _MS_A_CHARACTER * len(text)))

    async def _say(self, text):
        robot = self._robot
        voice = robot.voice
        try:
            if voice is None:
                raise ToolError("no_voice")
            await robot.idle(voice, _SAY_MS)  # The model may be sounding, through its tools.
            robot.allow_sound()
        except ToolError:
            self._show(text)
            if robot.face is not None:
                await robot.sleep_ms(_READ_MS)
            return
        self._show(text, voice.speak(text)["duration_ms"])
        turn = voice.turn
        try:
            await robot.idle(voice, _SAY_MS)
        finally:
            if voice.turn == turn:
                voice.stop()


# An answer in pieces that the voice takes, cut behind a sentence where there is one.
def _pieces(text):
    while text:
        end = len(text)
        if end > MAX_CHARACTERS:
            end = MAX_CHARACTERS
            ends = [text.rfind(mark, 0, end) + 1 for mark in _ENDS + " "]
            end = max(ends[:-1]) or ends[-1] or end
        yield text[:end]
        text = text[end:].lstrip()
