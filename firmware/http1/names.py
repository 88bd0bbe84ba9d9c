"""The table of the names that `http1.fields` looks for, made and asked at leisure: a server has its own as a constant.

For each name: its length, the name in lower case, the length of its usual value, that value (none if empty); at the
end a zero.
"""


def table(names):
    """The table of at most 15 names in lower case (bytes), or pairs of a name and its usual value."""
    pairs = [(name, b"") if isinstance(name, bytes) else name for name in names]
    return b"".join([bytes((len(n),)) + n + bytes((len(v),)) + v for n, v in pairs]) + b"\0"


def find(table, name):
    """The slot of a name.  Raises ValueError."""
    return every(table).index(name)


def every(table):
    """The names, each at its slot: list of bytes."""
    found = []
    at = 0
    while table[at]:
        end = at + 1 + table[at]
        found.append(table[at + 1 : end])
        at = end + 1 + table[end]
    return found


def bits(table, *names):
    """The bits of these names, as in `Fields.present`."""
    return sum([1 << find(table, name) for name in names])
