"""A headless Chromium, driven over a pipe by Playwright: see host_tests/js/browser.mjs."""

import base64
import json
import os
import shutil
import signal
import subprocess
import threading
import time

import pytest

import install

NAMES = ("chromium", "chromium-browser", "google-chrome")
REMEDY = "there is no Chromium: apt-get install chromium"
_SECONDS = 40


def chromium():
    """Its path: $CHROMIUM, or one of NAMES on the PATH; without one the test is skipped, but not under CI."""
    given = os.environ.get("CHROMIUM")
    path = given or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(REMEDY)
    return path


class Browser:
    """One browser with one page at a time. A method that is not here is one of Playwright's page, by its name there."""

    def __init__(self):
        command = [install.node(), "browser.mjs", chromium()]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=install.JS,
            text=True,
            start_new_session=True,
        )

    def __getattr__(self, name):
        return lambda *given: self.do(name, *given)

    def do(self, method, *given):
        """What Playwright's method returns, if it is JSON; an AssertionError says what went wrong."""
        watch = threading.Timer(_SECONDS, self._kill)
        watch.start()
        try:
            self._process.stdin.write(json.dumps([method, *given]) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        finally:
            watch.cancel()
        assert line, "the browser has ended, or did not answer %s" % method
        answer = json.loads(line)
        assert "error" not in answer, answer["error"]
        return answer.get("value")

    def open(self, url, **options):
        """A new page there.  options: of Playwright's browser context."""
        self.do("open", options)
        self.goto(url)

    def wait(self, expression):
        """Wait until an expression of JavaScript is true, and return its value."""
        end = time.monotonic() + _SECONDS
        while time.monotonic() < end:
            value = self.evaluate(expression)
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError("still not true: " + expression)

    def pixels(self, selector):
        """The pixels of a canvas: (width, height, bytes of RGBA)."""
        width, height, data = self.evaluate(
            """(() => {
            const canvas = document.querySelector("%s"), { width, height } = canvas;
            const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
            let text = "";
            for (let i = 0; i < data.length; i += 8192) text += String.fromCharCode(...data.subarray(i, i + 8192));
            return [width, height, btoa(text)];
            })()"""
            % selector
        )
        return width, height, base64.b64decode(data)

    def picture(self, **options):
        """A screenshot: bytes of PNG."""
        return base64.b64decode(self.screenshot(options))

    def close(self):
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._kill()
        self._process.stdout.close()

    def _kill(self):
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()
