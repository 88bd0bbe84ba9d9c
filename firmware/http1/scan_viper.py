# Generated from scan.py by `make viper`; do not edit.
"""A strict checker and finder for the header lines of an HTTP/1.1 message (RFC 9112 section 5).

One pass over the bytes, no allocation: every line is checked, and where the values of the wanted headers lie is
noted. `scan_viper.py` is this file for the native emitter, written by `make viper`.
"""

import micropython


# What a byte may be part of. 1: a field name, which is a token (RFC 9110 section 5.6.2), its colon right behind it
# (RFC 9112 section 5.1). 2: a value: visible characters, white space and obs-text (RFC 9110 section 5.5).
CLASSES = bytes(
    [
        (1 if 48 <= c <= 57 or 65 <= c <= 90 or 97 <= c <= 122 or c in b"!#$%&'*+-.^_`|~" else 0)
        | (2 if c == 9 or (c > 31 and c != 127) else 0)
        for c in range(256)
    ]
)


@micropython.viper
def scan(buf, span: int, table, spans) -> int:
    """Check the header lines in buf[span & 0xFFFF : span >> 16], each with its CR LF.

    table: bytes: for each wanted name its length, the name in lower case, the length of its usual value, that value
    (none if empty); a zero at the end.
    spans: array of unsigned 16-bit: the bits of the names that are there, and of those whose value is the usual one;
    then two for each name: start and end of the value without white space around.
    Returns -1 if a line is malformed, else the bits of the names that came more than once.
    """
    p = ptr8(buf)
    w = ptr8(table)
    o = ptr16(spans)
    t = ptr8(CLASSES)
    i = span & 0xFFFF
    end = span >> 16
    present = 0
    usual = 0
    repeated = 0
    slot = 0
    while i < end:
        name = i
        while t[p[i]] & 1:
            i += 1
        size = i - name
        if size == 0 or p[i] != 58:
            return -1
        i += 1
        while p[i] == 32 or p[i] == 9:
            i += 1
        value = i
        while t[p[i]] & 2:
            i += 1
        if p[i] != 13 or p[i + 1] != 10:
            return -1
        last = i
        while last > value and (p[last - 1] == 32 or p[last - 1] == 9):
            last -= 1
        i += 2
        k = 0
        slot = 0
        while w[k]:
            at = k + 1
            k = at + w[k]
            if k - at == size:
                j = 0
                while j < size and p[name + j] | 32 == w[at + j]:
                    j += 1
                if j == size:
                    bit = 1 << slot
                    if present & bit:
                        repeated |= bit
                        break
                    present |= bit
                    o[(slot << 1) + 2] = value
                    o[(slot << 1) + 3] = last
                    if w[k] and w[k] == last - value:
                        j = 0
                        while value + j < last and p[value + j] == w[k + 1 + j]:
                            j += 1
                        if value + j == last:
                            usual |= bit
                    break
            k += w[k] + 1
            slot += 1
    o[0] = present
    o[1] = usual
    return repeated


@micropython.viper
def head_end(buf, start: int, end: int) -> int:
    """Where the head in buf[start:end] ends, its empty line included; 0 if it does not yet, -1 for a bare LF LF."""
    p = ptr8(buf)
    i = start + 1
    while i < end:
        if p[i] == 10:
            if p[i - 1] == 10:
                return -1
            if i - start > 2 and p[i - 2] == 10 and p[i - 1] == 13:
                if p[i - 3] == 13:
                    return i + 1
                return -1
        i += 1
    return 0


@micropython.viper
def value_end(buf, start: int, end: int) -> int:
    """Where the characters end that a field's value may have, from `start` on in buf[:end]."""
    p = ptr8(buf)
    t = ptr8(CLASSES)
    while start < end and t[p[start]] & 2:
        start += 1
    return start


@micropython.viper
def number(buf, span: int) -> int:
    """The decimal number in buf[span & 0xFFFF : span >> 16], of one to nine digits; -1 for anything else."""
    p = ptr8(buf)
    i = span & 0xFFFF
    end = span >> 16
    if not i < end < i + 10:
        return -1
    n = 0
    while i < end:
        c = p[i]
        if c < 48 or c > 57:
            return -1
        n = n * 10 + c - 48
        i += 1
    return n


@micropython.viper
def bearer(buf, span: int) -> int:
    """Where the token of `Bearer TOKEN` in buf[span & 0xFFFF : span >> 16] starts; 0 if there is none.

    The scheme has no case, and white space follows it (RFC 9110 section 11.1).
    """
    p = ptr8(buf)
    w = ptr8(b"bearer")
    i = span & 0xFFFF
    end = span >> 16
    if end - i < 8:
        return 0
    for k in range(6):
        if p[i] | 32 != w[k]:
            return 0
        i += 1
    if p[i] != 32 and p[i] != 9:
        return 0
    while i < end and (p[i] == 32 or p[i] == 9):
        i += 1
    return i


@micropython.viper
def differ(buf, span: int, token, size: int) -> int:
    """0 if buf[span & 0xFFFF : span >> 16] equals token[:size], which is not empty.

    One pass over the presented bytes, whatever the two hold: its time tells only how many were presented.
    """
    p = ptr8(buf)
    t = ptr8(token)
    i = span & 0xFFFF
    end = span >> 16
    difference = (end - i) ^ size
    j = 0
    while i < end:
        difference |= p[i] ^ t[j]
        i += 1
        j += 1
        if j == size:
            j = 0
    return difference
