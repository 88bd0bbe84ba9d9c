"""The preferences of a robot on a serial port, checked by the firmware's own config.py before anything is written."""

import json
import re
import tempfile
from pathlib import Path

from .errors import Failed

PATH = "/config.json"
_SECRET = re.compile(r"token|key|pass|secret|psk", re.I)


class Settings:
    """device: an open `device.Device`.  warnings: list of str, what was wrong with the file that is there."""

    def __init__(self, device):
        try:
            import config  # in firmware/
        except ModuleNotFoundError as e:
            raise Failed(
                "only a clone of the repository can do this: its firmware/config.py has the keys"
            ) from e
        self._device = device
        self._folder = tempfile.TemporaryDirectory()
        path = Path(self._folder.name, "config.json")
        self._old = device.call("read", PATH)
        if self._old is not None:
            path.write_bytes(self._old)
        self._path = path
        self.warnings = []
        self._preferences = config.Preferences(str(path), lambda level, text: self.warnings.append(text))
        self.keys = config.KEYS
        self._before = self._known()

    def _known(self):
        return {key: self._preferences.get(key) for key in self.keys}

    def get(self, key):
        """The value of a key, or its default.  Raises `Failed` for an unknown one."""
        self._check(key)
        return self._preferences.get(key)

    def set(self, key, value):
        """Change a value here; None goes back to the default.  Raises `Failed` for what the firmware refuses."""
        self._check(key)
        try:
            self._preferences.set(key, value)
        except (TypeError, ValueError) as e:
            raise Failed("%s cannot be that: %s" % (key, e)) from e

    def _check(self, key):
        if key not in self.keys:
            some = [other for other in sorted(self.keys) if other.split(".")[0] == key.split(".")[0]]
            raise Failed(
                "there is no preference %s; there are: %s" % (key, ", ".join(some or sorted(self.keys)))
            )

    def changes(self):
        """What `save` will change, for a person to read: list of `KEY: OLD -> NEW`, secrets left out."""
        now = self._known()
        return ["%s: %s -> %s" % (key, shown(key, self._before[key]), shown(key, now[key], self._before[key]))
                for key in sorted(now) if now[key] != self._before[key]]  # fmt: skip

    def save(self):
        """Write the file on the robot in one step. A file that could not be read is kept as config.json.bad."""
        if self._path.with_name("config.json.bad").exists():
            self._device.replace(PATH + ".bad", self._old)
        self._device.replace(PATH, self._path.read_bytes())

    def close(self):
        self._folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


def is_secret(key):
    """Whether nobody is to see a key's value."""
    return bool(_SECRET.search(key))


def shown(key, value, before=None):
    """A value for a person to read: str. Of a secret only whether there is one, and whether it is another."""
    if value in (None, "", [], ()):
        return "(none)"
    if is_secret(key):
        return "(another)" if before not in (None, "", [], ()) else "(set)"
    return json.dumps(value, ensure_ascii=False)


def parsed(key, text, keys):
    """The value that a text stands for: JSON of the key's type, or the text itself where it is a str."""
    kind = keys[key][0] if key in keys else str
    if kind is str:
        return text
    try:
        return json.loads(text)
    except ValueError:
        if kind is list:
            return [word.strip() for word in text.split(",")]
        raise Failed(
            "%s takes %s, not %r" % (key, {bool: "true or false", int: "a whole number"}[kind], text)
        )
