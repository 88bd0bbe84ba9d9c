"""The table of the face is what it says, and a page can have it as JSON."""

from harness import eq
from robot import geometry
from robot.geometry import EFFECT_COLORS, EFFECTS, EMOTIONS, EYE_NUMBERS, MOUTH_NUMBERS, Layout
from robot.tools_face import EMOTIONS as OFFERED
from umcp.codec import dumps, loads


def test_each_emotion_has_all_its_numbers():
    for name, (right, left, mouth), effect, shiver in EMOTIONS:
        eq((len(right), len(left or right), len(mouth)), (EYE_NUMBERS, EYE_NUMBERS, MOUTH_NUMBERS))
        assert effect is None or effect in EFFECTS, name
        assert shiver in (0, 1)
        for eye in (right, left or right):
            assert all(0 <= percent <= 100 for percent in eye[4:8])


def test_the_tools_offer_the_emotions_that_there_are():
    eq(sorted(row[0] for row in EMOTIONS), sorted(OFFERED))


def test_each_effect_has_a_colour_and_a_place_on_the_plane():
    eq(sorted(EFFECTS), sorted(EFFECT_COLORS))
    for name in EFFECTS:
        _, _, _, (x, y, w, h) = EFFECTS[name]
        assert 0 <= x and x + w <= geometry.WIDTH and 0 <= y and y + h <= geometry.HEIGHT, name


def test_a_page_can_have_it():
    names = [name for name in dir(geometry) if name == name.upper() and name[:1] != "_"]
    assert "EMOTIONS" in names and "EFFECTS" in names
    for name in names:
        value = getattr(geometry, name)
        eq(loads(dumps(value)), _listed(value))


def _listed(value):
    if type(value) in (tuple, list):
        return [_listed(v) for v in value]
    if type(value) is dict:
        return {k: _listed(v) for k, v in value.items()}
    return value


def test_the_plane_fits_any_panel():
    for width, height, num, den, left, top in (
        (320, 240, 320, 320, 0, 0),
        (128, 128, 128, 320, 0, 16),
        (135, 240, 135, 320, 0, 69),
        (480, 320, 320, 240, 27, 0),
        (96, 64, 64, 240, 5, 0),
    ):
        layout = Layout(width, height)
        eq((layout.num * den, layout.left, layout.top), (num * layout.den, left, top))
        x, y, w, h = layout.balloon
        assert 0 <= x and x + w <= width and 0 <= y and y + h <= height
        assert layout.columns >= 10 or width < 128, layout.columns
