"""JSON pointers (RFC 6901) for leaving parts of a value out of a comparison; a step `*` stands for any member."""

import copy


def without(value, pointers):
    """A copy of a JSON value in which what the pointers name is gone (of an array: is null)."""
    if not pointers:
        return value
    made = copy.deepcopy(value)
    for pointer in pointers:
        _drop(made, steps(pointer))
    return made


def steps(pointer):
    """The steps of a pointer: list of str.  Raises ValueError for one that does not begin with a slash."""
    if pointer and not pointer.startswith("/"):
        raise ValueError("a JSON pointer begins with /: %r" % pointer)
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def first_difference(a, b, path=""):
    """The pointer of the first place where two JSON values differ, or None. 1 is 1.0, and no boolean."""
    if isinstance(a, dict) and isinstance(b, dict):
        for name in sorted({*a, *b}):
            at = "%s/%s" % (path, name.replace("~", "~0").replace("/", "~1"))
            if name not in a or name not in b:
                return at
            found = first_difference(a[name], b[name], at)
            if found is not None:
                return found
        return None
    if isinstance(a, list) and isinstance(b, list):
        for i, (one, other) in enumerate(zip(a, b)):
            found = first_difference(one, other, "%s/%d" % (path, i))
            if found is not None:
                return found
        return None if len(a) == len(b) else "%s/%d" % (path, min(len(a), len(b)))
    return None if isinstance(a, bool) == isinstance(b, bool) and a == b else path or "/"


def _drop(value, path):
    if not path:
        return
    step, rest = path[0], path[1:]
    if isinstance(value, dict):
        for name in list(value) if step == "*" else [step] if step in value else []:
            if rest:
                _drop(value[name], rest)
            else:
                del value[name]
    elif isinstance(value, list):
        for i in (
            range(len(value))
            if step == "*"
            else [int(step)]
            if step.isdigit() and int(step) < len(value)
            else []
        ):
            if rest:
                _drop(value[i], rest)
            else:
                value[i] = None
