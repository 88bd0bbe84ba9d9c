"""Draw docs/page.png and docs/page-phone.png anew, which the README shows: a simulated robot, looked at in Chromium.

.venv/bin/python host_tests/peers/page_pictures.py
"""

import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "host"))
sys.path.append(str(ROOT / "host_tests"))
sys.path.append(str(ROOT / "firmware"))

from peers.browser import Browser  # noqa: E402
from peers.test_page import SMALL, login, use  # noqa: E402
from peers.test_robot import Simulation  # noqa: E402

DOCS = ROOT / "docs"


def _act(page, robot):
    robot.world.say("button a 1")
    robot.world.say("touch head 1")
    use(page, "set_led", led="left", mode="solid", red=255, green=90)
    use(page, "set_led", led="right", mode="rainbow", interval_ms=4000)
    use(page, "move_head", yaw=28, pitch=14, wait=True)
    use(page, "show_balloon", text="Hello! I am a robot.")
    use(page, "set_emotion", emotion="happy")
    page.evaluate(
        "document.querySelectorAll('details').forEach("
        "(one) => (one.open = one.textContent.startsWith('set_emotion')))"
    )
    page.evaluate("scrollTo(0, 0)")
    page.evaluate("document.activeElement.blur()")
    time.sleep(2)


def _take(page, robot):
    login(robot, page, viewport={"width": 1240, "height": 760})
    _act(page, robot)
    (DOCS / "page.png").write_bytes(page.picture())
    login(robot, page, viewport=SMALL, colorScheme="dark")
    time.sleep(2)
    (DOCS / "page-phone.png").write_bytes(page.picture())


def main():
    with tempfile.TemporaryDirectory() as home:
        robot = Simulation(Path(home) / "home")
        page = Browser()
        try:
            _take(page, robot)
        finally:
            page.close()
            robot.close()


if __name__ == "__main__":
    main()
