# interpreters: cpython
"""The numbers by which modules know a server's header fields are those of the table.

A private constant leaves no name behind on MicroPython, so this is seen on CPython only.
"""

from harness import eq
from http1 import content, framing, guard, repeat, reply, request, router, site, target
from http1.names import bits, find, table

NAMES = (
    b"host",
    b"content-length",
    b"transfer-encoding",
    (b"connection", b"keep-alive"),
    (b"content-type", b"application/json"),
    (b"accept", b"application/json, text/event-stream"),
    b"authorization",
    b"origin",
    b"expect",
    b"mcp-session-id",
    b"mcp-protocol-version",
    b"mcp-method",
    b"mcp-name",
    b"last-event-id",
)
TABLE = table(NAMES)


def test_the_table_of_a_server():
    eq(request.names().table, TABLE)
    eq(request.names(b"me:80").table, table(((b"host", b"me:80"),) + NAMES[1:]))


def test_slots():
    for module, names in (
        (request, {"_HOST": b"host", "_LENGTH": b"content-length", "_SESSION": b"mcp-session-id"}),
        (request, {"_PROTOCOL": b"mcp-protocol-version", "_METHOD": b"mcp-method", "_NAME": b"mcp-name"}),
        (request, {"_LAST_EVENT": b"last-event-id"}),
        (framing, {"_HOST": b"host", "_CODING": b"transfer-encoding", "_CONNECTION": b"connection"}),
        (framing, {"_EXPECT": b"expect"}),
        (guard, {"_HOST": b"host", "_AUTHORIZATION": b"authorization", "_ORIGIN": b"origin"}),
        (site, {"_HOST": b"host", "_ORIGIN": b"origin"}),
        (content, {"_TYPE": b"content-type", "_ACCEPT": b"accept"}),
        (repeat, {"_LENGTH": b"content-length", "_AUTHORIZATION": b"authorization"}),
        (repeat, {"_METHOD": b"mcp-method", "_NAME": b"mcp-name"}),
    ):
        for constant, name in names.items():
            eq(
                (module.__name__, constant, getattr(module, constant)),
                (module.__name__, constant, find(TABLE, name)),
            )


def test_bits():
    eq(request._SPECIAL, bits(TABLE, b"transfer-encoding", b"connection", b"expect"))
    eq(request._ACCEPT, bits(TABLE, b"accept"))
    eq(repeat._NEEDED, bits(TABLE, b"content-length", b"authorization"))
    eq(repeat._SPECIAL, bits(TABLE, b"transfer-encoding", b"origin", b"expect"))
    eq(target._HOST, bits(TABLE, b"host"))
    for constant, name in (
        ("_HOST", b"host"),
        ("_TYPE", b"content-type"),
        ("_ACCEPT", b"accept"),
        ("_ORIGIN", b"origin"),
    ):
        eq((constant, getattr(router, constant)), (constant, bits(TABLE, name)))


def test_slots_of_a_reply():
    table = reply._NAMES.table
    for constant, name in (
        ("_TYPE", b"content-type"),
        ("_LENGTH_AT", b"content-length"),
        ("_CODING", b"transfer-encoding"),
        ("_CONNECTION", b"connection"),
    ):
        eq((constant, getattr(reply, constant)), (constant, find(table, name)))
