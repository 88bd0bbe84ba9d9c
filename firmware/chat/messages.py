"""What a dialogue is made of, for the adapters of all providers: a list of these.

("user", text), ("assistant", text, calls), and after an assistant's calls one result each: ("tool", id, text, failed).
A call is (id, name, arguments), the arguments a str that is JSON of an object.
"""

from umcp.codec import dumps_text

USER = "user"
ASSISTANT = "assistant"
TOOL = "tool"


def size(message):
    """About how many characters a message has."""
    if message[0] == TOOL:
        return len(message[2])
    calls = message[2] if message[0] == ASSISTANT else ()
    return len(message[1]) + sum([len(call[2]) for call in calls])


def text(value):
    """A str as JSON, bytes."""
    return dumps_text(value)


def said(role, value):
    """`{"role":"user","content":"..."}`, bytes: the same for all providers."""
    return dumps_text(value, b'{"role":"%s","content":' % role, b"}")


def joined(members):
    """Yield the pieces of an array, bytes.  members: iterable of tuples, the pieces of each member."""
    before = b"["
    for pieces in members:
        yield before
        yield from pieces
        before = b","
    yield b"[]" if before == b"[" else b"]"
