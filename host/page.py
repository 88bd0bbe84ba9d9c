"""Write firmware/webpage.py, the page that the robot serves, from the sources in host/page.

All is put into one HTML document, with the firmware's own geometry table, and compressed.
"""

import base64
import gzip
import hashlib
import json
import re
import sys

from install import ROOT

sys.path.append(str(ROOT / "firmware"))

from robot import geometry

SOURCES = ROOT / "host" / "page"
WRITTEN = ROOT / "firmware" / "webpage.py"
MOST = 16 * 1024
SCRIPTS = ("client.js", "face.js", "robot.js", "forms.js", "page.js")
_PART = 1024
_PLACES = re.compile(r"/\*\{(.+?)\}\*/(?:null)?")
_NOTE = '''"""The page that the robot serves, compressed: generated from host/page by `make page`; do not edit."""
# ruff: noqa: E501

'''


def table():
    """The upper-case constants of `robot.geometry`, and its layout for a panel of that size: dict of JSON values."""
    found = {name: value for name, value in vars(geometry).items() if name.isupper()}
    return dict(found, LAYOUT=vars(geometry.Layout(geometry.WIDTH, geometry.HEIGHT)))


def document():
    """The page as one HTML document: str."""
    return _filled((SOURCES / "index.html").read_text("utf-8"))


def header_lines(html):
    """The header lines that go with it: bytes. The page may run what is in it, and ask where it came from."""
    policy = "; ".join(
        (
            "default-src 'none'",
            "script-src '%s'" % _digest(html, "script"),
            "style-src '%s'" % _digest(html, "style"),
            "connect-src 'self'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )
    lines = (
        ("Content-Type", "text/html; charset=utf-8"),
        ("Content-Encoding", "gzip"),
        ("Content-Security-Policy", policy),
        ("Cache-Control", "no-cache"),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
    )
    return b"".join(b"%s: %s\r\n" % (name.encode(), value.encode()) for name, value in lines)


def module(html):
    """The text of firmware/webpage.py."""
    data = gzip.compress(html.encode(), 9, mtime=0)
    if len(data) > MOST:
        raise ValueError("the page has %d bytes, %d may be" % (len(data), MOST))
    parts = [data[i : i + _PART] for i in range(0, len(data), _PART)]
    text = "# Header lines.\nLINES = (\n%s)\n" % "".join(
        "    %s\n" % _literal(line) for line in header_lines(html).splitlines(True)
    )
    text += "# What is compressed, in parts that one small block of memory holds.\nPARTS = (\n"
    return _NOTE + text + "".join('    b"%s",\n' % _escaped(part) for part in parts) + ")\n"


def _literal(line):
    return 'b"%s"' % line.decode().replace("\r\n", "\\r\\n")


# All of it: no spelling checker finds words in it.
def _escaped(data):
    return "".join("\\x%02x" % byte for byte in data)


def _filled(text):
    return _PLACES.sub(lambda found: _content(found.group(1)), text)


def _content(name):
    if name == "geometry":
        return json.dumps(table(), separators=(",", ":"))
    names = SCRIPTS if name == "script" else (name,)
    return "\n".join(_shorter((SOURCES / one).read_text("utf-8")) for one in names)


# Without indentation, empty lines and lines that are comments.
def _shorter(text):
    lines = [line.strip() for line in text.splitlines()]
    return _filled("\n".join(line for line in lines if line and not line.startswith("//")))


def _digest(html, tag):
    text = re.search("<%s[^>]*>(.*?)</%s>" % (tag, tag), html, re.S).group(1)
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def main():
    text = module(document())
    WRITTEN.write_text(text, "utf-8")
    print("firmware/webpage.py: %d bytes of page" % text.count("\\x"))


if __name__ == "__main__":
    main()
