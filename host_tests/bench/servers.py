"""The servers that are measured, and how each is started."""

import os
import sys
from pathlib import Path
from typing import NamedTuple

import interpreter
import mpy
from bench import load
from free_ports import free_port
from install import ROOT, VENV
from processes import Listener

HERE = Path(__file__).parent
_STARTUP = 30  # seconds; FastMCP takes a few
_HEAP = "16M"  # for runs without collections


class Spec(NamedTuple):
    """module: of this folder or of examples/.  arguments: `{port}` in one stands for its port.
    package: of CPython's, that it needs.  micropython: which interpreter runs it.
    constant: it answers everything alike.  modern: it speaks 2026-07-28.
    """

    name: str
    module: str
    arguments: tuple = ("{port}",)
    package: str = None
    micropython: bool = True
    constant: bool = False
    modern: bool = True


FLOOR = Spec("floor", "floor", constant=True)
OURS = Spec(
    "tsumiki",
    "tsumiki_server",
    (
        "{port}",
        "ram",
    ),
)
OURS_OFF = Spec(
    "tsumiki, no sessions",
    "tsumiki_server",
    (
        "{port}",
        "off",
    ),
)
MICRODOT = Spec("microdot", "microdot_server", package="microdot", modern=False)
FASTMCP = Spec("FastMCP", "fastmcp_server", micropython=False)
EXAMPLE = Spec("the example", "dummy_server", ("--port", "{port}", "--token", "test-token"))
ALL = (FLOOR, OURS, OURS_OFF, MICRODOT, FASTMCP)


class Server:
    """A running server of a `Spec`, with its session open.

    heap: True to have its heap measured.  heapsize: str, as in `96K`.
    """

    def __init__(self, spec, heap=False, heapsize=None):
        self.spec = spec
        self.port = free_port()
        self._control = free_port() if heap else None
        command, env = self._command(heapsize or (_HEAP if heap else None))
        try:
            self._program = Listener(command, env, _STARTUP, spec.module)
        except AssertionError as e:
            raise load.Failed(str(e)) from None
        self.pid = self._program.pid
        try:
            self.session = None if spec.constant else load.open_session(self.port)
        except Exception:
            self.close()
            raise

    def _command(self, heapsize):
        spec = self.spec
        arguments = [argument.replace("{port}", str(self.port)) for argument in spec.arguments]
        if not spec.micropython:
            return [sys.executable, HERE / (spec.module + ".py"), *arguments], dict(os.environ)
        command = [interpreter.need(), *(["-X", "heapsize=" + heapsize] if heapsize else [])]
        if self._control:
            command += [HERE / "heap_server.py", self._control]
        else:
            command += ["-m"]
        return [*command, spec.module, *arguments], micropython_env(spec.package)

    def plan(self, operation, **options):
        """A `load.Plan` for this server."""
        return load.Plan(operation, session=self.session, expected=not self.spec.constant, **options)

    def heap(self, command=b"c"):
        """Bytes of heap (in use now, when all was imported, before that); command: see heap_server.py."""
        with load.connect(self._control) as s:
            s.sendall(command)
            return tuple(int(word) for word in s.makefile("rb").readline().split())

    def output(self):
        """What it has printed, str."""
        return self._program.output()

    def close(self):
        self._program.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


def micropython_env(package=None):
    """Where MicroPython looks: the firmware and the examples compiled, and one package out of CPython's."""
    tree = mpy.build()
    path = [tree / "firmware", tree / "examples", HERE, *([_alone(package)] if package else []), ".frozen"]
    return dict(os.environ, MICROPYPATH=":".join(str(part) for part in path))


# A folder with nothing but the package: the others are not for MicroPython.
def _alone(package):
    found = next(VENV.glob("lib/python*/site-packages/" + package), None)
    if found is None:
        raise load.Failed("%s is missing: make bench installs it" % package)
    folder = ROOT / "build" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    link = folder / package
    if not link.exists():
        link.unlink(missing_ok=True)
        link.symlink_to(found)
    return folder
