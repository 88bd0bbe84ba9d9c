# Generated from scan.py by `make viper`; do not edit.
"""A strict JSON checker: RFC 8259's grammar and UTF-8, with bounds, before anything is built in memory.

MicroPython's `json.loads` takes `{"yaw":10 20}`, `[1,]`, `01` and overlong UTF-8; a robot must not act on them.
One pass over the bytes, no allocation. Containers are the bits of one integer (1 = object), so the depth is at
most 30. `scan_viper.py` is this file for the native emitter, written by `make viper`.
"""


import micropython


# What may come next, as bits: 1 value, 2 key, 4 closing bracket, 8 comma, 16 colon.
@micropython.viper
def scan(buf, start: int, end: int, limits: int) -> int:
    """Check the JSON document in buf[start:end].

    limits: the greatest depth (at most 30) + 256 * the greatest number of values.
    Returns 0 if it is well formed, 1 if so and it holds a `\\u` escape of a surrogate,
    -1 if it is malformed, -2 if it is too deep or has too many values.
    """
    p = ptr8(buf)
    i = start
    most_depth = limits & 255
    values = limits >> 8
    depth = 0
    kinds = 0
    surrogates = 0
    expect = 1
    while i < end:
        c = p[i]
        i += 1
        if c == 32 or c == 10 or c == 13 or c == 9:
            continue
        if c == 34:
            if not expect & 3:
                return -1
            while True:
                if i >= end:
                    return -1
                c = p[i]
                i += 1
                if c == 34:
                    break
                if c < 32:
                    return -1
                if c == 92:
                    if i >= end:
                        return -1
                    c = p[i]
                    i += 1
                    if c == 117:
                        if end - i < 4:
                            return -1
                        if p[i] | 32 == 100 and p[i + 1] > 55:
                            surrogates = 1
                        for _ in range(4):
                            c = p[i] | 32
                            if not (48 <= p[i] <= 57 or 97 <= c <= 102):
                                return -1
                            i += 1
                    elif not (c == 34 or c == 92 or c == 47 or c == 98 or c == 102 or c == 110 or c == 114 or c == 116):
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
            if c == 123:
                kinds |= 1
                expect = 6
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
            continue
        else:
            if not expect & 1:
                return -1
            if c == 45 or 48 <= c <= 57:
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
                    i += 1
                    if i >= end or p[i] < 48 or p[i] > 57:
                        return -1
                    while i < end and 48 <= p[i] <= 57:
                        i += 1
                if i < end and p[i] | 32 == 101:
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
    return -1 if expect else surrogates
