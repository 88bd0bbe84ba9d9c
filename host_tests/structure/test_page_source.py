"""The page that the robot serves is the one in host/page, small, and of one piece."""

import gzip
import re

import page
from install import ROOT

HTML = page.document()


def _written():
    names = {}
    exec((ROOT / "firmware" / "webpage.py").read_text("utf-8"), names)
    return names


def test_the_page_is_up_to_date():
    # What is compressed may differ between versions of zlib.
    assert gzip.decompress(b"".join(_written()["PARTS"])).decode() == HTML, "run make page"
    assert _written()["LINES"] == page.header_lines(HTML), "run make page"


def test_it_is_written_alike_each_time():
    assert page.module(HTML) == page.module(page.document())


def test_it_is_small_and_in_small_parts():
    parts = _written()["PARTS"]
    assert sum(map(len, parts)) <= page.MOST
    assert max(map(len, parts)) <= 1024


def test_it_needs_nothing_else():
    assert re.findall(r"(?:src|href)=\"([^\"]*)\"", HTML) == ["data:,"]
    assert "http://" not in HTML and "https://" not in HTML and "/*{" not in HTML


def test_the_table_is_the_firmwares():
    from robot import geometry

    table = page.table()
    assert table["EYES"] == geometry.EYES and table["EFFECTS"] == geometry.EFFECTS
    assert table["LAYOUT"]["balloon"] == (8, 190, 304, 46)
