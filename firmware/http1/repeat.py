"""A head like the last one: a client sends the same one again and again, but for Content-Length.

What was admitted once need not be parsed again. The token is no part of what is remembered, and it is compared on every
request all the same; whatever else differs goes the long way.
"""

from .request import NAMES

try:
    from .scan_viper import number, repeats
except (ImportError, SyntaxError, ValueError):  # as in fields.py
    from .scan import number, repeats

# What makes a request too special to remember.
_SPECIAL = NAMES.bits(b"transfer-encoding", b"expect", b"origin")
_NEEDED = NAMES.bits(b"authorization", b"content-length")


class Repeat:
    """guard: `http1.guard.Guard`.  max_body: int, bytes. One for each reader; it may outlive a connection."""

    def __init__(self, guard, max_body):
        self._guard = guard
        self._max_body = max_body
        self.forget()

    def forget(self):
        """Remember nothing."""
        self.size = 0

    def learn(self, request, buf):
        """Remember the head of an admitted request, which is in buf."""
        fields = request.fields
        present = fields.present
        if request.authority or present & _SPECIAL or present & _NEEDED != _NEEDED:
            self.forget()
            return
        token = self._guard.token_span(request)
        self._token = token
        self._length = fields.span(b"content-length")
        self._version = self._guard.version
        self._head = bytearray(buf[: request.size])
        for i in range(token & 0xFFFF, token >> 16):
            self._head[i] = 0
        self.size = request.size

    def length(self, buf):
        """Bytes of body of the request in buf, if its head is like the remembered one and bears the token, else -1.

        `size` bytes of it must have arrived, and a head must be remembered.
        """
        if not repeats(buf, self.size, self._head, self._token, self._length):
            return -1
        if self._version != self._guard.version or not self._guard.is_token(buf, self._token):
            return -1
        length = number(buf, self._length)
        return length if length <= self._max_body else -1
