"""Sessions in their three settings: what an id is, when it is unknown, and what is remembered."""

from binascii import hexlify, unhexlify

import serving  # noqa: F401, random bytes where the interpreter has none

from harness import eq, raises
from umcp.errors import INVALID_REQUEST, RemoteError
from umcp.off import Off
from umcp.ram import Ram
from umcp.sealed import Sealed, hmac_sha256, sealed
from umcp.session import Session, capability_bits
from umcp.version import LEGACY

KEY = b"k" * 32
V = "2025-06-18"


def stores():
    return Ram(), Sealed(KEY)


def status(call, *args):
    e = raises(RemoteError, call, *args)
    eq(e.code, INVALID_REQUEST)
    return e.status


def test_an_id_is_visible_ascii_and_never_the_same():
    for store in stores():
        ids = {store.open(V, 0, b"p", 0) for _ in range(8)}
        eq(len(ids), 8)
        for id in ids:
            assert len(id) >= 32 and all(0x21 <= c <= 0x7E for c in id), id


def test_a_session_holds_what_was_negotiated():
    for store in stores():
        for version in LEGACY:
            for bits in range(8):
                session = store.find(store.open(version, bits, b"p", 0), None, b"p", 0)
                eq((session.version, session.capabilities, session.principal), (version, bits, b"p"))


def test_without_an_id_it_is_400_and_with_an_unknown_one_404():
    for store in stores():
        id = store.open(V, 0, b"p", 0)
        eq(status(store.find, None, None, b"p", 0), 400)
        for other in (
            b"",
            b"x",
            b"0" * len(id),
            id + b"00",
            id[:-2],
            id[:-1],
            b" " + id,
            hexlify(id),
            b"\xff" * 52,
        ):
            eq(status(store.find, other, None, b"p", 0), 404)
        assert store.find(id, None, b"p", 0)


def test_a_session_belongs_to_the_credential_that_opened_it():
    for store in stores():
        id = store.open(V, 0, b"p", 0)
        eq(status(store.find, id, None, b"q", 0), 404)
        store.find(id, None, b"p", 0)
        eq(status(store.find, id, None, b"q", 0), 404)
        eq(status(store.close, id, b"q", 0), 404)
        assert store.find(id, None, b"p", 0)


def test_a_closed_session_is_unknown():
    for store in stores():
        id, other = store.open(V, 0, b"p", 0), store.open(V, 0, b"p", 0)
        store.close(id, b"p", 0)
        eq(status(store.find, id, None, b"p", 0), 404)
        eq(status(store.close, id, b"p", 0), 404)
        eq(status(store.close, None, b"p", 0), 400)
        assert store.find(other, None, b"p", 0)


def test_every_changed_digit_of_a_sealed_id_is_noticed():
    store = Sealed(KEY)
    id = store.open(V, 1, b"p", 0)
    for i in range(len(id)):
        other = b"%x" % (15 - int(id[i : i + 1], 16))
        eq(status(store.find, id[:i] + other + id[i + 1 :], None, b"p", 0), 404)


def test_a_sealed_id_has_one_spelling():
    store = Sealed(KEY)
    id = b""
    while id.upper() == id:
        id = store.open(V, 0, b"p", 0)
    eq(status(store.find, id.upper(), None, b"p", 0), 404)
    store.close(id, b"p", 0)
    eq(status(store.find, id.upper(), None, b"p", 0), 404)


def test_a_sealed_session_survives_a_restart_with_the_same_key():
    id = Sealed(KEY).open(V, 5, b"p", 0)
    session = Sealed(KEY).find(id, None, b"p", 10**9)
    eq((session.version, session.capabilities), (V, 5))
    eq(status(Sealed(b"l" * 32).find, id, None, b"p", 0), 404)
    eq(status(Ram().find, id, None, b"p", 0), 404)


def test_a_seal_is_an_hmac_of_body_and_credential():
    raw = unhexlify(Sealed(KEY).open(V, 5, b"p", 0))
    eq((len(raw), raw[:2]), (26, bytes((LEGACY.index(V), 5))))
    eq(raw[10:], hmac_sha256(KEY, raw[:10] + b"p")[:16])


