"""Strategies for JSON documents, sound and not, shared by the property tests."""

from hypothesis import strategies as st

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)
PIECES = st.sampled_from(
    b'{|}|[|]|,|:|"|"a"|"\\u0041"|"\\ud83d"|\\|\\u|0|1|-|.|e|+|1.5|-0|01|true|false|null|nul| |\n|\t|\x00|\xc3\xa9'
    b"|\xed\xa0\x80|\xff|\xf0\x9f\x98\x80|NaN|Infinity|\xef\xbb\xbf|'|/".split(b"|")
)
NOISE = st.one_of(st.lists(PIECES, max_size=14).map(b"".join), st.binary(max_size=20))


def refuse(name):
    """For json.loads: NaN and Infinity are no JSON."""
    raise ValueError(name)


# What a text becomes on our way in: a half of a surrogate pair is U+FFFD.
def mended(value):
    if isinstance(value, str):
        joined = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in joined)
    if isinstance(value, list):
        return [mended(v) for v in value]
    if isinstance(value, dict):
        return {mended(k): mended(v) for k, v in value.items()}
    return value
