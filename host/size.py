"""Print what each module of the firmware costs: bytes compiled, and RAM when it is imported on unix MicroPython.

RAM is the growth of the heap in use, after a collection, on importing the .mpy when all that it imports is there
already. Addresses are 64 bits wide there: an ESP32 takes about 0.7 of it, and frozen modules take less still.
"""

import subprocess
import sys
from importlib import import_module

import interpreter
import mpy
from imports import in_order, tree_modules
from install import ROOT, Failed

# main.py starts the robot as it is imported.
_NOT_IMPORTED = ("main",)
_MEASURE = """
import gc, sys
import asyncio, json, re, hashlib, binascii
for name in sys.argv[1:]:
    gc.collect()
    before = gc.mem_alloc()
    try:
        __import__(name)
        gc.collect()
        print(name, gc.mem_alloc() - before)
    except Exception as e:
        print(name, "-", repr(e))
"""


def measure(names, tree):
    """{name: (RAM in bytes, or None, and why)} for modules in the order given."""
    script = ROOT / "build" / "measure.py"
    script.write_text(_MEASURE)
    command = [interpreter.need(), script, *names]
    done = subprocess.run(command, capture_output=True, text=True, env=interpreter.environment(tree))
    if done.returncode:
        raise Failed(done.stdout + done.stderr)
    rows = {}
    for line in done.stdout.splitlines():
        name, ram, *why = line.split(" ", 2)
        rows[name] = (None if ram == "-" else int(ram), why[0] if why else "")
    return rows


def print_modules():
    """A line a module, and the sum of each package."""
    tree = mpy.build() / "firmware"
    modules = tree_modules(ROOT / "firmware")
    # Where there is an emitter the native twin is loaded instead.
    spare = [name for name in modules if name + "_viper" in modules]
    names = [name for name in in_order(modules) if name not in spare and name not in _NOT_IMPORTED]
    rams = measure(names, tree)
    print("%-28s %8s %8s" % ("module", ".mpy", "RAM"))
    sums = {}
    for name in names:
        compiled = (tree / modules[name].relative_to(ROOT / "firmware")).with_suffix(".mpy").stat().st_size
        ram, why = rams[name]
        print("%-28s %8d %8s%s" % (name, compiled, "-" if ram is None else ram, why and "  " + why))
        top = name.split(".")[0] if modules[name].parent != ROOT / "firmware" else "the rest"
        for key in (top, "all"):
            was = sums.get(key, (0, 0))
            sums[key] = (was[0] + compiled, was[1] + (ram or 0))
    print()
    for key in sorted(sums, key=lambda k: (k == "all", k)):
        print("%-28s %8d %8d" % (key, *sums[key]))


def print_working_set():
    """What the example server takes, measured from outside while it serves the mix of requests of the tests."""
    sys.path.insert(0, str(ROOT / "host_tests"))
    found = import_module("bench.working_set").measure()
    print("\nThe example server's heap, bytes, after collections:")
    print("%-28s %17d" % ("its imports at the start", found.imports))
    print("%-28s %17d" % ("imports while serving", found.late))
    print("%-28s %17d" % ("working set, idle", found.idle))
    print("%-28s %17d" % ("working set, the most", found.most))


def print_robot():
    """The same of the whole robot, on a board that only remembers, while clients of both eras use all of it."""
    found = import_module("structure.test_robot_memory").measure()
    print("\nThe robot's heap, bytes, after collections:")
    print("%-28s %17d" % ("its modules", found.modules))
    print("%-28s %17d" % ("working set, idle", found.idle))
    print("%-28s %17d" % ("working set, the most", found.most))
    print("%-28s %17d" % ("largest piece of its own", found.largest[1]))


def print_chat():
    """What a dialogue takes beside that, with two remote servers of fourteen tools each."""
    found = import_module("peers.chat_memory").measure()
    print("\nA dialogue's heap, its modules in flash, bytes, after collections:")
    print("%-28s %17d" % ("connected, 50 tools", found.connected))
    print("%-28s %17d" % ("after turns that used some", found.talked))


def main():
    print_modules()
    print_working_set()
    print_robot()
    print_chat()


if __name__ == "__main__":
    try:
        main()
    except Failed as e:
        sys.exit(str(e))
