"""The scenes of the golden images, and the frame of each: a face, a time, one picture."""

from panel import Panel

from robot.draw import Painter
from robot.face import Face
from robot.geometry import EFFECTS, EMOTIONS

_LONG = "The quick brown fox jumps over the lazy dog, and then it says: what a nice day! The end."


def still(n):
    """An `rng` under which nothing wanders: no saccade, the shortest waits."""
    return n // 2


def run(face, painter, ms, start_ms=0):
    """Let time pass in frames of 33 ms; returns the time then."""
    now_ms = start_ms
    while now_ms < start_ms + ms:
        face.step(now_ms)
        painter.paint(now_ms)
        now_ms += 33
    return now_ms


def _mood(name):
    def scene(face, painter):
        face.set_emotion(name)
        return 500

    return scene


def _effect(name):
    def scene(face, painter):
        face.effect(name)
        return 900

    return scene


def _blink(face, painter):
    return 2400 + 120


def _half_blink(face, painter):
    return 2400 + 10


def _open(name, level):
    def scene(face, painter):
        face.set_emotion(name)
        face.mouth(level)
        return 500

    return scene


def _balloon(text, ms):
    def scene(face, painter):
        face.balloon(text, 10000)
        return ms

    return scene


def _screen(face, painter):
    face.screen(["http://192.168.4.1/", "Tsumiki", "Wi-Fi: robots-at-home, -61 dBm, a long line"], 72)
    return 200


def _colors(face, painter):
    face.colors((255, 220, 0), (0, 60, 120))
    face.gaze(100, 100)
    return 500


def _glance(face, painter):
    face.gaze(-100, -100)
    return 500


# Name to (scene, width, height): `scene(face, painter)` sets it up and returns how long it takes, in ms.
SCENES = dict((row[0], (_mood(row[0]), 320, 240)) for row in EMOTIONS)
SCENES.update(("effect_" + name, (_effect(name), 320, 240)) for name in EFFECTS)
SCENES.update(
    blink=(_blink, 320, 240),
    half_blink=(_half_blink, 320, 240),
    open_half=(_open("neutral", 50), 320, 240),
    open_happy=(_open("happy", 100), 320, 240),
    open_angry=(_open("angry", 100), 320, 240),
    balloon=(_balloon("Hello, I am Tsumiki!", 300), 320, 240),
    balloon_scrolled=(_balloon(_LONG, 4000), 320, 240),
    balloon_boxes=(
        _balloon("Na\u00efve \u3053\u3093\u306b\u3061\u306f \U0001f600\uff01\nline 2", 300),
        320,
        240,
    ),
    screen=(_screen, 320, 240),
    colors=(_colors, 320, 240),
    glance=(_glance, 320, 240),
    small_neutral=(_mood("neutral"), 128, 128),
    small_happy=(_mood("happy"), 128, 128),
    small_doubtful=(_mood("doubtful"), 128, 128),
    small_balloon=(_balloon(_LONG, 300), 128, 128),
)


def render(name):
    """The `Panel` with the picture of a scene."""
    scene, width, height = SCENES[name]
    panel = Panel(width, height)
    face = Face(still, width, height)
    painter = Painter(face, panel)
    run(face, painter, scene(face, painter))
    painter.repaint()
    painter.paint(0)
    return panel
