"""Paged lists: order, limits, and the cursors between pages (MCP: utilities, pagination)."""

import json

from harness import eq, raises
from umcp.errors import LocalError, RemoteError
from umcp.pages import Pages
from umcp.rpc import Message


class Entry:
    """Something to list; counts how often it was asked for."""

    asked = 0

    def __init__(self, name, size=0):
        self.raw = json.dumps({"name": name, "x": "x" * size}).encode()

    def listed(self):
        Entry.asked += 1
        return self.raw


def full(count, size=60, limit=720):
    pages = Pages("things", limit)
    for i in range(count):
        pages.add(b"%d" % i, Entry(str(i), size))
    return pages


def read(pages, cursor=None):
    """(names, next cursor as bytes or None) of one page."""
    result = json.loads(b"{%s}" % pages.members(cursor))
    assert set(result) <= {"things", "nextCursor"}
    cursor = result.get("nextCursor")
    return [one["name"] for one in result["things"]], cursor and cursor.encode()


def walk(pages):
    """The names on each page."""
    found = []
    cursor = None
    while True:
        names, cursor = read(pages, cursor)
        found.append(names)
        if cursor is None:
            return found


def test_an_empty_list_is_one_empty_page():
    eq(Pages("things", 720).members(None), b'"things":[]')


def test_a_large_page_is_kept_in_pieces():
    pages = full(40, 300, 24 * 1024)
    pieces = pages.members(None)
    assert pages.members(None) is pieces
    eq([len(piece) <= 4096 for piece in pieces], [True] * 4)
    names = [one["name"] for one in json.loads(b"{" + b"".join(pieces) + b"}")["things"]]
    eq(names, [str(i) for i in range(40)])
    alone = full(1, 8000, 24 * 1024).members(None)
    eq(len(json.loads(b"{" + b"".join(alone) + b"}")["things"]), 1)
    eq(type(full(20, 300, 24 * 1024).members(None)), bytes)


def test_entries_keep_their_order_and_place():
    pages = full(3)
    eq(walk(pages), [["0", "1", "2"]])
    pages.add(b"1", Entry("new"))
    eq(walk(pages), [["0", "new", "2"]])
    eq((pages.remove(b"0"), pages.remove(b"0")), (True, False))
    eq(walk(pages), [["new", "2"]])
    pages.add(b"0", Entry("0"))
    eq(walk(pages), [["new", "2", "0"]])
    eq(([json.loads(one.raw)["name"] for one in pages.all()], pages.get(b"9")), (["new", "2", "0"], None))
    assert pages.get(b"2") is pages.all()[1]
    pages.all().clear()
    eq(len(pages.all()), 3)


def test_pages_are_full_and_within_the_limit():
    pages = full(23)
    found = walk(pages)
    eq([name for names in found for name in names], [str(i) for i in range(23)])
    sizes = []
    cursor = None
    for _ in found:
        sizes.append(len(pages.members(cursor)))
        cursor = read(pages, cursor)[1]
    assert len(found) > 3 and max(sizes) <= 720 - 250, sizes
    # One more entry would not have fit on any but the last.
    assert all(size + len(Entry("00", 60).raw) + 1 > 400 for size in sizes[:-1]), sizes


def test_an_entry_that_fits_no_page_is_refused():
    pages = full(2)
    most = 400 - len(Entry("a").raw)
    raises(LocalError, pages.add, b"a", Entry("a", most + 1))
    raises(LocalError, pages.add, b"0", Entry("a", most + 1))
    eq(walk(pages), [["0", "1"]])
    pages.add(b"a", Entry("a", most))
    eq(walk(pages), [["0", "1"], ["a"]])


def test_the_pages_are_made_once_until_something_changes():
    pages = full(9)
    first = pages.members(None)
    cursor = read(pages)[1]
    before = Entry.asked
    assert pages.members(None) is first and pages.members(cursor) is pages.members(cursor)
    eq(Entry.asked, before)
    pages.changed()
    read(pages)
    eq(Entry.asked, before + 9)


def test_a_page_that_is_made_costs_no_memory():
    try:
        from micropython import heap_lock, heap_unlock
    except ImportError:
        heap_lock = heap_unlock = int  # CPython cannot tell.
    pages = full(9)
    first = pages.members(None)
    heap_lock()
    try:
        again = pages.members(None)
    finally:
        heap_unlock()
    assert again is first


def test_a_cursor_that_was_not_given_out_is_refused():
    pages = full(9)
    good = read(pages)[1]
    generation = good.split(b".")[0]
    for cursor in (
        b"",
        b"0",
        b"x",
        good + b".1",
        good + b" ",
        generation + b".0",
        generation + b".99",
        b"\xff",
    ):
        eq(raises(RemoteError, pages.members, cursor).code, -32602)
    for cursor in (b"", b"0", b"1.0"):
        eq(raises(RemoteError, full(1).members, cursor).code, -32602)


def test_a_cursor_from_before_a_change_is_refused():
    pages = full(9)
    for change in (
        lambda: pages.remove(b"8"),
        lambda: pages.add(b"0", Entry("0", 60)),
        lambda: pages.add(b"new", Entry("new", 60)),
        pages.changed,
    ):
        cursor = read(pages)[1]
        assert read(pages, cursor)[0]
        change()
        eq(raises(RemoteError, pages.members, cursor).code, -32602)


def test_the_list_method_reads_the_cursor_of_the_message():
    pages = full(9)
    cursor = read(pages)[1].decode()
    message = Message()

    def ask(params):
        raw = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "things/list", "params": params}).encode()
        message.parse(raw, 0, len(raw))
        return pages.list(message, None, None)

    for params in ({}, {"cursor": None}, {"_meta": {"cursor": "x"}}):
        assert ask(params) is pages.members(None)
    assert ask({"cursor": cursor}) is pages.members(cursor.encode())
    for wrong in ("", "x", 0, 1, [], {}, True, False, 1.5, "x" * 5000):
        eq(raises(RemoteError, ask, {"cursor": wrong}).code, -32602)
