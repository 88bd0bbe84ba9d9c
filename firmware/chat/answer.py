"""What a model has answered so far: text, and calls of tools."""

from micropython import const

from .errors import ModelError

MAX_TEXT = const(8192)  # bytes
MAX_ARGUMENTS = const(4096)  # bytes of a call
MAX_CALLS = const(16)

_MAX_ALL = const(16384)  # bytes, of all calls
_MAX_ID = const(512)  # characters, of a name too


class Call:
    """One call of a tool.  id, name: str.  raw: bytearray, its arguments as JSON."""

    def __init__(self, key, spend):
        self.key = key  # by which the pieces of a stream are told apart
        self._spend = spend
        self.id = self.name = ""
        self.raw = bytearray()

    def named(self, id, name):
        """What came as its id and name: str; anything else, and "", says nothing.  Raises ModelError."""
        if isinstance(id, str) and id:
            if len(id) > _MAX_ID:
                raise ModelError("too_large", "the id of a call")
            self.id = id
        if isinstance(name, str) and name:
            self.name = name[:_MAX_ID]

    def add(self, text):
        """More of the arguments.  text: str; anything else says nothing.  Raises ModelError."""
        if not isinstance(text, str):
            return
        self._spend(len(text))
        self.raw.extend(text.encode())
        if len(self.raw) > MAX_ARGUMENTS:
            raise ModelError("too_large", "arguments of %s" % self.name)


class Answer:
    """calls: list of `Call`.  ended: bool, the model has said that it is at its end."""

    def __init__(self):
        self._text = bytearray()
        self._spent = 0
        self.calls = []
        self.ended = False

    @property
    def text(self):
        return self._text.decode()

    def add(self, text):
        """More text.  Raises ModelError."""
        self._text.extend(text.encode())
        if len(self._text) > MAX_TEXT:
            raise ModelError("too_large", "the answer")

    def call(self, key):
        """The call with that key (any value); a new one if there is none.  Raises ModelError."""
        for call in self.calls:
            if call.key == key:
                return call
        if len(self.calls) == MAX_CALLS:
            raise ModelError("too_large", "more than %d calls" % MAX_CALLS)
        self.calls.append(Call(key, self._spend))
        return self.calls[-1]

    def whole_call(self, id, name, arguments):
        """A call that came in one piece.  arguments: str, JSON.  Raises ModelError."""
        call = self.call(len(self.calls))
        call.named(id, name)
        call.add(arguments)

    def _spend(self, size):
        self._spent += size
        if self._spent > _MAX_ALL:
            raise ModelError("too_large", "the arguments of all calls")
