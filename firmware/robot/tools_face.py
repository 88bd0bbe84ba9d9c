"""The tools of the face and its screen."""

from umcp.types import Integer, String

from .tools import ACTS, BYTE, DONE, LEVEL, SETS, done, told

EMOTIONS = ("neutral", "angry", "sad", "happy", "sleepy", "doubtful", "cold", "hot")
_ALIAS = "doubt"  # What other robots of the family call it.


class Emotion(String):
    """One of EMOTIONS, in either case."""

    def check(self, value, path="", coerce=True):
        """See `String`."""
        if coerce and type(value) is str and value.lower() == _ALIAS:
            return "doubtful"
        return super().check(value, path, coerce)


class FaceHandlers:
    """robot: `robot.robot.Robot`, which has a face."""

    def __init__(self, robot):
        self._robot = robot
        self._face = robot.face

    def set_emotion(self, emotion):
        self._face.set_emotion(emotion)
        return {"emotion": emotion}

    def show_balloon(self, text, duration_ms=None):
        self._face.balloon(text, duration_ms)
        return done()

    def hide_balloon(self):
        self._face.balloon(None, None)
        return done()

    def set_face_color(self, key, red, green, blue):
        color = (red, green, blue)
        if key == "primary":
            self._face.colors(color, None)
        else:
            self._face.colors(None, color)
        return done()

    def set_mouth_open(self, open):
        self._face.mouth(open)
        return done()

    def set_brightness(self, level):
        self._robot.set_brightness(level)
        return {"level": level}


def tools(robot):
    """Of a robot with a face: see `robot.tools.rows`."""
    do = FaceHandlers(robot)
    level = told(("level", LEVEL))
    emotion = (("emotion", Emotion(enum=EMOTIONS)),)
    balloon = (
        ("text", String(min_length=1, max_length=80)),
        ("duration_ms", Integer(min=1000, max=60000, optional=True, description="None: until hidden.")),
    )
    color = (("key", String(enum=("primary", "secondary"))), ("red", BYTE), ("green", BYTE), ("blue", BYTE))
    found = [
        (
            "set_emotion",
            "Show an emotion on the face.",
            emotion,
            do.set_emotion,
            told(("emotion", String())),
            SETS,
        ),
        ("show_balloon", "Show a text in a balloon, without sound.", balloon, do.show_balloon, DONE, ACTS),
        ("hide_balloon", "Take the balloon away.", (), do.hide_balloon, DONE, SETS),
        (
            "set_face_color",
            "Colour the features (primary) or what is behind.",
            color,
            do.set_face_color,
            DONE,
            SETS,
        ),
        ("set_mouth_open", "Open the mouth.", (("open", LEVEL),), do.set_mouth_open, DONE, SETS),
    ]
    if robot.has_brightness:
        found.append(
            ("set_brightness", "Set the screen's brightness.", level.fields, do.set_brightness, level, SETS)
        )
    return found
