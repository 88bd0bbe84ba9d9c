"""The findings of a fixture from the top down; `check_entry` looks at each tool, resource and prompt."""

import json

from stub.fixture import MARKERS, MCPSTUB

from . import check_device, check_entry
from .finding import ERROR, WARNING, Finding, pointer
from .redact import Redactor

_TOP = ("schema", "server", "instructions", "tools", "resources", "resourceTemplates", "templates", "prompts")
_OWN_TOP = ("protocol", "http", "cache")
_LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
# Option -> its members, each with what it must be.
_OPTIONS = {
    "protocol": {
        "eras": ("a list of legacy and modern", lambda v: _among(v, ("legacy", "modern"))),
        "versions": ("a list of %s" % ", ".join(_LEGACY), lambda v: _among(v, _LEGACY)),
    },
    "http": {
        "path": ("a path that begins with /", lambda v: isinstance(v, str) and v.startswith("/")),
        "token_env": ("the name of an environment variable", lambda v: isinstance(v, str) and v != ""),
        "session": ("off, optional or required", lambda v: v in ("off", "optional", "required")),
        "sse": ("never, accept or always", lambda v: v in ("never", "accept", "always")),
    },
    "cache": {
        "ttlMs": ("an integer of 0 or more", lambda v: type(v) is int and v >= 0),
        "cacheScope": ("public or private", lambda v: v in ("public", "private")),
    },
}
# key of the list -> (key of the entry, code of a duplicate)
_LISTS = {
    "tools": ("name", "FX004"),
    "resources": ("uri", "FX005"),
    "resourceTemplates": ("uriTemplate", "FX005"),
    "templates": ("uriTemplate", "FX005"),
    "prompts": ("name", "FX005"),
}


def findings(document, device=False):
    """The findings of a document (JSON value): list of `Finding`, in no order.  device: bool, for a robot too."""
    if not isinstance(document, dict):
        return [Finding("FX001", ERROR, "", "a fixture is an object")]
    found = []
    marker = document.get("schema")
    if marker not in MARKERS:
        found.append(Finding("FX002", ERROR, "/schema", "must be %s" % " or ".join(MARKERS)))
    strict = marker != MCPSTUB
    found += unknown(document, _TOP + (_OWN_TOP if strict else ()), "", strict)
    found += _identity(document.get("server"))
    if not isinstance(document.get("instructions", ""), str):
        found.append(Finding("FX020", ERROR, "/instructions", "must be a string"))
    for name, members in _OPTIONS.items():
        found += _options(document, name, members, strict)
    for name, (key, code) in _LISTS.items():
        found += _list(document, name, key, code, strict)
    found += _secrets(document)
    return found + (check_device.findings if device else check_device.patterns)(document)


def unknown(value, known, path, strict):
    """A finding for each member (of a dict) that is none of `known` and no `x-...`."""
    severity = ERROR if strict else WARNING
    for name in value:
        if name not in known and not name.startswith("x-"):
            yield Finding(
                "FX016", severity, pointer(path, name), "is no member known here; x-%s would be one" % name
            )


def _among(value, allowed):
    return isinstance(value, list) and value != [] and all(one in allowed for one in value)


def _identity(server):
    if server is None:
        yield Finding("FX003", WARNING, "/server", "is missing: the server is called stub")
        return
    if not isinstance(server, dict):
        yield Finding("FX003", ERROR, "/server", "must be an object with name and version")
        return
    for name in ("name", "version"):
        if not isinstance(server.get(name), str) or not server[name]:
            severity = WARNING if name not in server else ERROR
            yield Finding("FX003", severity, "/server/" + name, "must be a string that is not empty")


def _options(document, name, members, strict):
    if name not in document:
        return
    value = document[name]
    if not isinstance(value, dict):
        yield Finding("FX020", ERROR, "/" + name, "must be an object")
        return
    yield from unknown(value, members, "/" + name, strict)
    for member, (wanted, is_good) in members.items():
        if member in value and not is_good(value[member]):
            yield Finding("FX020", ERROR, pointer("/" + name, member), "must be " + wanted)


def _list(document, name, key, code, strict):
    entries = document.get(name, [])
    if not isinstance(entries, list):
        yield Finding("FX003", ERROR, "/" + name, "must be an array")
        return
    seen = {}
    for i, entry in enumerate(entries):
        path = pointer("", name, i)
        if not isinstance(entry, dict):
            yield Finding("FX003", ERROR, path, "must be an object with a %s" % key)
            continue
        value = entry.get(key)
        if not isinstance(value, str) or not value:
            yield Finding("FX003", ERROR, pointer(path, key), "must be a string that is not empty")
        elif value in seen:
            yield Finding(code, ERROR, pointer(path, key), "%s is that of %s already" % (value, seen[value]))
        else:
            seen[value] = path
        yield from check_entry.findings(entry, name, path, strict)


# As a recording would have them taken out.
def _secrets(document):
    shown = {k: v for k, v in document.items() if k != "http"}
    for path in Redactor().message(json.dumps(shown))[1]:
        yield Finding("FX018", ERROR, path, "looks like a secret, or tells whose home it is")
