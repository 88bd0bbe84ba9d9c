"""tsumiki redact: take the secrets out of a cassette; `tsumiki record` does it before it writes.

    tsumiki redact old.ndjson cassettes/weather/paris.ndjson --redact env:WEATHER_TOKEN

Whole values go by the names of their members; parts of texts by what they look like, and wherever they stand if they
are known (a bearer token that was used, `env:NAME`). JSON in strings is looked into. Names inside an advertised schema
are no secrets. What was taken out is told by JSON pointers, so that a replay does not compare it.
"""

import argparse
import json
import os
import re
from dataclasses import replace
from fnmatch import fnmatchcase
from urllib.parse import quote

from .cassette import Writer, load
from .errors import Unreadable
from .redact_patterns import ASSIGNED, PATTERNS, SECRET_NAMES

REDACTED = "[redacted]"
DEFAULT = "default"
NONE = "none"

_MIN_VALUE = 4  # characters of a known secret: a shorter one is everywhere
_SCHEMAS = ("inputSchema", "outputSchema", "requestedSchema")
_PROSE = ("description", "title")
# Members of a property's schema that hold values of it.
_SAMPLES = ("default", "const", "enum", "examples")
# The protocol's own, or counts.
_HARMLESS = ("progresstoken", "maxtokens", "nextcursor")
_DEPTH = 200


class Redactor:
    """rules: list of str: a glob for names of members, `/a/json/pointer` (`*` for any member), `re:PATTERN`,
    `env:NAME`; `none` for no default rules.  count: int, what was taken out so far.

    Raises Unreadable for a rule that is none.
    """

    def __init__(self, rules=()):
        self.count = 0
        self.rules = [] if NONE in rules else [DEFAULT]
        self._names = () if NONE in rules else SECRET_NAMES
        self._patterns = () if NONE in rules else PATTERNS
        self._assigned = () if NONE in rules else (ASSIGNED,)
        self._values = set()
        self._pointers = []
        self._found = []
        for rule in rules:
            if rule not in (NONE, DEFAULT):
                self._add(rule)
                self.rules.append(rule)

    def _add(self, rule):
        kind, _, rest = rule.partition(":")
        if kind == "env" and rest:
            value = os.environ.get(rest)
            if value is None or not self.learn(value):
                raise Unreadable("env:%s: it is not set, or shorter than %d characters" % (rest, _MIN_VALUE))
        elif kind == "re" and rest:
            try:
                self._patterns = (*self._patterns, (re.compile(rest), REDACTED))
            except re.error as e:
                raise Unreadable("%s: %s" % (rule, e)) from None
        elif rule.startswith("/"):
            self._pointers.append(rule.split("/")[1:])
        else:
            self._names = (*self._names, rule.lower())

    def learn(self, value):
        """From now on this text (str) is a secret wherever it stands; False if it is too short to be one."""
        if len(value) < _MIN_VALUE:
            return False
        self._values.update({value, quote(value, safe=""), json.dumps(value)[1:-1]})
        return True

    def message(self, text):
        """A message, or what stands in its place, as str: (text, list of JSON pointers to what was taken out).

        A text with nothing to take out is the same, byte by byte. What is no JSON has no pointers.
        """
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            clean = self.text(text)
            self.count += clean != text
            return clean, []
        self._found = []
        if isinstance(value, (dict, list)):
            value = self._marked(value)
        value = self._walk(value, (), _Place())
        if not self._found:
            return text, []
        self.count += len(self._found)
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")), _tidy(self._found)

    def text(self, text, prose=False):
        """A text without what looks like a secret in it.  prose: bool, `token: ...` in it explains one."""
        for value in self._values:
            if value in text:
                text = text.replace(value, REDACTED)
        for pattern, instead in self._patterns:
            text = pattern.sub(instead, text)
        for pattern, instead in () if prose else self._assigned:
            text = pattern.sub(instead, text)
        return text

    # place: what is known of where the value stands.
    def _walk(self, value, at, place):
        if len(at) > _DEPTH:
            return self._taken(at)
        if isinstance(value, dict):
            return self._members(value, at, place)
        if isinstance(value, list):
            return [self._walk(one, (*at, str(i)), place) for i, one in enumerate(value)]
        if place.secret and value != REDACTED and not isinstance(value, bool) and value not in (None, ""):
            return self._taken(at)
        return self._string(value, at, place) if isinstance(value, str) else value

    def _members(self, value, at, place):
        found = {}
        for name, one in value.items():
            clean = self.text(name, True)
            if clean != name:
                self._taken(at)
            found[clean] = self._walk(one, (*at, name), place.below(name, self._is_secret(name, one)))
        return found

    def _string(self, value, at, place):
        clean = self._inner(value, place) if value[:1] in "{[" and len(value) > 2 else None
        if clean is None:
            clean = self.text(value, place.schema or place.prose)
        if clean != value:
            self._found.append(at)
        return clean

    # JSON in a string: written anew only if something was taken out of it; None if it is none.
    def _inner(self, value, place):
        try:
            inside = json.loads(value)
        except (ValueError, RecursionError):
            return None
        outside, self._found = self._found, []
        inside = self._walk(inside, (), place)
        changed, self._found = self._found, outside
        return json.dumps(inside, ensure_ascii=False) if changed else value

    def _is_secret(self, name, value):
        name = name.lower()
        if name in _HARMLESS or (name.endswith("tokens") and isinstance(value, (int, float))):
            return False
        return any(fnmatchcase(name, glob) for glob in self._names)

    def _taken(self, at):
        self._found.append(at)
        return REDACTED

    # What the rules name by a pointer.
    def _marked(self, value):
        for names in self._pointers:
            value = self._mark(value, names, ())
        return value

    def _mark(self, value, names, at):
        if not names:
            return value if value == REDACTED else self._taken(at)
        if isinstance(value, dict):
            wanted = _unescaped(names[0])
            return {
                name: self._mark(one, names[1:], (*at, name)) if names[0] == "*" or name == wanted else one
                for name, one in value.items()
            }
        if isinstance(value, list):
            return [
                self._mark(one, names[1:], (*at, str(i))) if names[0] in ("*", str(i)) else one
                for i, one in enumerate(value)
            ]
        return value


