"""Build unix MicroPython with the firmware frozen into it, and print what it takes of RAM by layer: frozen.py FOLDER

FOLDER holds MicroPython's source, 1.24 or later. On a device a frozen module keeps its bytecode, names and constants in
flash; what is left is the measure here. `--32` builds for 32-bit words, as an ESP32 has (needs gcc-multilib).
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from install import ROOT, Failed

_OFF = (
    "MICROPY_PY_FFI=0",
    "MICROPY_PY_BTREE=0",
    "MICROPY_PY_SSL=0",
    "MICROPY_SSL_MBEDTLS=0",
    "MICROPY_PY_THREAD=0",
)
_MANIFEST = 'include("$(MPY_DIR)/extmod/asyncio")\ninclude("%s/manifest.py")\n'
# What is imported together, in the order of the layers.
LAYERS = (
    ("asyncio", "asyncio"),
    (
        "umcp, http1, net",
        "mcpserver umcp.modern umcp.sealed umcp.resources umcp.types umcp.integer umcp.array",
    ),
    ("robot", "robot.robot robot.draw robot.face robot.head robot.voice robot.lights robot.senses"),
    (
        "its tools",
        "robot.tools_face robot.tools_head robot.tools_voice robot.tools_lights robot.tools_senses "
        "robot.tools_status robot.resources",
    ),
    ("app, config", "app config"),
)
_MEASURE = """
import gc, sys
for layer in sys.argv[1:]:
    gc.collect()
    before = gc.mem_alloc()
    for name in layer.split():
        __import__(name)
    gc.collect()
    print(gc.mem_alloc() - before)
gc.collect()
print(gc.mem_alloc())
"""


def build(source, bits=64):
    """Build it in build/; returns the path of the interpreter.  source: Path.  bits: 64 or 32.  Raises `Failed`."""
    port = Path(source) / "ports" / "unix"
    if not (port / "Makefile").exists():
        raise Failed("%s is no MicroPython source: set MICROPYTHON_DIR to a checkout of it" % source)
    out = ROOT / "build" / ("frozen-%d" % bits)
    out.mkdir(parents=True, exist_ok=True)
    manifest = out / "manifest.py"
    manifest.write_text(_MANIFEST % ROOT)
    march = "x64" if bits == 64 else "x86"
    _make(Path(source) / "mpy-cross")
    options = [
        "BUILD=%s" % (out / "unix"),
        "FROZEN_MANIFEST=%s" % manifest,
        "MPY_CROSS_FLAGS=-march=" + march,
    ]
    _make(port, *options, *_OFF, *([] if bits == 64 else ["MICROPY_FORCE_32BIT=1"]))
    return out / "unix" / "micropython"


def _make(folder, *options):
    done = subprocess.run(
        ["make", "-j%d" % (os.cpu_count() or 1), "-C", folder, *options], capture_output=True, text=True
    )
    if done.returncode:
        raise Failed("%s\nthe build in %s failed" % (done.stdout[-1500:] + done.stderr[-1500:], folder))


def measure(program):
    """Bytes of heap that each layer takes once it is imported, and of all in use at the end: list of int."""
    env = dict(os.environ, MICROPYPATH=".frozen")
    command = [program, "-c", _MEASURE, *[names for _, names in LAYERS]]
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=60)
    if done.returncode:
        raise Failed(done.stdout + done.stderr)
    return [int(line) for line in done.stdout.split()]


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "source", nargs="?", default=os.environ.get("MICROPYTHON_DIR"), help="or $MICROPYTHON_DIR"
    )
    parser.add_argument("--32", dest="bits", action="store_const", const=32, default=64, help="32-bit words")
    options = parser.parse_args(arguments)
    if not options.source:
        parser.error("where is MicroPython's source? Give its folder, or set MICROPYTHON_DIR")
    program = build(options.source, options.bits)
    print("%s\n%-20s %8s" % (program.relative_to(ROOT), "layer", "RAM"))
    for (layer, _), ram in zip((*LAYERS, ("all in use", "")), measure(program)):
        print("%-20s %8d" % (layer, ram))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Failed as e:
        sys.exit(str(e))
