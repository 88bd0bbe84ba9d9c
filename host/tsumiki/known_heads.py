"""Heads of requests that were admitted before: what `http1.repeat` is on a robot, made for CPython.

A client sends the same few heads again and again. What stands for one is all of it but the token, which is no part of
what is remembered, and is compared, in constant time, on every request that needs one. Nothing is kept of a head with
Origin, Expect or chunks.
"""

from hmac import compare_digest

from http1 import bearer

_MOST = 256
_STARTS = 4
_AUTHORIZATION = 6
_LENGTH = 1 << 1
_SPECIAL = 1 << 2 | 1 << 7 | 1 << 8  # Transfer-Encoding, Origin, Expect
# What of a request is not its head's.
_OTHERS = ("fields", "known", "left", "stops_with_peer", "send", "close_stream", "allow")


class KnownHeads:
    """In the place of a `Reader`'s `Repeat`.  guard: `http1.guard.Guard`."""

    def __init__(self, guard):
        self._guard = guard
        self._forget()

    @property
    def size(self):
        """The fewest bytes of a head that may be known."""
        return 1

    @size.setter
    def size(self, value):
        """Nothing: a head is compared whole."""

    def learn(self, request, route):
        """Remember the head of a request that was admitted to a route."""
        fields = request.fields
        present = fields.present
        if request.authority or present & _SPECIAL or not present & _LENGTH:
            return
        start = end = 0
        if present & 1 << _AUTHORIZATION:
            span = bearer.token_span(fields.buf, fields.span(_AUTHORIZATION))
            start, end = span & 0xFFFF, span >> 16
            if not start:
                return  # of another scheme
        if self._version != self._guard.version or len(self._known) >= _MOST:
            self._forget()
        if start not in self._starts:
            self._starts = (start, *self._starts[: _STARTS - 1])
        state = {name: value for name, value in request.__dict__.items() if name not in _OTHERS}
        key = bytes(fields.buf[:start]) + bytes(fields.buf[end : request.size])
        self._known[start, key] = state, present, fields.usual, route

    def again(self, reader):
        """True if the head in a reader's buffer is one of the known, and bears the token if it must."""
        buf = reader.buf
        size = buf.find(b"\r\n\r\n", 0, reader.begun) + 4
        if size < 4 or self._version != self._guard.version:
            return False
        for start in self._starts:
            end = buf.find(b"\r", start) if start else 0
            found = self._known.get((start, bytes(buf[:start]) + bytes(buf[end:size])))
            if found is None:
                continue
            if found[-1].needs_token and not compare_digest(bytes(buf[start:end]), self._guard.token):
                return False
            self._restore(reader, size, *found)
            return True
        return False

    def _restore(self, reader, size, state, present, usual, route):
        request = reader.request
        request.__dict__.update(state)
        request.stops_with_peer = False
        fields = request.fields
        fields.buf = reader.buf
        fields.present = present
        fields.usual = usual
        fields.joined = None
        reader.route = route
        reader.start = size
        reader.stop = size + request.length

    def _forget(self):
        self._known = {}
        self._starts = ()
        self._version = self._guard.version
