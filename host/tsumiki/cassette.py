"""Cassettes: what an MCP client and a server said to each other, a JSON object a line (NDJSON).

    {"cassette": "tsumiki/cassette-v1", "server": "weather", "scenario": "paris", ...}      a header, if there is one
    {"direction": "c2s", "raw": "{\\"jsonrpc\\":\\"2.0\\", ...}"}                               a message as it was sent

A row has `direction` ("c2s" or "s2c") and `raw`; it may have `seq`, `t` (ms since the first), `ex` (number of the
exchange it belongs to), `http` (`status`, `type`, of an answer), `redacted` (JSON pointers of what was taken out) and
`scenario`. A header begins another recording, so that cassettes can be joined with `cat`. A raw that is no JSON (a
server's banner) is kept as it is. Bytes that are no UTF-8 are lone surrogates in raw, as Python's `surrogateescape` has
them.
"""

import json
import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from .cassette_row import C2S, S2C, Row, header_of, row_of
from .errors import Unreadable

__all__ = ("C2S", "MARK", "S2C", "Cassette", "Row", "Writer", "is_cassette", "load", "shown")

MARK = "tsumiki/cassette-v1"

_SHOWN = 60


@dataclass
class Cassette:
    """headers: list of dict.  rows: list of `Row`.  warnings: list of str, what was passed over and why."""

    path: Path
    headers: list = field(default_factory=list)
    rows: list = field(default_factory=list)
    warnings: list = field(default_factory=list)

    @property
    def redacted(self):
        """True if something was taken out of it."""
        return any(row.redacted for row in self.rows)


def is_cassette(path):
    """True for a folder of them, and for a file whose first line is one of a cassette.  Raises Unreadable."""
    if Path(path).is_dir():
        return True
    try:
        with open(path, "rb") as f:
            found = _value(f.readline(1 << 26))
    except OSError as e:
        raise Unreadable("%s: %s" % (path, e.strerror)) from None
    return isinstance(found, dict) and ("cassette" in found or "direction" in found)


def load(path, scenario=None):
    """Read a cassette.  path: a file; or a folder, in which `scenario` is SCENARIO.ndjson.  Returns a `Cassette`.

    scenario: str, of whose rows alone the cassette is to be, or None.  Raises Unreadable, naming the line. A last line
    that was cut is passed over with a warning.
    """
    path = Path(path)
    if path.is_dir():
        if scenario is None:
            raise Unreadable("%s is a folder: which --scenario of it?" % path)
        path, scenario = path / (scenario + ".ndjson"), None
    try:
        data = path.read_bytes()
    except OSError as e:
        raise Unreadable("%s: %s" % (path, e.strerror)) from None
    cassette = Cassette(path)
    _read(cassette, data)
    if scenario is not None:
        _choose(cassette, scenario)
    return cassette


def _read(cassette, data):
    lines = data.split(b"\n")
    for i, line in enumerate(lines):
        if not line.strip():
            continue
        value = _value(line)
        where = "%s, line %d" % (cassette.path, i + 1)
        if isinstance(value, dict) and "cassette" in value:
            if value["cassette"] != MARK:
                raise Unreadable("%s: cassettes of %.40r are not known here" % (where, value["cassette"]))
            cassette.headers.append(header_of(value, where))
        elif value is None and i == len(lines) - 1 and cassette.rows:
            cassette.warnings.append("%s: the line was cut, and is passed over" % where)
        else:
            cassette.rows.append(row_of(value, where, len(cassette.headers), i + 1))
    if not cassette.rows:
        raise Unreadable("%s: no recorded message in it" % cassette.path)


def _choose(cassette, scenario):
    names = {i + 1: header.get("scenario") for i, header in enumerate(cassette.headers)}
    rows = [row for row in cassette.rows if (row.scenario or names.get(row.section)) == scenario]
    if not rows:
        known = {str(name) for name in names.values() if name} | {
            row.scenario for row in cassette.rows if row.scenario
        }
        raise Unreadable(
            "%s: no scenario %s, but: %s" % (cassette.path, scenario, ", ".join(sorted(known)) or "none")
        )
    cassette.rows = rows


def _value(line):
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


class Writer:
    """A cassette that is being recorded: it is X.tmp until `commit`, which puts it in the place of X in one step.

    path: of X.  header: dict for a header row, or None for none; it may be filled in until the end.
    force: bool, X may be replaced.  Raises Unreadable if it may not, or cannot be written.
    count: int, rows so far.
    """

    def __init__(self, path, header=None, force=False):
        self.path = Path(path)
        self.header = None if header is None else dict({"cassette": MARK}, **header)
        self.count = 0
        if self.path.is_dir():
            raise Unreadable("%s is a folder" % self.path)
        self._temporary = self.path.with_name(self.path.name + ".tmp")
        if self.path.exists() and not force:
            raise Unreadable("%s is there already: --force replaces it" % self.path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = open(self._temporary, "wb" if force else "xb")
        except FileExistsError:
            raise Unreadable(
                "%s is there: a recording is under way, or was killed. --force discards it" % self._temporary
            ) from None
        except OSError as e:
            raise Unreadable("%s: %s" % (self._temporary, e.strerror)) from None

    def write(self, row):
        """Append a `Row`: it is in the temporary file when this returns."""
        if self._file is None:
            return
        self._file.write(_line(row.as_dict()))
        self._file.flush()
        self.count += 1

    def write_header(self, header):
        """Begin another recording in it.  header: dict with `cassette`."""
        self._file.write(_line(header))

    def commit(self):
        """Put it in its place; returns the path, or None if nothing was recorded: then nothing is changed.

        Raises OSError; what was recorded is in the temporary file still.
        """
        if self._file is None:
            return None
        if not self.count:
            self.discard()
            return None
        if self.header is not None:
            self._put_header()
        _sync(self._file)
        self._file.close()
        self._file = None
        os.replace(self._temporary, self.path)
        _sync_folder(self.path.parent)
        return self.path

    def discard(self):
        """Leave everything as it was."""
        if self._file is not None:
            self.leave()
            self._temporary.unlink(missing_ok=True)

    def leave(self):
        """Write nothing more, and leave what there is in the temporary file."""
        file, self._file = self._file, None
        with suppress(OSError):
            file.close()

    # It stands first, and tells what is known last.
    def _put_header(self):
        from shutil import copyfileobj  # late: replays start sooner

        self._file.close()
        whole = self._temporary.with_name(self.path.name + ".whole.tmp")
        with open(self._temporary, "rb") as rows:
            self._file = open(whole, "wb")
            self._file.write(_line(self.header))
            copyfileobj(rows, self._file)
        _sync(self._file)
        os.replace(whole, self._temporary)


def shown(text):
    """The beginning of a text on one line, for people; what a terminal obeys is left out."""
    plain = "".join(c if c.isprintable() else "?" for c in text[: _SHOWN + 1])
    return plain[:_SHOWN] + "..." if len(plain) > _SHOWN else plain


def _line(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=_escapes(value)).encode() + b"\n"


# A lone surrogate has no UTF-8; everything else is as readable as it was.
def _escapes(value):
    raw = value.get("raw", "")
    try:
        raw.encode()
    except UnicodeEncodeError:
        return True
    return False


def _sync(file):
    file.flush()
    os.fsync(file.fileno())


def _sync_folder(folder):
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
