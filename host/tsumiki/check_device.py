"""What a robot could not serve of a fixture: patterns, sizes, and numbers that it has no exact form of."""

import json

from stub.offered import OWN
from umcp.errors import LocalError
from umcp.pattern import compile
from umcp.schema import load

from .finding import ERROR, WARNING, Finding, pointer

_ENTRY = 24 * 1024 - 320  # bytes: one entry must fit a page of a list
_RESULT = 24 * 1024  # bytes
_ALL = 64 * 1024  # bytes of a fixture's text; all of it lies in the heap
_NAME = 64  # characters
_EXACT = 1 << 24  # single precision counts up to here


def findings(document):
    """list of `Finding`.  document: dict, which may be wrong in other ways."""
    found = []
    size = len(json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"))
    if size > _ALL:
        found.append(
            Finding(
                "FX017",
                WARNING,
                "",
                "has %d bytes; a robot without PSRAM has no room for more than %d" % (size, _ALL),
            )
        )
    for i, tool in enumerate(_entries(document, "tools")):
        path = pointer("", "tools", i)
        if isinstance(tool.get("name"), str) and len(tool["name"]) > _NAME:
            found.append(Finding("FX017", WARNING, path + "/name", "is longer than %d characters" % _NAME))
        for name in ("inputSchema", "outputSchema"):
            if isinstance(tool.get(name), dict):
                found += _patterns(tool[name], pointer(path, name), ERROR)
                found += _unchecked(tool, name, path)
    for name in ("tools", "resources", "resourceTemplates", "templates", "prompts"):
        for i, entry in enumerate(_entries(document, name)):
            found += _sizes(entry, pointer("", name, i))
    found += _numbers(document, "")
    return found


def patterns(document):
    """The patterns that a robot cannot run, as warnings: list of `Finding`."""
    found = []
    for i, tool in enumerate(_entries(document, "tools")):
        for name in ("inputSchema", "outputSchema"):
            if isinstance(tool.get(name), dict):
                found += _patterns(tool[name], pointer("", "tools", i, name), WARNING)
    return found


def _entries(document, name):
    entries = document.get(name, [])
    return (
        [entry if isinstance(entry, dict) else {} for entry in entries] if isinstance(entries, list) else []
    )


def _patterns(value, path, severity):
    if isinstance(value, list):
        for i, one in enumerate(value):
            yield from _patterns(one, pointer(path, i), severity)
    elif isinstance(value, dict):
        for name, one in value.items():
            at = pointer(path, name)
            if name == "pattern" and isinstance(one, str):
                try:
                    compile(one)
                except LocalError as e:
                    yield Finding("FX017", severity, at, "a robot cannot check it: %s" % e)
            elif name not in ("enum", "const", "default", "examples"):
                yield from _patterns(one, at, severity)


# What is left unchecked there, where arguments are checked.
def _unchecked(tool, name, path):
    if not tool.get("validate"):
        return
    try:
        load(tool[name])
    except LocalError as e:
        yield Finding("FX017", WARNING, pointer(path, name), "is not checked in full: %s" % e)


# All that is sent at once: an entry in its list, each outcome.
def _sizes(entry, path):
    listed = {name: value for name, value in entry.items() if name not in OWN}
    yield from _size(listed, path, _ENTRY)
    for name in ("result", "contents", "messages", "text", "blob"):
        yield from _size(entry.get(name), pointer(path, name), _RESULT)
    for name in ("cases", "sequence"):
        outcomes = entry.get(name)
        for i, one in enumerate(outcomes if isinstance(outcomes, list) else ()):
            yield from _size(one, pointer(path, name, i), _RESULT)


def _size(value, path, limit):
    size = len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"))
    if size > limit:
        yield Finding("FX017", ERROR, path, "has %d bytes; a robot sends at most %d" % (size, limit))


def _numbers(value, path):
    if isinstance(value, dict):
        for name, one in value.items():
            yield from _numbers(one, pointer(path, name))
    elif isinstance(value, list):
        for i, one in enumerate(value):
            yield from _numbers(one, pointer(path, i))
    elif isinstance(value, float) and (
        abs(value) > _EXACT or len(repr(value).replace(".", "").strip("-0")) > 6
    ):
        yield Finding("FX017", WARNING, path, "%r has more digits than a robot's numbers" % value)
