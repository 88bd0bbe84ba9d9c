"""A list that clients get in pages: tools, resources, templates, prompts.

    tools = Pages("tools", 24 * 1024)
    tools.add(b"echo", tool)       # whatever has listed() -> bytes, its entry as JSON
    tools.members(None)            # b'"tools":[{"name":"echo",...}]'

The pages are made once, when the first is asked for, and kept until something changes. A cursor is
"generation.page": one from before a change is refused, as any that was not given out (MCP pagination: an invalid
cursor is -32602; an empty one is a cursor like any other).
"""

from .errors import INVALID_PARAMS, LocalError, RemoteError
from .rpc import CURSOR

try:
    from micropython import const
except ImportError:
    const = int

_AROUND = const(
    320
)  # bytes of a page's answer beside its entries: the modern era says more than half of them


_WHOLE = const(7168)  # bytes: a page up to this is kept in one piece
_PIECE = const(4096)  # and of a larger one each piece


class Pages:
    """name: str, the member of the result that holds the entries.  limit: int, bytes of one page's answer."""

    def __init__(self, name, limit):
        self._name = name
        self._room = limit - _AROUND
        self._keys = []
        self._entries = {}
        self._pages = None
        self._generation = 0
        # Called with a key (bytes): its entry, or None.
        self.get = self._entries.get

    def add(self, key, entry):
        """Append an entry; one of that key is replaced, in its place.

        key: bytes.  entry: an object whose `listed()` is JSON bytes. Raises LocalError if that fits no page.
        """
        if len(entry.listed()) > self._room:
            raise LocalError("the entry of %s is over the limit of a page of %s" % (key.decode(), self._name))
        if key not in self._entries:
            self._keys.append(key)
        self._entries[key] = entry
        self.changed()

    def remove(self, key):
        """Take the entry of that key out; True if there was one."""
        if self._entries.pop(key, None) is None:
            return False
        self._keys.remove(key)
        self.changed()
        return True

    def all(self):
        """The entries in the order they were added, as a new list."""
        return [self._entries[key] for key in self._keys]

    def changed(self):
        """Make the pages anew when they are next asked for, and refuse the cursors given out so far."""
        self._pages = None
        self._generation += 1

    def list(self, message, session, peer):
        """The method that lists them (see `umcp.server`): the members of its result."""
        # What is there and is no string was not given out either.
        return self.members((message.text(CURSOR) or b"") if message.has(CURSOR) else None)

    def members(self, cursor):
        """The page at a cursor, or the first, as the members of a result: b'"tools":[...],"nextCursor":"..."'.

        A large page is a tuple of bytes that are to be joined, or sent one after another.
        cursor: bytes or None. Raises RemoteError -32602 for one that was not given out.
        """
        if self._pages is None:
            self._pages = self._make()
        if cursor is None:
            return self._pages[0]
        for i in range(1, len(self._pages)):
            if cursor == self._cursor(i):
                return self._pages[i]
        raise RemoteError(INVALID_PARAMS, "unknown cursor; list again without one")

    def _cursor(self, number):
        return b"%d.%d" % (self._generation, number)

    # As few pages as hold all entries within the limit.
    def _make(self):
        pages = [[]]
        size = 0
        for key in self._keys:
            raw = self._entries[key].listed()
            size += len(raw) + 1
            if size > self._room and pages[-1]:
                pages.append([])
                size = len(raw) + 1
            if pages[-1]:
                raw = b"," + raw
            pages[-1].append(raw)
        last = len(pages) - 1
        for i in range(last + 1):
            pages[i].insert(0, b'"%s":[' % self._name.encode())
            pages[i].append(b"]" if i == last else b'],"nextCursor":"%s"' % self._cursor(i + 1))
            pages[i] = join(pages[i])
        return pages


# One piece, or where it would be large a tuple of them: a small heap has no room for that. A new name (`_join`) would
# cost a small server 7 KB: the interpreter makes room for 590 more.
def join(raw):
    if sum([len(entry) for entry in raw]) <= _WHOLE:
        return b"".join(raw)
    pieces = []
    first = size = 0
    for i in range(len(raw)):
        size += len(raw[i])
        if size > _PIECE and i > first:
            pieces.append(b"".join(raw[first:i]))
            first = i
            size = len(raw[i])
    pieces.append(b"".join(raw[first:]))
    return tuple(pieces)
