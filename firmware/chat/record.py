"""The decisions of a model, appended to a file as `tsumiki score` reads it (NDJSON, a line a decision):

    {"id":"17-2-1","context":[...],"offered":["say","move_head"],"expect":{"tool":..,"arguments":..},"got":{...}}

`expect` is what the tool took: the choice itself; what was chosen for the same tool after arguments that were refused
(then `retries` counts those in between); or null, no tool, where nothing came of it. It is a draft, for a person to
correct. Secrets are taken out: those that are known, and members that are called like one.
"""

import os

from micropython import const

from umcp.codec import dumps

from .messages import TOOL

REDACTED = "[redacted]"
MAX_BYTES = const(65536)  # of the two files together

_MAX_CONTEXT = const(2000)  # characters of a message
_MAX_PENDING = const(16)
_MIN_SECRET = const(4)
_SECRET_NAMES = ("password", "passwd", "secret", "token", "api_key", "apikey", "authorization", "credential")


class Recorder:
    """path: str, of the file; what is past half of MAX_BYTES goes to `<path>.old`.

    run: int or str, which tells this start of the robot from others.  secrets: function, of the known ones, str.
    log: log(level, text).
    """

    def __init__(self, path, run, secrets=None, log=None, max_bytes=MAX_BYTES):
        self._path = path
        self._run = run
        self._secrets = secrets or (lambda: ())
        self._log = log or (lambda level, text: None)
        self._max_bytes = max_bytes
        self._turn = 1
        self._number = 0
        self._refused = {}  # tool -> its line, whose arguments were refused
        self._lines = []

    def decided(self, asked, name, arguments, known, code):
        """A tool was chosen.  asked: messages and tools, as the model had them.  name: str.  arguments: dict or None.

        known: bool, there is such a tool.  code: str, of a refusal, "" of a failure, None: it was used.
        """
        self._number += 1
        got = {
            "tool": self._clean(name)[:64],
            "arguments": {} if arguments is None else self._clean(arguments),
        }
        held = self._refused.pop(name, None)
        if code == "invalid_arguments":
            if held is None:
                held = self._line(asked, got)
                held["retries"] = -1
            held["retries"] += 1
            self._refused[name] = held
            return
        if held is not None:
            held["expect"] = got
            held["retries"] += 1
            self._keep(held)
            return
        line = self._line(asked, got)
        line["expect"] = got if known else None
        self._keep(line)

    def over(self):
        """The turn is: write what was decided, all at once."""
        for held in self._refused.values():
            self._keep(held)
        lines = self._lines
        self._lines = []
        self._refused = {}
        self._turn += 1
        self._number = 0
        if lines:
            try:
                self._append(lines)
            except OSError as e:
                self._log("error", "%s cannot be written: %s" % (self._path, e))

    def _line(self, asked, got):
        return {
            "id": "%s-%d-%d" % (self._run, self._turn, self._number),
            "context": [self._message(one) for one in asked[0]],
            "offered": [self._clean(tool.name) for tool in asked[1]],
            "expect": None,
            "got": got,
        }

    def _message(self, one):
        text = one[2] if one[0] == TOOL else one[1]
        return {"role": one[0], "content": self._clean(text)[:_MAX_CONTEXT]}

    # Bytes by now: what the model is told later must not change it.
    def _keep(self, line):
        if len(self._lines) < _MAX_PENDING:
            self._lines.append(dumps(line))

    def _append(self, lines):
        try:
            size = os.stat(self._path)[6]
        except OSError:
            size = 0
        if size + sum([len(line) + 1 for line in lines]) > self._max_bytes // 2:
            try:
                os.rename(self._path, self._path + ".old")
            except OSError:
                pass  # There is none yet.
        with open(self._path, "ab") as f:
            for line in lines:
                if len(line) < self._max_bytes // 2:
                    f.write(line)
                    f.write(b"\n")

    def _clean(self, value):
        if isinstance(value, str):
            for secret in self._secrets():
                if len(secret) >= _MIN_SECRET:
                    value = value.replace(secret, REDACTED)
            return value
        if isinstance(value, dict):
            return {
                self._clean(name): REDACTED if _names_a_secret(name) else self._clean(member)
                for name, member in value.items()
            }
        return [self._clean(member) for member in value] if isinstance(value, list) else value


def _names_a_secret(name):
    low = name.lower().replace("-", "_")
    return any([word in low for word in _SECRET_NAMES])
