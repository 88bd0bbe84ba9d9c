"""What the heap says, where an interpreter can tell: MicroPython, but CPython not at all, WebAssembly in part."""

import sys
from gc import collect

try:
    from gc import mem_alloc

    from micropython import heap_lock, heap_unlock
except ImportError:
    mem_alloc = None


def without_heap(call):
    """`call()`, which fails if it allocates. On CPython it is a call."""
    if mem_alloc is None:
        return call()
    heap_lock()
    try:
        return call()
    finally:
        heap_unlock()


def used():
    """Bytes that are in use; 0 where it cannot be told (WebAssembly collects between calls from JavaScript only)."""
    if mem_alloc is None or sys.platform == "webassembly":
        return 0
    collect()
    return mem_alloc()


def dice(seed=1):
    """An `rng(n) -> int in 0..n-1` that is the same everywhere."""
    state = seed

    def rng(n):
        nonlocal state
        state = (state * 4005 + 1) & 0x3FFFF
        return (state >> 4) % n

    return rng
