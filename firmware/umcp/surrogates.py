"""Halves of characters past U+FFFF, which JSON writes as two escapes (RFC 8259 section 7)."""

_REPLACEMENT = b"\xef\xbf\xbd"  # U+FFFD


def join(raw):
    """The JSON in which escapes of surrogates are characters; a half without its other half becomes U+FFFD."""
    parts = []
    done = 0
    at = raw.find(b"\\")
    while at >= 0:
        code = _surrogate(raw, at)
        if not code:
            at = raw.find(b"\\", at + 2)
            continue
        parts.append(raw[done:at])
        low = _surrogate(raw, at + 6) if code < 0xDC00 else 0
        if low >= 0xDC00:
            parts.append(chr(0x10000 + (code - 0xD800) * 0x400 + low - 0xDC00).encode())
            done = at + 12
        else:
            parts.append(_REPLACEMENT)
            done = at + 6
        at = raw.find(b"\\", done)
    parts.append(raw[done:])
    return b"".join(parts)


# The surrogate that the escape at raw[at:] stands for, else 0.
def _surrogate(raw, at):
    if raw[at : at + 2] != b"\\u":
        return 0
    code = int(raw[at + 2 : at + 6], 16)
    return code if 0xD800 <= code < 0xE000 else 0


def mend(raw):
    """The bytes in which a lone surrogate of ours, ED A0..BF xx, is U+FFFD: it is no UTF-8."""
    at = raw.find(b"\xed")
    while at >= 0:
        if raw[at + 1] > 0x9F:
            raw = raw[:at] + _REPLACEMENT + raw[at + 3 :]
        at = raw.find(b"\xed", at + 3)
    return raw
