"""`umcp.rpc.Message` on CPython, where `json` is ten times as fast as a scan of the bytes, and as strict.

What is not plainly a request or a notification takes the library's way, and so does whatever might be read otherwise:
escapes, NaN, white space around it.
"""

import json
from array import array

from umcp.codec import MAX_DEPTH
from umcp.rpc import ARGUMENTS, CURSOR, META, NAME, NOTIFICATION, REQUEST, URI, Message

_MOST = 32767  # bytes: what is written anew may be longer, and a span ends at 65535
_FEW = 4000  # commas: the library's limit of values is not reached
_MEMBERS = {NAME: "name", ARGUMENTS: "arguments", CURSOR: "cursor", URI: "uri", META: "_meta"}
_EMPTY = array("H", bytes(2 * len(Message().spans)))
_NONE = {}
# What a span is of.
_STRING = 1
_NUMBER = 4
_OBJECT = 5


# At most; strings count too.
def _depth(raw):
    return raw.count(b"{") + raw.count(b"[")


def _refuse(constant):
    raise ValueError(constant)


_scan = json.JSONDecoder(parse_constant=_refuse).scan_once


class FastMessage(Message):
    """See `Message`. Of what it reads, `buf` holds the name and the _meta alone, and `spans` where they are."""

    def __init__(self):
        super().__init__()
        self._params = None
        self._placed = True
        self._meta = None, b""

    def parse(self, buf, start, end):
        """See `Message.parse`."""
        placed = self._placed
        self._params = None
        self._placed = True  # by the library's way, which fills all spans
        raw = bytes(buf) if start == 0 and end == len(buf) else bytes(buf[start:end])
        if len(raw) > _MOST or b"\\" in raw or raw.count(b",") > _FEW or _depth(raw) > MAX_DEPTH:
            return super().parse(buf, start, end)
        try:
            text = raw.decode()
            message, size = _scan(text, 0)
        except (ValueError, StopIteration, RecursionError):
            return super().parse(buf, start, end)
        if size != len(text) or type(message) is not dict:
            return super().parse(buf, start, end)
        id_ = message.get("id")
        method = message.get("method")
        params = message.get("params", _NONE)
        known = type(id_) in (int, str) or "id" not in message
        if (
            message.get("jsonrpc") != "2.0"
            or type(method) is not str
            or type(params) is not dict
            or not known
        ):
            return super().parse(buf, start, end)
        self._params = params
        self._placed = placed
        self.method = method.encode()
        self._place(params)
        if id_ is None:
            self.id = None
            return NOTIFICATION
        self.id = b"%d" % id_ if type(id_) is int else json.dumps(id_, ensure_ascii=False).encode()
        return REQUEST

    # The spans that the newest era looks at, in a buffer of what they are of. Without a _meta none are looked at.
    def _place(self, params):
        spans = self.spans
        if self._placed:
            spans[:] = _EMPTY
        self.buf = b""
        meta = params.get("_meta", _NONE)
        self._placed = meta is not _NONE
        if not self._placed:
            return
        if self._meta[0] != meta or type(meta) is not dict:
            self._meta = meta, json.dumps(meta, ensure_ascii=False, separators=(",", ":")).encode()
        parts = self._meta[1]
        spans[META + 1] = len(parts)
        spans[META + 2] = _OBJECT if type(meta) is dict else _NUMBER
        for place in (NAME, URI):
            value = params.get(_MEMBERS[place])
            if type(value) is str:
                spans[place] = len(parts)
                parts += b'"%s"' % value.encode()
                spans[place + 1] = len(parts)
                spans[place + 2] = _STRING
        self.buf = parts

    def has(self, member):
        """See `Message.has`."""
        if self._params is None:
            return super().has(member)
        return self._params.get(_MEMBERS[member]) is not None

    def text(self, member):
        """See `Message.text`."""
        if self._params is None:
            return super().text(member)
        value = self._params.get(_MEMBERS[member])
        return value.encode() if type(value) is str else None

    def object(self, member):
        """See `Message.object`."""
        if self._params is None:
            return super().object(member)
        value = self._params.get(_MEMBERS[member])
        return value if type(value) is dict else {} if value is None else None

    def params(self):
        """See `Message.params`."""
        return super().params() if self._params is None else self._params
