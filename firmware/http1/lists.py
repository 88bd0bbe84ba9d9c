"""Header fields in several lines, which are one value if the field is a list (RFC 9110 section 5.3).

And any field by its name, whether it has a slot or not.
"""

from .errors import HTTPError
from .names import every

# Any other field that is asked for may come once.
_LISTS = (b"accept", b"connection", b"transfer-encoding", b"expect")


def join(fields, start, end, repeated):
    """Give `Fields` the joined values of the names whose bits are in `repeated`, found in its buf[start:end].

    repeated: int, what `scan` returned: negative for a malformed line.  Raises HTTPError 400 for one, and for a field
    that is repeated and no list.
    """
    if repeated < 0:
        fields.present = 0
        raise HTTPError(400, "malformed header line", close=True)
    fields.usual &= ~repeated
    fields.joined = {}
    for slot, name in enumerate(every(fields.names.table)):
        if repeated >> slot & 1:
            if name not in _LISTS:
                raise HTTPError(400, "repeated header: %s" % name.decode(), close=True)
            fields.joined[slot] = fields.joined[name] = b", ".join(_values(fields.buf, start, end, name))


def value(buf, end, name):
    """The value of a field in the head buf[:end], its lines joined: bytes, or None.  name: bytes, in lower case."""
    values = _values(buf, 0, end, name)
    return b", ".join(values) if values else None


def _values(buf, start, end, name):
    lines = bytes(buf[start:end]).split(b"\r\n")
    size = len(name) + 1
    return [line[size:].strip() for line in lines if line[:size].lower() == name + b":"]
