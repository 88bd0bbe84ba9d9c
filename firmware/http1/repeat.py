"""A head like the last one: a client sends the same one again and again, but for Content-Length.

What was admitted once need not be parsed again. The token is no part of what is remembered, and it is compared on every
request all the same; whatever else differs goes the long way.
"""

from . import bearer

try:
    from .scan_viper import number, repeats
except (ImportError, SyntaxError, ValueError):  # as in fields.py
    from .scan import number, repeats

try:
    from micropython import const
except ImportError:
    const = int

_LENGTH = const(1)
_AUTHORIZATION = const(6)
# What a request must have to be remembered, and what makes it too special: Transfer-Encoding, Origin, Expect.
_NEEDED = const(1 << 1 | 1 << 6)
_SPECIAL = const(1 << 2 | 1 << 7 | 1 << 8)


class Repeat:
    """guard: `http1.guard.Guard`. One for each reader; it may outlive a connection.

    size: int, bytes of the head that is remembered; 0 for none.
    """

    def __init__(self, guard):
        self.guard = guard
        self.size = 0

    def learn(self, request, route):
        """Remember the head of a request that was admitted to a route."""
        fields = request.fields
        present = fields.present
        if request.authority or present & _SPECIAL or present & _NEEDED != _NEEDED:
            return
        token = bearer.token_span(fields.buf, fields.span(_AUTHORIZATION))
        self.token = token
        self.length = fields.span(_LENGTH)
        self.version = self.guard.version
        self.route = route
        self._head = fields.buf[: request.size]
        self._head[token & 0xFFFF : token >> 16] = bytes((token >> 16) - (token & 0xFFFF))
        self.size = request.size

    def again(self, reader):
        """True if the head in a reader's buffer is like the remembered one and bears the token.

        Then nothing of the reader's request changes but the length of its body; what a handler wished is void. `size`
        bytes of it must have arrived, and a head must be remembered.
        """
        buf = reader.buf
        guard = self.guard
        if not repeats(buf, self.size, self._head, self.token, self.length):
            return False
        if self.version != guard.version or not bearer.is_token(buf, self.token, guard.token):
            return False
        length = number(buf, self.length)
        if not 0 <= length <= reader.max_body:
            return False
        request = reader.request
        request.fields.buf = buf
        request.length = length
        request.stops_with_peer = False
        reader.start = self.size
        reader.stop = self.size + length
        reader.route = self.route
        return True
