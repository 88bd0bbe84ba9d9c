"""Whatever a board's module does as it is made: there is a board, which says what went wrong."""

import sys

from app import make_board
from harness import eq


class Module:
    def __init__(self, make):
        self.Board = make


def made(module):
    """(board, [what was logged])."""
    said = []
    if module is not None:
        sys.modules["board"] = module
    try:
        return make_board({}, lambda level, text, e=None: said.append((level, text))), said
    finally:
        sys.modules.pop("board", None)


def test_a_board():
    board, said = made(Module(lambda preferences: ("the board", preferences)))
    eq((board, said), (("the board", {}), []))


class _Failing:
    def __init__(self, error):
        self.error = error

    def __call__(self, preferences):
        raise self.error


def test_a_board_that_cannot_be_made():
    for error, why in (
        (OSError(116), "its bus is stuck"),
        (ValueError("invalid pin"), "invalid pin"),
        (MemoryError(), "MemoryError: MemoryError"),
        (TypeError("x"), "TypeError: x"),
    ):
        board, said = made(Module(_Failing(error)))
        eq((board.missing, board.found(), board.display), ({"board": why}, {}, None))
        eq(said, [("error", "the board cannot be made")])


def test_no_board_at_all():
    board, said = made(None)
    assert board.missing["board"].startswith("ImportError: "), board.missing
    eq(len(said), 1)
