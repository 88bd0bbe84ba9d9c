# Generated from scan.py by `make viper`; do not edit.
"""A strict checker and finder for the header lines of an HTTP/1.1 message (RFC 9112 section 5).

One pass over the bytes, no allocation: every line is checked, and where the values of the wanted headers lie is
noted. `scan_viper.py` is this file for the native emitter, written by `make viper`.
"""


import micropython


@micropython.viper
def scan(buf, span: int, table, spans) -> int:
    """Check the header lines in buf[span & 0xFFFF : span >> 16], each with its CR LF.

    table: bytes: for each wanted name its length, the name in lower case, the length of its usual value, that value;
    a zero at the end.
    spans: array of unsigned 16-bit. Two a name: start and end of the value without white space around. Then two more:
    the bits of the names that are there, and of those whose value is the usual one.
    Returns -1 if a line is malformed, else the bits of the names that came more than once.
    """
    p = ptr8(buf)
    w = ptr8(table)
    o = ptr16(spans)
    i = span & 0xFFFF
    end = span >> 16
    present = 0
    usual = 0
    repeated = 0
    slot = 0
    while i < end:
        # The field name is a token (RFC 9110 section 5.6.2), and the colon follows at once (RFC 9112 section 5.1).
        name = i
        while True:
            c = p[i]
            if 97 <= c <= 122 or 65 <= c <= 90 or c == 45 or 48 <= c <= 57:
                i += 1
            elif c == 95 or c == 46 or c == 33 or 35 <= c <= 39 or c == 42 or c == 43 or c == 94 or c == 96:
                i += 1
            elif c == 124 or c == 126:
                i += 1
            else:
                break
        size = i - name
        if size == 0 or c != 58:
            return -1
        i += 1
        while p[i] == 32 or p[i] == 9:
            i += 1
        # The value: visible characters, white space and obs-text (RFC 9110 section 5.5).
        value = i
        while 31 < p[i] != 127 or p[i] == 9:
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
                    o[slot << 1] = value
                    o[(slot << 1) + 1] = last
                    if w[k] == last - value:
                        j = 0
                        while value + j < last and p[value + j] == w[k + 1 + j]:
                            j += 1
                        if value + j == last:
                            usual |= bit
                    break
            k += w[k] + 1
            slot += 1
    k = 0
    slot = 0
    while w[k]:
        k += w[k] + 1
        k += w[k] + 1
        slot += 2
    o[slot] = present
    o[slot + 1] = usual
    return repeated


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