class _Place:
    """schema, properties: bool, inside a schema; inside its `properties`.  secret: bool, all of it is.  prose: bool."""

    __slots__ = ("named", "properties", "prose", "schema", "secret")

    def __init__(self, schema=False, properties=False, named=False, secret=False, prose=False):
        self.schema = schema
        self.properties = properties
        self.named = named  # the schema of a property with a secret's name
        self.secret = secret
        self.prose = prose

    def below(self, name, is_secret):
        """The place of a member."""
        if not self.schema:
            return _Place(name in _SCHEMAS, secret=(self.secret or is_secret), prose=name in _PROSE)
        if self.properties:
            return _Place(True, named=is_secret)
        if name == "properties":
            return _Place(True, True)
        return _Place(True, named=self.named, secret=self.secret or (self.named and name in _SAMPLES))


def _tidy(found):
    """JSON pointers (RFC 6901) to places, without what lies in another one."""
    kept = []
    for at in sorted(set(found), key=len):
        if not any(at[: len(other)] == other for other in kept):
            kept.append(at)
    return sorted("".join("/" + n.replace("~", "~0").replace("/", "~1") for n in at) for at in kept)


def _unescaped(name):
    return name.replace("~1", "/").replace("~0", "~")


def redacted_row(redactor, row):
    """The `cassette.Row` without secrets; what was taken out before stays told."""
    raw, pointers = redactor.message(row.raw)
    if pointers or row.redacted:
        pointers = sorted({*pointers, *(row.redacted or ())})
    return replace(row, raw=raw, redacted=pointers or None)


def add_arguments(parser):
    """Arguments of `tsumiki redact`."""
    parser.description, parser.formatter_class = __doc__, argparse.RawDescriptionHelpFormatter
    parser.add_argument("cassette", help="to read")
    parser.add_argument("out", help="to write")
    add_rules(parser)
    parser.add_argument("--force", action="store_true", help="replace OUT if it is there")


def add_rules(parser):
    """The option --redact."""
    parser.add_argument(
        "--redact",
        action="append",
        default=[],
        metavar="RULE",
        help="besides the usual: a glob for names (*pin*), a JSON pointer (/params/arguments/pin), env:NAME, "
        "re:PATTERN; none: no usual rules",
    )


def run(options):
    """`tsumiki redact`: returns the exit status."""
    found = load(options.cassette)
    redactor = Redactor(options.redact)
    writer = Writer(options.out, None, options.force)
    try:
        changed = sum(_section(found, i, redactor, writer) for i in range(len(found.headers) + 1))
        writer.commit()
    finally:
        writer.discard()
    print(
        "tsumiki: wrote %s (%d redacted in %d of %d messages)"
        % (options.out, redactor.count, changed, len(found.rows))
    )
    return 0


# Writes the rows behind one header, and the header; returns how many were changed.
def _section(found, number, redactor, writer):
    before = redactor.count
    rows = [row for row in found.rows if row.section == number]
    clean = [redacted_row(redactor, row) for row in rows]
    if number:
        header = dict(found.headers[number - 1])
        count = (header.get("redaction") or {}).get("count", 0) + redactor.count - before
        header["redaction"] = {"rules": redactor.rules, "count": count}
        writer.write_header(json.loads(redactor.message(json.dumps(header))[0]))
    for row in clean:
        writer.write(row)
    return sum(row.raw != one.raw for row, one in zip(rows, clean))
