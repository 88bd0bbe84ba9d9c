# interpreters: micropython
"""A peer's characters do not stay in the heap."""

import gc

from harness import eq, raises
from umcp.errors import Violation
from umcp.types import Integer, Object, String

KIND = Object(
    (
        ("pattern", String(pattern="^[^a]*b$", optional=True)),
        ("fixed", String(pattern="^abc$", optional=True)),
        ("enum", String(enum=("a" * 20,), optional=True)),
        ("integer", Integer(optional=True)),
    )
)


def text(first, count):
    raw = bytearray()
    for c in range(first, first + count):
        raw += bytes((0xE0 | c >> 12, 0x80 | c >> 6 & 63, 0x80 | c & 63))
    return bytes(raw).decode()


def test_refused_characters_leave_nothing():
    def refuse(start):
        for name in ("pattern", "fixed", "enum", "integer"):
            for i in range(10):
                e = raises(Violation, KIND.check, {name: text(start + 20 * i, 20)})
                eq(e.path, "/" + name)
        gc.collect()
        return gc.mem_alloc()

    refuse(0x4E00)
    before = refuse(0x5000)
    assert refuse(0x5200) - before < 100
    assert refuse(0x5400) - before < 100
