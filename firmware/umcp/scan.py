"""A strict JSON checker: RFC 8259's grammar and UTF-8, with bounds, before anything is built in memory.

MicroPython's `json.loads` takes `{"yaw":10 20}`, `[1,]`, `01` and overlong UTF-8; a robot must not act on them.
One pass over the bytes, no allocation. Containers are the bits of one integer (1 = object), so the depth is at
most 30. `scan_viper.py` is this file for the native emitter, written by `make viper`.
"""


# Under bytecode a buffer is its own pointer; `make viper` leaves these out of the twin.
def ptr8(buf):
    return buf


ptr16 = ptr8


# Which bytes say nothing but themselves in a string: 1.
PLAIN = bytes([1 if 31 < c < 128 and c != 34 and c != 92 else 0 for c in range(256)])


# What may come next, as bits: 1 value, 2 key, 4 closing bracket, 8 comma, 16 colon.
def scan(buf, start: int, end: int, limits: int, table, spans) -> int:
    """Check the JSON document in buf[start:end], and note where the wanted members of the object lie.

    limits: the greatest depth (at most 30) + 256 * the greatest number of values.
    table: bytes: the number of the wanted member whose own members are wanted too; the names of the first kind, each
    behind a byte with its length, and a zero; then those of the second kind, and a zero. They are numbered from 0.
    spans: array of unsigned 16-bit, three a name: start and end of the value, and what it is: 1 string, 2 string with
    an escape, 3 integer, 4 other number, 5 object, 6 array, 7 literal, 0 absent. Of a repeated name, the last counts.
    Returns 0 if the document is well formed, 1 if it is but one of these names is written with an escape (then look
    for them in a document without any), -1 if it is malformed, -2 if it is too deep or has too many values.
    """
    p = ptr8(buf)
    w = ptr8(table)
    o = ptr16(spans)
    t = ptr8(PLAIN)
    i = start
    most_depth = limits & 255
    values = limits >> 8
    depth = 0
    kinds = 0
    expect = 1
    escaped_name = 0
    # The wanted member whose value is next, those whose value is open at depth 1 and 2, and where the second kind of
    # names starts.
    slot = -1
    outer = -1
    inner = -1
    nested = 3 * w[0]
    j = 0
    k = 1
    while w[k]:
        k += w[k] + 1
        j += 3
    second = k + 1
    first_inner = j
    k = second
    while w[k]:
        k += w[k] + 1
        j += 3
    while j:
        j -= 1
        o[j] = 0
    while i < end:
        c = p[i]
        i += 1
        if c == 32 or c == 10 or c == 13 or c == 9:
            continue
        first = i - 1
        what = 7
        if c == 34:
            if not expect & 3:
                return -1
            what = 1
            while True:
                while i < end and t[p[i]]:
                    i += 1
                if i >= end:
                    return -1
                c = p[i]
                i += 1
                if c == 34:
                    break
                if c < 32:
                    return -1
                if c == 92:
                    what = 2
                    if i >= end:
                        return -1
                    c = p[i]
                    i += 1
                    if c == 117:
                        if end - i < 4:
                            return -1
                        for _ in range(4):
                            c = p[i] | 32
                            if not (48 <= p[i] <= 57 or 97 <= c <= 102):
                                return -1
                            i += 1
                    elif not (
                        c == 34
                        or c == 92
                        or c == 47
                        or c == 98
                        or c == 102
                        or c == 110
                        or c == 114
                        or c == 116
                    ):
                        return -1
                elif c > 127:
                    # RFC 3629 section 4: no overlong form, no surrogate, nothing past U+10FFFF.
                    low = 128
                    high = 191
                    left = 1
                    if c < 194 or c > 244:
                        return -1
                    if c >= 240:
                        left = 3
                        if c == 240:
                            low = 144
                        elif c == 244:
                            high = 143
                    elif c >= 224:
                        left = 2
                        if c == 224:
                            low = 160
                        elif c == 237:
                            high = 159
                    while left:
                        if i >= end:
                            return -1
                        c = p[i]
                        if c < low or c > high:
                            return -1
                        low = 128
                        high = 191
                        i += 1
                        left -= 1
            if expect & 2:
                expect = 16
                slot = -1
                k = 0
                if depth == 1:
                    k = 1
                    j = 0
                elif depth == 2 and outer == nested:
                    k = second
                    j = first_inner
                if k:
                    if what == 2:
                        escaped_name = 1
                    size = i - first - 2
                    while w[k]:
                        if w[k] == size:
                            m = 0
                            while m < size and p[first + 1 + m] == w[k + 1 + m]:
                                m += 1
                            if m == size:
                                slot = j
                                break
                        j += 3
                        k += w[k] + 1
                    if depth == 1 and slot == nested:
                        # Members of an earlier one of that name do not count.
                        k = second
                        j = first_inner
                        while w[k]:
                            o[j + 2] = 0
                            j += 3
                            k += w[k] + 1
                continue
        elif c == 58:
            if not expect & 16:
                return -1
            expect = 1
            continue
        elif c == 44:
            if not expect & 8:
                return -1
            expect = 2 if kinds & 1 else 1
            continue
        elif c == 123 or c == 91:
            if not expect & 1:
                return -1
            depth += 1
            values -= 1
            if depth > most_depth or values < 0:
                return -2
            kinds = kinds << 1
            expect = 5
            what = 6
            if c == 123:
                kinds |= 1
                expect = 6
                what = 5
            if slot >= 0:
                o[slot] = first
                o[slot + 2] = what
                if depth == 2:
                    outer = slot
                else:
                    inner = slot
                slot = -1
            continue
        elif c == 125 or c == 93:
            if not expect & 4:
                return -1
            # Bit 5 tells `}` from `]`.
            if (c >> 5 & 1) != (kinds & 1):
                return -1
            kinds = kinds >> 1
            depth -= 1
            expect = 12 if depth else 0
            if depth == 1 and outer >= 0:
                o[outer + 1] = i
                outer = -1
            elif depth == 2 and inner >= 0:
                o[inner + 1] = i
                inner = -1
            continue
        else:
            if not expect & 1:
                return -1
            if c == 45 or 48 <= c <= 57:
                what = 3
                if c == 45:
                    if i >= end:
                        return -1
                    c = p[i]
                    i += 1
                    if c < 48 or c > 57:
                        return -1
                if c == 48:
                    if i < end and 48 <= p[i] <= 57:
                        return -1
                else:
                    while i < end and 48 <= p[i] <= 57:
                        i += 1
                if i < end and p[i] == 46:
                    what = 4
                    i += 1
                    if i >= end or p[i] < 48 or p[i] > 57:
                        return -1
                    while i < end and 48 <= p[i] <= 57:
                        i += 1
                if i < end and p[i] | 32 == 101:
                    what = 4
                    i += 1
                    if i < end and (p[i] == 43 or p[i] == 45):
                        i += 1
                    if i >= end or p[i] < 48 or p[i] > 57:
                        return -1
                    while i < end and 48 <= p[i] <= 57:
                        i += 1
            elif c == 116 and end - i > 2 and p[i] == 114 and p[i + 1] == 117 and p[i + 2] == 101:
                i += 3
            elif c == 110 and end - i > 2 and p[i] == 117 and p[i + 1] == 108 and p[i + 2] == 108:
                i += 3
            elif (
                c == 102
                and end - i > 3
                and p[i] == 97
                and p[i + 1] == 108
                and p[i + 2] == 115
                and p[i + 3] == 101
            ):
                i += 4
            else:
                return -1
        values -= 1
        if values < 0:
            return -2
        expect = 12 if depth else 0
        if slot >= 0:
            o[slot] = first
            o[slot + 1] = i
            o[slot + 2] = what
            slot = -1
    return -1 if expect else escaped_name


def plain(buf, size: int) -> int:
    """1 if buf[:size], UTF-8, may stand between the quotes of a JSON string as it is, else 0.

    The byte ED may start a surrogate, which is no UTF-8; it counts as not plain.
    """
    p = ptr8(buf)
    for i in range(size):
        c = p[i]
        if c < 32 or c == 34 or c == 92 or c == 237:
            return 0
    return 1
