"""Processes of the tests: each in a group of its own, its output in a file, dead when its test is."""

import os
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import install
import interpreter
import mpy as compiled
import romfs
from free_ports import free_port

ROOT = install.ROOT
_SHOWN = 20000
_LISTENING = re.compile(rb"listening on (\S+):(\d+)")


def time_limit():
    """Seconds that one process of tests may take."""
    return float(os.environ.get("TSUMIKI_TEST_SECONDS", "60"))


def run_limited(command, env=None, cwd=None):
    """Run to the end, or to the time limit: (what went wrong or "", output)."""
    with tempfile.TemporaryFile() as out:
        process = _start(command, out, env, cwd)
        try:
            code = process.wait(time_limit())
            status = "the process ended with status %d" % code if code else ""
        except subprocess.TimeoutExpired:
            status = "the process was killed after %g s" % time_limit()
        finally:
            _kill(process)
        return status, _tail(out)


def _start(command, out, env, cwd):
    command = [str(c) for c in command]
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=env, cwd=cwd, start_new_session=True
    )


def _kill(process):
    """Kill the process and all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def _tail(out):
    end = out.seek(0, os.SEEK_END)
    out.seek(max(0, end - _SHOWN))
    return out.read().decode("utf-8", "replace")


class Listener:
    """A process that serves: it has printed `listening on HOST:PORT` when the constructor returns.

    command: list.  env: dict, the whole environment, or None for ours.
    """

    def __init__(self, command, env=None, seconds=20, name=None):
        self._out = tempfile.TemporaryFile()
        self._process = _start(command, self._out, env, ROOT)
        self.pid = self._process.pid
        self.host, self.port = self._wait(name or Path(command[1]).name, seconds)
        self.url = "http://%s:%d" % (self.host, self.port)

    def _wait(self, name, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            over = self._process.poll() is not None
            found = _LISTENING.search(os.pread(self._out.fileno(), _SHOWN, 0))
            if found:
                return found.group(1).decode(), int(found.group(2))
            if over:
                break
            time.sleep(0.01)
        said = self.output()
        self.close()
        raise AssertionError("%s does not listen; it said:\n%s" % (name, said))

    def output(self):
        """What it has printed so far, str."""
        return os.pread(self._out.fileno(), 1 << 20, 0).decode("utf-8", "replace")

    def running(self):
        return self._process.poll() is None

    def close(self):
        _kill(self._process)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


class RomServer(Listener):
    """A compiled module that serves, in a heap of `heapsize` KB besides the ROMFS image that it runs out of.

    module: Path of its .mpy, which has `async def main()`.  more: those of others that it imports.  args, seconds: as
    in `Server`.
    """

    def __init__(self, module, *args, heapsize, more=(), seconds=20):
        with tempfile.NamedTemporaryFile(suffix=".romfs") as f:
            f.write(romfs.image(more=(module, *more)))
            f.flush()
            port = free_port()
            command = [
                interpreter.need(),
                "-X",
                "heapsize=%d" % (heapsize * 1024 + f.tell()),
                ROOT / "host_tests" / "from_rom.py",
                f.name,
                module.stem,
                *(str(a).replace("{port}", str(port)) for a in args),
            ]
            super().__init__(command, dict(os.environ, MICROPYPATH=".frozen"), seconds, module.name)


class Server(Listener):
    """A MicroPython script that serves.

    script: str, relative to the repository.  args: `{port}` in one stands for a free port.
    heapsize: str, as in `96K`.  mpy: run the firmware compiled, from build/mpy.  env: dict, added to the environment.
    """

    def __init__(self, script, *args, heapsize=None, mpy=False, env=None, seconds=20):
        firmware = ROOT / "firmware"
        path = ROOT / script
        if mpy:
            firmware = compiled.build() / "firmware"
            path = compiled.runnable(script)
        port = free_port()
        command = [
            interpreter.need(),
            *(["-X", "heapsize=" + heapsize] if heapsize else []),
            path,
            *(str(a).replace("{port}", str(port)) for a in args),
        ]
        env = dict(interpreter.environment(firmware), **(env or {}))
        super().__init__(command, env, seconds, Path(script).name)
