"""The robot's page in headless Chromium: it shows what the robot shows, and calls what the robot can."""

import time
from collections import deque
from pathlib import Path

import pytest

from peers.browser import Browser, chromium
from peers.test_robot import EMOTIONS, Simulation

WIDE = {"width": 1280, "height": 900}
SMALL = {"width": 375, "height": 700}
# How many of the pixels of two faces may differ, in percent of those that either has; edges are smooth in one.
_ALIKE = 12
_OTHER = 40
_SECONDS = 20
_FRAMES = 90


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    chromium()
    started = Simulation(tmp_path_factory.mktemp("robot") / "home")
    yield started
    started.close()


@pytest.fixture(scope="module")
def browser(robot):
    started = Browser()
    yield started
    started.close()


@pytest.fixture
def page(robot, browser):
    """A page that has logged in. What is an error in its console fails the test."""
    login(robot, browser, viewport=WIDE)
    yield browser
    assert [text for kind, text in browser.said() if kind == "error"] == []


def login(robot, browser, **options):
    browser.open("%s/#%s" % (robot.firmware.url, robot.token), **options)
    browser.wait(
        "!document.querySelector('#main').hidden && document.querySelector('#facts').children.length > 2"
    )


def use(page, tool, **given):
    """Call a tool by its form, and return what the log tells of it: (class, result)."""
    calls = page.evaluate("document.querySelectorAll('#log li').length")
    page.evaluate("document.querySelector('form[aria-label=%s]').closest('details').open = true" % tool)
    for name, value in given.items():
        field = "#%s-%s" % (tool, name)
        kind = page.evaluate("document.querySelector('%s').type" % field)
        if kind == "checkbox":
            page.setChecked(field, value)
        elif kind == "select-one":
            page.selectOption(field, value)
        else:
            page.fill(field, str(value))
    page.click("form[aria-label=%s] button" % tool)
    page.wait("document.querySelectorAll('#log li').length > %d" % calls)
    page.wait("document.querySelector('#log li').className")
    return page.evaluate(
        "(([line]) => [line.className, line.lastChild.textContent])(document.querySelectorAll('#log li'))"
    )


def facts(page):
    return page.evaluate("Array.from(document.querySelectorAll('#facts li'), (fact) => fact.textContent)")


def wait_for_fact(page, text):
    page.wait("Array.from(document.querySelectorAll('#facts li'), (e) => e.textContent).includes(%r)" % text)


# A picture as three numbers, of red, green and blue: a byte of 1 for each pixel that has more than half of it.
def of_page(rgba):
    return tuple(_bright(rgba[i::4], 0x80) for i in range(3))


def of_panel(frame):
    return _bright(frame[::2], 0x80), _bright(frame[::2], 0x04), _bright(frame[1::2], 0x10)


def _bright(values, bit):
    return int.from_bytes(values.translate(bytes(bool(i & bit) for i in range(256))), "big")


def difference(one, other):
    """Percent of the pixels that either has in which two pictures differ."""
    differing = lit = 0
    for mine, its in zip(one, other):
        differing |= mine ^ its
        lit |= mine | its
    return 100 * bin(differing).count("1") / max(1, bin(lit).count("1"))


def closest(page, robot, limit):
    """The least difference between what the page shows and what the panel has shown, looked for until it is below
    `limit`; and what the page showed then. The page is behind.
    """
    frames = deque(maxlen=_FRAMES)
    least = (100, None)
    end = time.monotonic() + _SECONDS
    while least[0] > limit and time.monotonic() < end:
        for _ in range(3):
            frames.append(of_panel(robot.panel.frame()))
            time.sleep(0.01)
        width, height, rgba = page.pixels("#face")
        assert (width, height) == (320, 240)
        drawn = of_page(rgba)
        least = min(
            least, (min(difference(drawn, frame) for frame in frames), drawn), key=lambda pair: pair[0]
        )
    return least


def test_every_emotion_is_that_of_the_panel(page, robot):
    before = None
    for emotion in (*EMOTIONS[1:], "neutral"):
        assert use(page, "set_emotion", emotion=emotion) == ["ok", '{"emotion":"%s"}' % emotion]
        wait_for_fact(page, emotion)
        time.sleep(1)  # The panel shows it now, so a page that matches has come to it too.
        least, drawn = closest(page, robot, _ALIKE)
        assert least <= _ALIKE, (emotion, least)
        if before is not None:
            other = difference(drawn, before)
            assert other > _OTHER, emotion
        before = drawn


def test_the_balloon_is_that_of_the_panel(page, robot):
    assert use(page, "show_balloon", text="mmmm mmmm mmmm mmmm mmmm")[0] == "ok"
    wait_for_fact(page, "“mmmm mmmm mmmm mmmm mmmm”")
    # A letter of the page is another than the panel's.
    assert closest(page, robot, 28)[0] <= 28
    assert use(page, "hide_balloon")[0] == "ok"
    page.wait("!document.querySelector('#facts').textContent.includes('mmmm')")


