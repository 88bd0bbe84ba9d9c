"""Imports point down only, and what does I/O is in one place."""

import pytest

from install import ROOT
from structure.rules import violations


def test_no_import_points_up_or_sideways():
    assert not violations(ROOT), "\n" + "\n".join(violations(ROOT))


@pytest.mark.parametrize(
    "name, text, reason",
    [
        ("umcp/x.py", "import net.server", "umcp may not import net"),
        ("umcp/x.py", "from http1 import scan", "umcp may not import http1"),
        ("http1/x.py", "def f():\n    from umcp.codec import dumps", "http1 may not import umcp"),
        ("net/x.py", "from robot import face", "net may not import robot"),
        ("robot/x.py", "import config", "robot may not import app"),
        ("robot/x.py", "from drivers.scs import Bus", "robot may not import drivers"),
        ("drivers/x.py", "from umcp import errors", "drivers may not import umcp"),
        ("chat/x.py", "import stub", "chat may not import stub"),
        ("net/__init__.py", "def f():\n    return __import__('robot.face')", "net may not import robot"),
        ("umcp/x.py", "import asyncio", "umcp does no I/O: asyncio"),
        ("http1/x.py", "from time import ticks_ms", "http1 does no I/O: time"),
        ("umcp/x.py", "print(1)", "umcp prints nothing"),
        ("umcp/x.py", "import json", "only umcp.codec may import json"),
        ("robot/face.py", "import framebuf", "only robot.draw may import framebuf"),
        ("app.py", "import socket", "only net and boards.unix.pipe_bus may import socket"),
        ("app.py", "import asyncio\nasyncio.start_server(1)", "only net may use asyncio.start_server"),
        ("stub/x.py", "from asyncio import open_connection", "only net may use asyncio.open_connection"),
    ],
)
def test_a_wrong_import_is_found(tmp_path, name, text, reason):
    path = tmp_path / "firmware" / name
    path.parent.mkdir(parents=True)
    path.write_text(text)
    (tmp_path / "firmware" / "config.py").touch()
    assert [line.split(": ", 1)[1] for line in violations(tmp_path)] == [reason]


def test_what_points_down_is_allowed(tmp_path):
    texts = {
        "app.py": "import config, net.server\nfrom robot import face\nimport asyncio\nasyncio.run(1)",
        "config.py": "from umcp import codec",
        "net/server.py": "import socket, asyncio\nfrom http1 import head\nfrom .lines import read",
        "umcp/codec.py": "import json\nfrom . import scan\nfrom .errors import RemoteError",
        "umcp/codec_more.py": "import re, hashlib, binascii",
    }
    for name, text in texts.items():
        path = tmp_path / "firmware" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert violations(tmp_path) == []
