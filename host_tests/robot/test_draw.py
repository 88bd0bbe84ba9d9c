# interpreters: micropython
"""Pixels: golden images, dirty rectangles, bounds."""

import gc

from goldens import packed, path, unpacked
from heap import dice
from panel import Panel
from scenes import SCENES, render, run, still

from harness import eq
from robot.draw import Painter
from robot.face import Face
from robot.geometry import EFFECTS, EMOTIONS

# Where eyes and mouth may be, with room for gaze and breath: x, y, w, h.
EYES_AREA = (50, 40, 220, 84)
MOUTH_AREA = (90, 126, 140, 76)


def test_each_scene_is_its_golden_image():
    wrong = []
    for name in sorted(SCENES):
        panel = render(name)
        with open(path(name), "rb") as file:
            width, height, frame = unpacked(file.read())
        eq((width, height), (panel.width, panel.height))
        if frame != panel.frame:
            wrong.append((name, panel.differs(frame, 0, 0, width, height)))
    eq(wrong, [])


def test_a_golden_image_holds_every_pixel():
    panel = Panel(7, 5)
    random = dice()
    for i in range(len(panel.frame)):
        panel.frame[i] = random(3)
    eq(unpacked(packed(panel)), (7, 5, panel.frame))


def test_emotions_differ_in_the_eyes_and_in_the_mouth():
    frames = [(row[0], render(row[0])) for row in EMOTIONS]
    for i in range(len(frames)):
        for j in range(i):
            name, panel = frames[i]
            other, there = frames[j]
            assert panel.differs(there.frame, *EYES_AREA) >= 200, (name, other, "eyes")
            assert panel.differs(there.frame, *MOUTH_AREA) >= 200, (name, other, "mouth")


def test_a_blink_is_seen_and_changes_only_the_eyes():
    shut = render("blink").frame
    face = Face(still)
    panel = Panel()
    painter = Painter(face, panel)
    run(face, painter, 2400 - 66)
    assert panel.differs(shut, *EYES_AREA) > 300


def whole(face, width, height):
    """The frame of a face that is painted at once."""
    panel = Panel(width, height)
    Painter(face, panel).paint(0)
    return panel.frame


def act(face, random):
    """Something that a tool may do."""
    which = random(9)
    if which == 0:
        face.set_emotion(EMOTIONS[random(len(EMOTIONS))][0])
    elif which == 1:
        face.mouth(random(101))
    elif which == 2:
        face.gaze(random(201) - 100, random(201) - 100)
    elif which == 3:
        face.effect(sorted(EFFECTS)[random(len(EFFECTS))] if random(4) else None)
    elif which == 4:
        face.balloon("word " * (1 + random(30)), 1000 + random(3000))
    elif which == 5:
        face.balloon(None)
    elif which == 6:
        face.colors((random(256), random(256), random(256)), (random(256), random(256), random(256)))
    elif which == 7 and not random(4):
        face.screen(["line"] * random(9), random(101))
    else:
        face.screen(None)


def pieces_equal_whole(width, height, seed, steps, **painting):
    random = dice(seed)
    face = Face(random, width, height)
    panel = Panel(width, height)
    painter = Painter(face, panel, **painting)
    now_ms = 0
    for i in range(steps):
        if not random(5):
            act(face, random)
        now_ms += 20 + random(120)
        face.step(now_ms)
        if painter.paint(now_ms) and not i % 4:
            frame = whole(face, width, height)
            eq(panel.differs(frame, 0, 0, width, height) if panel.frame != frame else 0, 0)
    return panel


def test_pieces_leave_nothing_behind():
    pieces_equal_whole(320, 240, 1, 600)
    pieces_equal_whole(320, 240, 2, 600)


def test_nor_on_other_panels():
    for width, height in ((128, 128), (135, 240), (240, 135), (96, 64), (480, 320)):
        pieces_equal_whole(width, height, width, 150)


def test_bands_of_any_size_make_the_same_picture():
    for size in (640, 641, 2000, 3999, 16000):
        panel = pieces_equal_whole(320, 240, 5, 60, band_bytes=size)
        assert panel.largest <= max(size, 640)


def test_effects_stay_in_their_place():
    for name in EFFECTS:
        face = Face(still)
        face.step(0)
        plain = whole(face, 320, 240)
        for phase in range(8):
            face.effect(name)
            face.effect_phase = phase
            panel = Panel()
            Painter(face, panel).paint(0)
            inside = panel.differs(plain, *EFFECTS[name][3])
            eq((name, phase, inside > 30), (name, phase, True))
            eq((name, phase, panel.differs(plain, 0, 0, 320, 240)), (name, phase, inside))


def test_a_blit_is_no_more_than_the_band_and_all_buffers_are_8_kb_at_most():
    for width, height in ((320, 240), (128, 128)):
        panel = pieces_equal_whole(width, height, 3, 300)
        assert panel.largest <= 6400
        _buffers_are_8_kb_at_most(panel)


