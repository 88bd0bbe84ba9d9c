"""The tools of the voice."""

from umcp.types import Array, Integer, String

from .tools import ACTS, COUNT, FLAG, SETS, WAIT, told

_READ_MS = 2000  # that the balloon is seen at least
_LONGEST_MS = 50000  # that a tool waits for the voice, and no longer: the server waits for it 60 s


class VoiceHandlers:
    """robot: `robot.robot.Robot`, which has a voice.

    What sounds raises ToolError `quiet_hours`, or `busy` while something else does.
    """

    def __init__(self, robot):
        self._robot = robot
        self._voice = robot.voice

    def say_message(self, message, wait):
        self._robot.allow_sound()
        answer = self._voice.speak(message)
        face = self._robot.face
        if face is not None:
            face.balloon(message, max(_READ_MS, answer["duration_ms"]))
        return self._sounding(answer, wait)

    def play_tone(self, hz, duration_ms, level):
        self._robot.allow_sound()
        self._voice.tone(hz, duration_ms, level)
        return {"duration_ms": duration_ms}

    def play_melody(self, tones, level, wait):
        self._robot.allow_sound()
        return self._sounding(self._voice.melody(tones, level), wait)

    def set_volume(self, volume):
        return {"volume": self._voice.volume(volume)}

    # The answer, with `finished`; an awaitable of it to wait for.
    def _sounding(self, answer, wait):
        answer["finished"] = False
        return self._finish(answer, self._voice.turn) if wait else answer

    # Whoever gives up the call wants it quiet; a long speech goes on behind the answer.
    async def _finish(self, answer, turn):
        voice = self._voice
        given_up = True
        try:
            answer["finished"] = await self._robot.idle(voice, _LONGEST_MS) and voice.turn == turn
            given_up = False
        finally:
            if given_up:
                voice.stop()
        return answer


def tools(robot):
    """Of a robot with a voice: see `robot.tools.rows`."""
    do = VoiceHandlers(robot)
    volume = told(("volume", Integer(min=0, max=robot.policy.volume_cap)))
    level = Integer(min=0, max=100, default=100, description="Of the volume.")
    tones = Array(
        String(min_length=1, max_length=16),
        min_items=1,
        max_items=32,
        description="C4:220, F#4:180, 440:200, R:120",
    )
    tone = (
        ("hz", Integer(min=40, max=4000)),
        ("duration_ms", Integer(min=30, max=2000)),
        ("level", level),
    )
    sounding = (("duration_ms", COUNT), ("finished", FLAG))
    melody = (("played", COUNT), ("rests", COUNT), ("skipped", COUNT), ("truncated", COUNT)) + sounding
    spoken = sounding + (("complete", FLAG),)
    said = (("message", String(min_length=1, max_length=500)), ("wait", WAIT))
    return [
        ("say_message", "Say a text aloud, and show it.", said, do.say_message, told(*spoken), ACTS),
        ("play_tone", "Play one tone.", tone, do.play_tone, told(("duration_ms", COUNT)), ACTS),
        (
            "play_melody",
            "Play notes (name or Hz, and ms) and rests, 15 s at most.",
            (("tones", tones), ("level", level), ("wait", WAIT)),
            do.play_melody,
            told(*melody),
            ACTS,
        ),
        ("set_volume", "Set the volume.", volume.fields, do.set_volume, volume, SETS),
    ]
