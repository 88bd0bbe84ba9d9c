"""Stdio servers beside the simulated robot: each behind a `tsumiki proxy`, whose address and token the robot is told.

The robot finds them among its preferences, `servers.*` of firmware/chat/servers.py, for as long as the simulation runs.
"""

import json
import os
import re
import secrets
import shlex
import subprocess
import sys
import threading

from install import ROOT, Failed

_SECONDS = 20
_VARIABLE = "TSUMIKI_COMPANION"
_NAMES, _URLS, _TOKENS = _LISTS = ("servers.names", "servers.urls", "servers.tokens")


class Companion:
    """One of them, listening.  given: str, NAME='COMMAND'.  Raises `Failed`.

    name, url, token: str.
    """

    def __init__(self, given):
        self.name, _, line = given.partition("=")
        command = shlex.split(line)
        if not self.name or not command:
            raise Failed("--with %s: NAME='COMMAND', a stdio server" % given)
        self.url = None
        self.token = secrets.token_urlsafe(24)
        self._known = threading.Event()
        proxy = [
            sys.executable,
            "-m",
            "tsumiki",
            "proxy",
            "--listen",
            "127.0.0.1:0",
            "--token-env",
            _VARIABLE,
        ]
        env = dict(os.environ, PYTHONPATH=str(ROOT / "host"), PYTHONUNBUFFERED="1", **{_VARIABLE: self.token})
        self._process = subprocess.Popen(
            [*proxy, "--", *command], env=env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            errors="replace",
        )  # fmt: skip
        threading.Thread(target=self._read, daemon=True).start()
        self._known.wait(_SECONDS)
        if self.url is None:
            self.close()
            raise Failed("--with %s: the proxy does not listen" % given)

    def close(self):
        """End it, and what it has started."""
        self._process.terminate()
        try:
            self._process.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _read(self):
        for line in self._process.stderr:
            found = re.search(r"listening on \S+:\d+, (\S+)", line)
            if found and self.url is None:
                self.url = found.group(1)
                self._known.set()
            else:
                print("%s: %s" % (self.name, line.rstrip()), file=sys.stderr)
        self._known.set()


class Told:
    """The preferences of a robot that is told of companions; `close` makes them forget.

    home: Path, the robot's folder.  companions: list of `Companion`.  Raises `Failed`.
    """

    def __init__(self, home, companions):
        self._path = home / "config.json"
        home.mkdir(parents=True, exist_ok=True)
        values = self._read()
        self._before = {key: values.get(key) for key in _LISTS}
        names = list(values.get(_NAMES) or ())
        rows = [(list(values.get(key) or ()) + [""] * len(names))[: len(names)] for key in (_URLS, _TOKENS)]
        for one in companions:
            if one.name in names:
                raise Failed("--with %s: the robot has a server of that name" % one.name)
            names.append(one.name)
            rows[0].append(one.url)
            rows[1].append(one.token)
        self._write(dict(values, **dict(zip(_LISTS, (names, *rows)))))

    def close(self):
        """Put back what was there."""
        values = dict(self._read(), **self._before)
        self._write({key: value for key, value in values.items() if value is not None})

    def _read(self):
        try:
            values = json.loads(self._path.read_text("utf-8-sig"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as e:
            raise Failed("%s: %s" % (self._path, e)) from None
        return values if isinstance(values, dict) else {}

    def _write(self, values):
        new = self._path.with_name(self._path.name + ".tmp")
        new.touch(0o600)
        new.write_text(json.dumps(values), "utf-8")
        os.replace(new, self._path)