def test_hmac_is_that_of_rfc_4231():
    for key, text, wanted in (
        (b"\x0b" * 20, b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        (
            b"Jefe",
            b"what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        ),
        (
            b"\xaa" * 131,
            b"Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        ),
    ):
        eq(hexlify(hmac_sha256(key, text)).decode(), wanted)


def test_sealed_sessions_remember_a_bounded_number():
    store = Sealed(KEY, remembered=4)
    ids = [store.open(V, 0, b"p", 0) for _ in range(20)]
    for id in ids:
        store.find(id, None, b"p", 0)
        assert len(store._verified) <= 4
    for id in ids:
        store.close(id, b"p", 0)
        assert len(store._closed) <= 4 and len(store._verified) <= 4
    # The last four are known as closed; an older one is a session again: the price of no memory.
    eq([status(store.find, id, None, b"p", 0) for id in ids[-4:]], [404] * 4)
    assert store.find(ids[0], None, b"p", 0)


def test_a_ram_session_expires_when_it_is_not_used():
    store = Ram(idle_ms=1000)
    id = store.open(V, 0, b"p", 0)
    for now_ms in (1000, 2000, 3000):
        store.find(id, None, b"p", now_ms)
    eq(status(store.find, id, None, b"p", 4001), 404)
    eq(len(store), 0)


def test_ticks_may_wrap_around():
    store = Ram(idle_ms=1000)
    end = (1 << 30) - 500
    id = store.open(V, 0, b"p", end)
    store.find(id, None, b"p", 400)
    eq(status(store.find, id, None, b"p", 1401), 404)
    early = store.open(V, 0, b"p", end)
    eq(status(store.find, early, None, b"p", 501), 404)


def test_a_full_table_forgets_the_longest_idle():
    store = Ram(limit=3)
    a, b, c = [store.open(V, 0, b"p", t) for t in (10, 20, 30)]
    store.find(a, None, b"p", 40)
    d = store.open(V, 0, b"p", 50)
    eq(len(store), 3)
    eq(status(store.find, b, None, b"p", 60), 404)
    for id in (a, c, d):
        store.find(id, None, b"p", 60)
    for t in range(100):
        store.open(V, 0, b"p", 100 + t)
        eq(len(store), 3)


def test_the_longest_idle_is_found_around_the_wrap():
    store = Ram(limit=2)
    old = store.open(V, 0, b"p", (1 << 30) - 10)
    young = store.open(V, 0, b"p", 5)
    store.open(V, 0, b"p", 10)
    store.find(young, None, b"p", 11)
    eq(status(store.find, old, None, b"p", 11), 404)


def test_without_sessions_the_version_is_the_header_s():
    store = Off()
    eq(store.open(V, 0, b"p", 0), None)
    for version in LEGACY:
        eq(store.find(None, version, b"p", 0).version, version)
    eq(store.find(b"any", None, b"p", 0).version, "2025-03-26")
    eq((Off.ids, Ram.ids, Sealed.ids), (False, True, True))


def test_capabilities_are_bits():
    for declared, wanted in (
        ({}, []),
        (None, []),
        ("roots", []),
        ([], []),
        ({"roots": {}}, ["roots"]),
        ({"sampling": {"x": 1}, "elicitation": {}, "other": {}}, ["sampling", "elicitation"]),
        ({"roots": True, "sampling": None, "elicitation": []}, []),
    ):
        session = Session(V, capability_bits(declared))
        eq([name for name in ("roots", "sampling", "elicitation") if session.can(name)], wanted)


def opened(preferences):
    """An id of a session that was opened under the key in the preferences."""
    return sealed(preferences).open(LEGACY[0], 0, b"p", 0)


class Saved(dict):
    def set(self, key, value):
        self[key] = value


def test_the_key_of_sealed_sessions_is_made_once_and_kept():
    saved = Saved(other=1)
    id_ = opened(saved)
    eq(len(saved["mcp.session_key"]), 64)
    eq(sealed(saved).find(id_, None, b"p", 0).version, LEGACY[0])
    # Without a place to keep it, a restart makes another one.
    raises(RemoteError, sealed({}).find, opened({}), None, b"p", 0)


def test_a_key_that_is_none_is_replaced():
    for key in ("", "xyz", "00" * 15, "abc"):
        saved = Saved({"mcp.session_key": key})
        id_ = opened(saved)
        eq((key, len(saved["mcp.session_key"])), (key, 64))
        eq(sealed(saved).find(id_, None, b"p", 0).version, LEGACY[0])


def test_a_small_memory_of_closed_ids_is_bounded_too():
    store = Sealed(b"k" * 16, remembered=1)
    ids = [store.open(LEGACY[0], 0, b"p", 0) for _ in range(4)]
    for id_ in ids:
        store.close(id_, b"p", 0)
    eq(store._closed, ids[-1:])


def test_a_key_that_cannot_be_kept_is_reported_and_used():
    class Full(dict):
        def set(self, key, value):
            raise self["error"]

    said = []
    for error in (OSError(28), ValueError("the preferences may have 4096 bytes")):
        del said[:]
        store = sealed(Full(error=error), lambda level, text: said.append(level))
        eq(store.find(store.open(LEGACY[0], 0, b"p", 0), None, b"p", 0).version, LEGACY[0])
        eq(said, ["error"])
