"""A firmware of three modules that says its version, each module for itself, when it is started by the real main.py."""

import re

from install import ROOT
from tsumiki.payload import Payload

MAIN = (ROOT / "firmware" / "main.py").read_bytes()
# The module that it starts.
ENTRY = re.search(rb"^(\w+)\.main\(\)", MAIN, re.M).group(1).decode() + ".py"
_APP = b"""import sys
import lib
from lib import one
VERSION = "%s"
def main():
    print("runs", VERSION, lib.VERSION, one.VERSION)
    if "said" in sys.modules:
        sys.modules["said"].append((VERSION, lib.VERSION, one.VERSION))
"""


def small(version, more=None, board="m5stack_core2", main=MAIN):
    """version: str.  more: {path: bytes} of further files."""
    said = b'VERSION = "%s"\n' % version.encode()
    files = {ENTRY: _APP % version.encode(), "lib/__init__.py": said, "lib/one.py": said + b"#" * 3000}
    files["lib/same.py"] = b"# the same in every version\n" * 50
    return Payload(board, version, dict(files, **(more or {})), main)
