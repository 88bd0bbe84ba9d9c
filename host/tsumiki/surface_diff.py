"""Two surfaces (`surface.Surface`): what has changed in their lists, and whom it breaks."""

from .schema_diff import BREAKING, INFO, ROUTING, Change, compare, same


def compare_lists(old, new):
    """(changes, notes): list of `schema_diff.Change`, and list of str on what could not be compared."""
    changes, notes = [], []
    for attribute, item in _COMPARE.items():
        was, now = getattr(old, attribute), getattr(new, attribute)
        if was is None and now is None:
            continue
        if was is None or now is None:
            silent = old if was is None else new
            notes.append("%s: not compared: %s does not tell them" % (attribute, silent.label))
            continue
        changes += _lists(attribute, was, now, item)
    changes += _identity(old, new)
    return changes, notes


def _lists(attribute, was, now, item):
    found = []
    what = attribute[:-1]
    for name in was:
        path = "%s/%s" % (attribute, name)
        if name not in now:
            found.append(Change(BREAKING, what + "-removed", path, "the %s is gone" % what))
        else:
            found += item(was[name], now[name], path)
    found += [
        Change(INFO, what + "-added", "%s/%s" % (attribute, name), "the %s is new" % what)
        for name in now
        if name not in was
    ]
    return found


def _tool(old, new, path):
    found = _words(old, new, path)
    schemas = [
        tool["inputSchema"] if isinstance(tool.get("inputSchema"), dict) else {} for tool in (old, new)
    ]
    found += compare(*schemas, path + "/inputSchema")
    found += _output(old.get("outputSchema"), new.get("outputSchema"), path + "/outputSchema")
    return found + _annotations(old.get("annotations"), new.get("annotations"), path + "/annotations")


def _output(was, now, path):
    if isinstance(was, dict) and isinstance(now, dict):
        return compare(was, now, path, "result")
    if isinstance(was, dict):
        return [Change(BREAKING, "output-removed", path, "no structured result is promised any more")]
    if isinstance(now, dict):
        return [Change(INFO, "output-added", path, "a structured result is promised")]
    return []


def _annotations(was, now, path):
    was, now = (value if isinstance(value, dict) else {} for value in (was, now))
    if same(was, now):
        return []
    if _reads_only(was) and not _reads_only(now):
        return [Change(BREAKING, "not-read-only", path, "it was read-only, and is not")]
    if not _destroys(was) and _destroys(now):
        return [Change(BREAKING, "destructive", path, "it was not destructive, and is")]
    names = sorted(name for name in {*was, *now} if not same([was.get(name)], [now.get(name)]))
    return [Change(INFO, "annotations", path, "changed: %s" % ", ".join(names))]


def _reads_only(annotations):
    return annotations.get("readOnlyHint") is True


# What says nothing may destroy (MCP, ToolAnnotations: the defaults).
def _destroys(annotations):
    return not _reads_only(annotations) and annotations.get("destructiveHint") is not False


def _prompt(old, new, path):
    found = _words(old, new, path)
    was, now = _arguments(old), _arguments(new)
    for name, needed in was.items():
        at = path + "/arguments/" + name
        if name not in now:
            found.append(Change(BREAKING, "removed", at, "%s is gone" % name))
        elif now[name] and not needed:
            found.append(Change(BREAKING, "required-gained", at, "%s is required now" % name))
        elif needed and not now[name]:
            found.append(Change(ROUTING, "required-lost", at, "%s is no longer required" % name))
    for name, needed in now.items():
        if name not in was:
            level, kind = (BREAKING, "added-required") if needed else (INFO, "added")
            found.append(Change(level, kind, path + "/arguments/" + name, "%s is new" % name))
    return found


def _arguments(prompt):
    listed = prompt.get("arguments")
    given = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return {str(one.get("name")): one.get("required") is True for one in given}


def _resource(old, new, path):
    found = _words(old, new, path, ("name", "title", "description"))
    if old.get("mimeType") != new.get("mimeType"):
        text = "mimeType was %s, is %s" % (old.get("mimeType"), new.get("mimeType"))
        found.append(Change(INFO, "mime-type", path + "/mimeType", text))
    return found


def _words(old, new, path, names=("title", "description")):
    return [
        Change(ROUTING, "words", "%s/%s" % (path, name), "%s has changed" % name)
        for name in names
        if not same([old.get(name)], [new.get(name)])
    ]


def _identity(old, new):
    found = []
    for name in ("name", "version"):
        was, now = old.identity.get(name), new.identity.get(name)
        if was and now and was != now:
            found.append(Change(INFO, "identity", "server/" + name, "was %s, is %s" % (was, now)))
    if old.instructions and new.instructions and old.instructions != new.instructions:
        found.append(Change(ROUTING, "words", "server/instructions", "instructions have changed"))
    return found


_COMPARE = {"tools": _tool, "resources": _resource, "templates": _resource, "prompts": _prompt}
