"""What the robot needs of a heap where its modules are frozen, as in an image that is built for a board.

Runs where MICROPYTHON_DIR names a folder of MicroPython's source, 1.24 or later: it is built first.
"""

import os

import pytest

import frozen
from install import Failed
from structure import test_robot_memory as small

SOURCE = os.environ.get("MICROPYTHON_DIR")
# KB of 64-bit and of 32-bit words, for all that clients of both eras ask; 180 and 112 were enough on 1.26.
HEAPS = ((64, 184), (32, 116))


@pytest.mark.skipif(
    not SOURCE, reason="set MICROPYTHON_DIR to a checkout of MicroPython to build a frozen robot"
)
@pytest.mark.parametrize("bits, heap", HEAPS, ids=("64-bit", "32-bit"))
@pytest.mark.timeout(600)
def test_a_frozen_robot_in_a_small_heap(monkeypatch, bits, heap):
    program = frozen.build(SOURCE, bits)
    rams = frozen.measure(program)
    assert len(rams) == len(frozen.LAYERS) + 1 and all(rams), rams
    monkeypatch.setattr(small, "_command", lambda *given: _command(program, *given))
    small.test_a_robot_in_a_small_heap(heap, ())


def _command(program, heap, *script):
    path = ":".join([".frozen", *[str(path.parent) for path in small._modules()]])
    return [program, "-X", "heapsize=" + heap, *script], dict(os.environ, MICROPYPATH=path)


def test_what_is_no_source_is_refused(tmp_path):
    with pytest.raises(Failed, match="MICROPYTHON_DIR"):
        frozen.build(tmp_path)
