"""The setup page of the access point in headless Chromium, as wide as a phone: what it asks for is kept."""

import json

import pytest

from free_ports import free_port
from install import ROOT
from peers.browser import Browser, chromium
from processes import Server

PHONE = {"width": 375, "height": 700}


@pytest.fixture
def page():
    chromium()
    started = Browser()
    yield started
    started.close()


def test_a_phone_gives_the_robot_its_network(page, tmp_path):
    script = ROOT / "host_tests" / "peers" / "try_setup.py"
    server = Server(script, "{port}", free_port(), tmp_path)
    try:
        page.open(server.url + "/", viewport=PHONE)
        page.wait("document.querySelectorAll('#names option').length === 2")
        assert page.evaluate("document.querySelector('#hostname').value") == "tsumiki"
        assert (
            page.evaluate("document.querySelector('#parts').textContent")
            == "missing: imu: it does not answer"
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        page.fill("#name", "home")
        page.fill("#password", "short")
        page.press("#password", "Enter")
        page.wait("document.querySelector('#told').textContent.includes('8 to 63')")
        assert not (tmp_path / "config.json").exists()
        page.fill("#password", "long enough")
        page.fill("#hostname", "desk-robot")
        page.click("button")
        page.wait("document.querySelector('#told').textContent.startsWith('Saved.')")
        kept = json.loads((tmp_path / "config.json").read_text())
        wanted = {"wifi.names": ["home"], "wifi.passwords": ["long enough"], "wifi.hostname": "desk-robot"}
        assert kept == wanted
        # What the server refused is told there too, as every answer of 400.
        assert [text for kind, text in page.said() if kind == "error" and "400" not in text] == []
    finally:
        server.close()