def middle_of_the_panel(page):
    """Where the black of the panel is on the canvas, from 0 at its left to 1."""
    width, _, rgba = page.pixels("#scene")
    black = [i % width for i in range(len(rgba) // 4) if rgba[4 * i : 4 * i + 4] == b"\0\0\0\xff"]
    return sum(black) / len(black) / width


def test_move_head_turns_the_head(page, robot):
    assert use(page, "move_head", yaw=0, pitch=10, wait=True)[0] == "ok"
    wait_for_fact(page, "yaw 0.0°")
    time.sleep(1)
    ahead = middle_of_the_panel(page)
    assert abs(ahead - 0.5) < 0.02
    assert use(page, "move_head", yaw=40, pitch=25, duration_ms=300)[0] == "ok"
    wait_for_fact(page, "yaw 40.0°")
    wait_for_fact(page, "pitch 25.0°")
    time.sleep(1)
    # To its left, which is the right of who looks at it.
    assert middle_of_the_panel(page) > ahead + 0.04
    assert page.getAttribute("#scene", "aria-label").endswith("yaw 40.0°, pitch 25.0°")


def test_a_refusal_is_told(page):
    kind, text = use(page, "look_at", x_mm=0, y_mm=0, z_mm=0)
    assert kind == "bad" and text.startswith("no_direction"), text


def test_a_call_can_be_cancelled(page):
    page.evaluate("document.querySelector('form[aria-label=wait_for_event]').closest('details').open = true")
    page.fill("#wait_for_event-timeout_ms", "45000")
    page.click("form[aria-label=wait_for_event] button")
    page.click("form[aria-label=wait_for_event] button[type=button]")
    page.wait("document.querySelector('#log li').className == 'bad'")
    assert use(page, "get_head_pose")[0] == "ok"


def test_what_the_robot_feels_is_told(page, robot):
    robot.world.say("button b 1")
    page.wait("document.querySelector('#events').textContent.includes('button b')")


def test_what_another_client_does_is_seen(page, robot):
    other = Browser()
    try:
        login(robot, other, viewport=WIDE)
        assert use(other, "set_volume", volume=37)[0] == "ok"
        wait_for_fact(page, "volume 37")
    finally:
        other.close()


def test_the_panel_can_be_looked_at(page):
    page.click("#see-panel")
    page.wait("document.querySelector('#panel').naturalWidth == 320")
    assert page.isVisible("#panel") and not page.isVisible("#scene")
    page.click("#see-robot")
    assert page.isVisible("#scene")


def test_the_token_is_kept_in_the_tab_alone(page, robot):
    assert page.evaluate("location.href") == robot.firmware.url + "/"
    assert page.evaluate("localStorage.length") == 0
    page.reload()
    page.wait("document.querySelector('#state').className == 'on'")
    page.click("#leave")
    assert page.isVisible("#login") and page.evaluate("sessionStorage.length") == 0
    page.reload()
    page.wait("!document.querySelector('#login').hidden")


# One for calls and one for the stream, whatever is done.
def test_it_takes_two_connections(page, robot):
    for motion in ("nod", "greet"):
        use(page, "play_motion", motion=motion)
        use(page, "get_recent_events")
    port = ":%04X" % robot.firmware.port
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    assert sum(line[1].endswith(port) and line[3] == "01" for line in lines) == 2


@pytest.mark.parametrize("token", ["Zeichen-ä-ist-keines", "%E0%A4%A"])
def test_a_token_that_is_none_is_told(robot, browser, token):
    browser.open(robot.firmware.url + "/#" + token)
    browser.wait("document.querySelector('#wrong').textContent.startsWith('This token is wrong')")


def test_a_wrong_token_is_told(robot, browser):
    browser.open(robot.firmware.url)
    browser.fill("#token", "a-token-of-another-robot")
    browser.click("#login button")
    browser.wait("document.querySelector('#wrong').textContent.startsWith('This token is wrong')")
    assert browser.isVisible("#login") and not browser.isVisible("#main")
    # The browser itself tells of the status, and nothing else is wrong.
    assert [text for _, text in browser.said() if "401" not in text] == []


def test_the_keyboard_is_enough(robot, browser):
    browser.open(robot.firmware.url, viewport=WIDE)
    browser.wait("document.activeElement.id == 'token'")
    browser.do("keyboard.type", robot.token)
    browser.do("keyboard.press", "Enter")
    browser.wait("document.querySelector('#state').className == 'on'")
    for _ in range(60):
        browser.do("keyboard.press", "Tab")
        if browser.evaluate("document.activeElement.textContent.startsWith('set_emotion')"):
            break
    browser.do("keyboard.press", "Enter")
    browser.do("keyboard.press", "Tab")
    assert browser.evaluate("document.activeElement.id") == "set_emotion-emotion"
    browser.do("keyboard.type", "sad")
    browser.do("keyboard.press", "Tab")
    browser.do("keyboard.press", "Enter")
    browser.wait("document.querySelector('#log li')?.className == 'ok'")
    wait_for_fact(browser, "sad")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_telephone(robot, browser, scheme):
    login(robot, browser, viewport=SMALL, colorScheme=scheme)
    browser.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    wide = browser.evaluate(
        "Array.from(document.querySelectorAll('body *'), (e) => [e.getBoundingClientRect().right, e.outerHTML])"
        ".filter(([right]) => right > innerWidth + 1)"
    )
    assert wide == []
    assert browser.evaluate("document.documentElement.scrollWidth") <= 375
    unnamed = browser.evaluate(
        "Array.from(document.querySelectorAll('input, select, textarea'))"
        ".filter((e) => !e.labels.length && !e.ariaLabel).map((e) => e.outerHTML)"
    )
    assert unnamed == []
    assert [text for _, text in browser.said()] == []


def test_a_robot_that_comes_back_is_found(browser, tmp_path):
    another = Simulation(tmp_path / "home")
    try:
        login(another, browser, viewport=WIDE)
        another.firmware.close()
        browser.wait("document.querySelector('#state').className == 'off'")
        another.restart()
        browser.wait("document.querySelector('#state').className == 'on'")
        another.world.say("button c 1")
        browser.wait("document.querySelector('#events').textContent.includes('button c')")
    finally:
        another.close()
