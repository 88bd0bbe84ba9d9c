"""What a model has answered so far: text, and calls of tools."""

from micropython import const

from .errors import ModelError

MAX_TEXT = const(8192)  # bytes
MAX_ARGUMENTS = const(4096)  # bytes of a call
MAX_CALLS = const(16)


class Call:
    """One call of a tool.  id, name: str.  raw: bytearray, its arguments as JSON."""

    def __init__(self, key):
        self.key = key  # by which the pieces of a stream are told apart
        self.id = self.name = ""
        self.raw = bytearray()

    def add(self, text):
        """More of the arguments.  Raises ModelError."""
        self.raw.extend(text.encode())
        if len(self.raw) > MAX_ARGUMENTS:
            raise ModelError("too_large", "arguments of %s" % self.name)


class Answer:
    """calls: list of `Call`.  ended: bool, the model has said that it is at its end."""

    def __init__(self):
        self._text = bytearray()
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
        self.calls.append(Call(key))
        return self.calls[-1]

    def whole_call(self, id, name, arguments):
        """A call that came in one piece.  arguments: str, JSON.  Raises ModelError."""
        call = self.call(len(self.calls))
        call.id = id
        call.name = name
        call.add(arguments)
