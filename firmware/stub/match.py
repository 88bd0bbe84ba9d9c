"""What of a call's arguments a case asks for: the subset match of `when` (mcpstub/v1).

Objects match by the members that `when` names, arrays by length and position, numbers by value (1 is 1.0, and no
boolean), everything else by equality. A member that is absent is not null.
"""


def matches(when, value):
    """True if the JSON value has all that `when` (JSON value) asks for."""
    if type(when) is dict:
        if type(value) is not dict:
            return False
        for name in when:
            if name not in value or not matches(when[name], value[name]):
                return False
        return True
    if type(when) is list:
        if type(value) is not list or len(value) != len(when):
            return False
        return all([matches(when[i], value[i]) for i in range(len(when))])
    # The interpreters' True equals 1.
    if when is None or type(when) is bool:
        return value is when
    if type(when) is str:
        return type(value) is str and value == when
    return type(value) in (int, float) and value == when


def first(whens, value):
    """The index of the first `when` that matches, or -1.  whens: list of JSON values."""
    for i, when in enumerate(whens):
        if matches(when, value):
            return i
    return -1


def shadowed(whens):
    """Of the cases that can never come first: list of (index, index of the earlier one that takes all of its calls).

    An earlier `when` does so if it matches the later one, taken as arguments: whatever has the later one's members has
    the earlier one's too.
    """
    found = []
    for i in range(1, len(whens)):
        earlier = first(whens[:i], whens[i])
        if earlier >= 0:
            found.append((i, earlier))
    return found
