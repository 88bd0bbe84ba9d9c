"""A head like the last one: a client sends the same one again and again, but for a few values.

What was admitted once need not be parsed again. The token is no part of what is remembered, and it is compared on every
request all the same. Content-Length, Mcp-Method and Mcp-Name may be others; whatever else differs goes the long way.
"""

from . import bearer

try:
    from .scan_viper import number, value_end
except (ImportError, SyntaxError, ValueError):  # as in fields.py
    from .scan import number, value_end

try:
    from micropython import const
except ImportError:
    const = int

_LENGTH = const(1)
_AUTHORIZATION = const(6)
_METHOD = const(11)
_NAME = const(12)
# What a request must have to be remembered, and what makes it too special: Transfer-Encoding, Origin, Expect.
_NEEDED = const(1 << 1 | 1 << 6)
_SPECIAL = const(1 << 2 | 1 << 7 | 1 << 8)


class Repeat:
    """guard: `http1.guard.Guard`. One for each reader; it may outlive a connection.

    size: int, the fewest bytes of a head like the one that is remembered; 0 for none.
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
        buf = fields.buf
        span = bearer.token_span(buf, fields.span(_AUTHORIZATION))
        gaps = [(span & 0xFFFF, span >> 16, _AUTHORIZATION)]
        self._token_size = self.size = (span >> 16) - (span & 0xFFFF)
        for slot in (_LENGTH, _METHOD, _NAME):
            if present & 1 << slot:
                span = fields.span(slot)
                gaps.append((span & 0xFFFF, span >> 16, slot))
        # What lies between the gaps, each with the slot of the gap behind it.
        self._pieces = []
        at = 0
        for start, end, slot in sorted(gaps) + [(request.size, 0, -1)]:
            self._pieces.append((bytes(buf[at:start]), slot))
            self.size += start - at
            at = end
        self.version = self.guard.version
        self.route = route

    def again(self, reader):
        """True if the head in a reader's buffer is like the remembered one and bears the token.

        Then nothing of the reader's request changes but the values in the gaps; what a handler wished is void. `size`
        bytes of it must have arrived, and a head must be remembered.
        """
        buf = reader.buf
        begun = reader.begun
        request = reader.request
        method = request.mcp_method
        name = request.mcp_name
        at = 0
        for piece, slot in self._pieces:
            end = at + len(piece)
            if end > begun or buf.find(piece, at, end) < 0:
                return False
            at = end
            if slot == _AUTHORIZATION:
                end += self._token_size
                token = at | end << 16
            elif slot == _LENGTH:
                end = value_end(buf, at, begun)
                length = number(buf, at | end << 16)
            elif slot >= 0:
                value = method if slot == _METHOD else name
                end = at + len(value)
                if buf.find(value, at, end) < 0 or end >= begun or buf[end] != 13:
                    end = value_end(buf, at, begun)
                    # White space around is no part of a value.
                    if end > at and (buf[at] <= 32 or buf[end - 1] <= 32):
                        return False
                    value = bytes(buf[at:end])
                    if slot == _METHOD:
                        method = value
                    else:
                        name = value
            at = end
        guard = self.guard
        if self.version != guard.version or not bearer.is_token(buf, token, guard.token):
            return False
        if not 0 <= length <= reader.max_body or at > reader.max_head:
            return False
        request.fields.buf = buf
        request.size = at
        request.length = length
        request.mcp_method = method
        request.mcp_name = name
        request.stops_with_peer = False
        reader.start = at
        reader.stop = at + length
        reader.route = self.route
        return True