def _buffers_are_8_kb_at_most(panel):
    face = Face(still, panel.width, panel.height)
    panel.blits = []
    gc.collect()
    before = gc.mem_alloc()
    painter = Painter(face, panel)
    painter.paint(0)
    for row in EMOTIONS:
        face.set_emotion(row[0])
        run(face, painter, 400)
    panel.blits = None
    gc.collect()
    assert gc.mem_alloc() - before <= 8192, gc.mem_alloc() - before


def test_a_small_panel_shows_the_whole_face_at_two_fifths_of_the_size():
    for name in ("neutral", "happy"):
        large = render(name)
        small = render("small_" + name)
        x, y, w, h = lit(large)
        left, top, wide, high = lit(small)
        assert abs(left - x * 2 // 5) <= 2 and abs(top - (y * 2 // 5 + 16)) <= 2, (name, left, top)
        assert abs(left + wide - (x + w) * 2 // 5) <= 2, (name, left, wide)
        assert abs(top + high - (y + h) * 2 // 5 - 16) <= 2, (name, top, high)


def lit(panel):
    """The box (x, y, w, h) of all pixels that are not black."""
    w = 2 * panel.width
    rows = [y for y in range(panel.height) if any(panel.frame[y * w : (y + 1) * w])]
    columns = [x for x in range(panel.width) if any(panel.pixel(x, y) for y in rows)]
    return columns[0], rows[0], columns[-1] - columns[0] + 1, rows[-1] - rows[0] + 1


def test_only_what_changed_is_painted():
    face = Face(still)
    panel = Panel()
    painter = Painter(face, panel)
    now_ms = run(face, painter, 660)
    panel.blits.clear()
    face.mouth(100)
    face.step(now_ms)
    assert painter.paint(now_ms + 33)
    assert panel.blits
    for x, y, w, h in panel.blits:
        assert 100 < x and x + w < 220 and 120 < y and y + h < 200, (x, y, w, h)


def test_a_still_face_is_not_painted():
    face = Face(still)
    panel = Panel()
    painter = Painter(face, panel)
    assert painter.paint(0)
    panel.blits.clear()
    face.step(0)
    face.dirty = 0
    assert not painter.paint(1000)
    eq(panel.blits, [])


def test_at_most_15_frames_a_second():
    face = Face(still)
    painter = Painter(face, Panel())
    frames = 0
    for now_ms in range(0, 10000, 5):
        face.mouth(now_ms // 5 % 101)
        face.step(now_ms)
        frames += painter.paint(now_ms)
    assert 100 <= frames <= 152, frames


def test_what_a_panel_has_lost_is_painted_again():
    face = Face(still)
    panel = Panel()
    painter = Painter(face, panel)
    now_ms = run(face, painter, 300)
    frame = bytes(panel.frame)
    for i in range(len(panel.frame)):
        panel.frame[i] = 0x55
    painter.repaint()
    assert painter.paint(now_ms)
    eq(panel.frame == frame, True)


def test_a_display_that_fails_once_gets_the_whole_picture_next():
    class Torn(Panel):
        fails = 0

        def blit(self, x, y, w, h, buf):
            if self.fails:
                self.fails -= 1
                raise OSError(5)
            Panel.blit(self, x, y, w, h, buf)

    face = Face(still)
    panel = Torn()
    painter = Painter(face, panel)
    now_ms = run(face, painter, 300)
    face.set_emotion("happy")
    panel.fails = 1
    face.step(now_ms)
    try:
        painter.paint(now_ms + 100)
    except OSError:
        pass
    eq(panel.fails, 0)
    painter.paint(now_ms + 200)
    eq(panel.frame == whole(face, 320, 240), True)


def test_the_high_byte_comes_first():
    face = Face(still)
    panel = Panel()
    face.colors((255, 0, 0), (0, 0, 255))
    Painter(face, panel).paint(0)
    eq((panel.pixel(92, 96), panel.pixel(0, 0)), (0xF800, 0x001F))


def test_glyphs_of_the_board_stand_for_what_ascii_lacks():
    asked = []

    def glyphs(code):
        asked.append(code)
        if code == 0x732B:
            raise OSError(5)
        return b"\xff" * 8 if code == 0x3042 else None

    face = Face(still)
    face.balloon("\u3042\u6f22\u732b")
    with_glyphs = Panel()
    with_glyphs.glyphs = glyphs
    Painter(face, with_glyphs).paint(0)
    without = Panel()
    Painter(face, without).paint(0)
    eq(set(asked), {0x3042, 0x6F22, 0x732B})
    x, y, _, _ = face.layout.balloon
    eq(with_glyphs.differs(without.frame, x + 8, y + 6, 16, 16), 4 * (64 - 20))
    eq(with_glyphs.differs(without.frame, x + 24, y + 6, 200, 16), 0)
