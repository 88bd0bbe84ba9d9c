"""Which era a client speaks, by what a server says to `server/discover`: each row of the table in 2026-07-28,
versioning (backward compatibility), and what is remembered of it."""

from scripted import (
    ACCEPTED,
    JSON,
    READY,
    Lines,
    discovered,
    error_of,
    lines_of,
    result_of,
    run,
    with_session,
)

from harness import eq, raises
from umcp import client_errors as ce
from umcp import codec
from umcp.client import ClientSession

_OPENED = (with_session(READY), ACCEPTED)
_META = "io.modelcontextprotocol/"


def _session(**kwargs):
    return ClientSession(Lines, only=None, **kwargs)


def _methods(sent):
    return [codec.loads(x.body)["method"] for x in sent]


def _falls_back(reply, remembered, **kwargs):
    """Assert that this reply to the question leads to `initialize`."""
    session = _session(**kwargs)
    result, sent, error = run(session.initialize(), reply, *_OPENED)
    eq((error, result), (None, READY))
    eq(_methods(sent), ["server/discover", "initialize", "notifications/initialized"])
    eq((session.era, session.protocol_version), ("legacy" if remembered else None, "2025-11-25"))
    for x in sent[1:]:
        eq(x.fields, b"")
    eq("MCP-Protocol-Version" in sent[1].headers, False)
    return session


def _refused(kind, *replies, **kwargs):
    session = _session(**kwargs)
    _, _, error = run(session.initialize(), *replies)
    eq((type(error), session.initialized, session.era), (kind, False, None))
    return error


def test_the_question_is_a_modern_request():
    session = _session(token="tok", name="me", version="3")
    result, sent, error = run(session.initialize(), discovered())
    eq((error, result["supportedVersions"]), (None, ["2026-07-28"]))
    message = codec.loads(sent[0].body)
    meta = {
        _META + "protocolVersion": "2026-07-28",
        _META + "clientInfo": {"name": "me", "version": "3"},
        _META + "clientCapabilities": {},
    }
    eq(message, {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta}})
    headers = sent[0].headers
    eq((headers["MCP-Protocol-Version"], headers["Authorization"]), ("2026-07-28", "Bearer tok"))
    eq(lines_of(sent[0]), ["Mcp-Method: server/discover"])


def test_row_a_result_that_lists_our_version_is_modern():
    session = _session()
    eq(run(session.initialize(), discovered())[2], None)
    eq((session.era, session.protocol_version, session.initialized), ("modern", "2026-07-28", True))
    session = _session()
    both = result_of(
        {"supportedVersions": ["2027-01-01", "2026-07-28", "2025-11-25"]}
    )  # no resultType, no ttlMs
    eq((run(session.initialize(), both)[2], session.era), (None, "modern"))


def test_row_a_result_that_lists_old_versions_only():
    _falls_back(result_of({"supportedVersions": ["2025-11-25", "2025-06-18"]}), True)
    error = _refused(ce.UnsupportedVersion, result_of({"supportedVersions": ["2027-01-01"]}))
    eq(str(error), "Unsupported protocol version: 2027-01-01")


def test_row_unsupported_version_with_ours_is_asked_once_more():
    for status in (400, 200):
        refusal = error_of(-32022, status, data={"supported": ["2026-07-28"], "requested": "2026-07-28"})
        session = _session()
        _, sent, error = run(session.initialize(), refusal, discovered())
        eq((error, _methods(sent), session.era), (None, ["server/discover"] * 2, "modern"))
        eq([x.id for x in sent], [1, 2])
        session = _session()
        _, sent, error = run(session.initialize(), refusal, refusal)
        eq((len(sent), session.initialized, isinstance(error, ce.ClientError)), (2, False, True))


def test_row_unsupported_version_with_an_old_one():
    for status in (400, 200):
        _falls_back(error_of(-32022, status, data={"supported": ["2025-11-25"]}), True)


def test_row_unsupported_version_with_none_of_ours():
    for data in ({"supported": ["2027-01-01"]}, {"supported": []}, {"supported": "x"}, None, [1]):
        _refused(ce.UnsupportedVersion, error_of(-32022, 400, data=data))


def test_row_other_modern_errors_are_no_reason_to_fall_back():
    for code in (-32020, -32021):
        error = _refused(ce.HttpError, error_of(code, 400))
        eq(error.error["code"], code)


def test_row_refusals_that_no_modern_server_gives():
    body = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Server not initialized"}}'
    for status in (400, 404, 405, 406, 415):
        _falls_back((status, {}, b""), True)
        _falls_back((status, {b"content-type": b"text/html"}, b"<html>"), True)
        _falls_back((status, JSON, body), True)
        _falls_back(error_of(-32601, status), True)


def test_row_errors_with_200():
    for code in (-32601, -32600, -32602):
        _falls_back(error_of(code), True)


def test_row_401_and_403_are_told():
    for status in (401, 403):
        _refused(ce.AuthError, (status, {}, b""))


def test_row_what_says_nothing_about_the_era_is_not_remembered():
    for reply in (
        (429, {}, b""),
        (500, {}, b""),
        (502, {}, b""),
        (503, {}, b""),
        (202, {}, b""),
        (200, JSON, b""),
        (200, {b"content-length": b"0"}, b""),
        (200, {b"content-type": b"text/html"}, b"<html>"),
        (200, JSON, b"hello"),
        (302, {}, b""),
        error_of(-32603),
        result_of({}),
        result_of([]),
        result_of({"supportedVersions": "2026-07-28"}),
        (200, JSON, b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}'),
        ce.Disconnected("connection failed", 104),
        ce.RequestTimeout(100),
        ce.Malformed("Malformed response: bad status line"),
    ):
        _falls_back(reply, False)


def test_initialize_fails_as_it_would_by_itself():
    session = _session()
    down = ce.Disconnected("connection failed", 111)
    _, sent, error = run(session.initialize(), down, down)
    eq((error is down, len(sent), session.era, session.initialized), (True, 2, None, False))
    _, _, error = run(session.initialize(), (404, {}, b""), error_of(-32600))
    eq((str(error), session.era), ("Initialize failed: no", None))


def test_what_is_remembered_is_not_asked_again():
    session = _falls_back((404, {}, b""), True)
    run(session.close(), (200, {}, b""))
    eq(session.era, "legacy")
    _, sent, error = run(session.initialize(), *_OPENED)
    eq((error, _methods(sent)[0]), (None, "initialize"))
    other = _session(era=session.era)
    eq(_methods(run(other.initialize(), *_OPENED)[1])[0], "initialize")


def test_what_is_not_remembered_is_asked_again():
    session = _falls_back((503, {}, b""), False)
    session.reset()
    eq((run(session.initialize(), discovered())[2], session.era), (None, "modern"))


def test_a_memory_that_does_not_hold_is_asked_about():
    for refusal in ((404, {}, b""), (400, {}, b""), (405, {}, b""), error_of(-32601, 404), error_of(-32600),
                    result_of(dict(READY, protocolVersion="2026-07-28"))):  # fmt: skip
        session = _session(era="legacy")
        _, sent, error = run(session.initialize(), refusal, discovered())
        eq((error, _methods(sent), session.era), (None, ["initialize", "server/discover"], "modern"))
    session = _session(era="modern")
    _, _, error = run(session.initialize(), (404, {}, b""), *_OPENED)
    eq((error, session.era), (None, "legacy"))


def test_a_memory_outlives_what_says_nothing():
    for refusal, kind in (
        ((401, {}, b""), ce.AuthError),
        ((503, {}, b""), ce.Busy),
        ((500, {}, b""), ce.HttpError),
    ):
        session = _session(era="legacy")
        _, sent, error = run(session.initialize(), refusal)
        eq((type(error), len(sent), session.era), (kind, 1, "legacy"))


def test_a_modern_server_that_is_out_of_order_is_said_to_be():
    session = _session(era="modern")
    _, sent, error = run(session.initialize(), (503, {}, b""), error_of(-32601, 404))
    eq((type(error), len(sent), session.era), (ce.Busy, 2, "modern"))
    _, _, error = run(session.initialize(), result_of({}), error_of(-32601))
    eq((type(error), session.era), (ce.RpcError, "modern"))
    eq(run(session.initialize(), discovered())[2], None)


def test_an_era_may_be_forced():
    session = ClientSession(Lines, only="legacy")
    _, sent, error = run(session.initialize(), (404, {}, b""))
    eq((type(error), _methods(sent)), (ce.HttpError, ["initialize"]))
    session = ClientSession(Lines, only="modern")
    _, sent, error = run(session.initialize(), (404, {}, b""))
    eq((str(error), _methods(sent)), ("HTTP error: 404 R", ["server/discover"]))
    _, _, error = run(session.initialize(), result_of({"supportedVersions": ["2025-11-25"]}))
    eq(type(error), ce.UnsupportedVersion)
    _, _, error = run(session.initialize(), ce.Disconnected("connection failed", 111))
    eq(type(error), ce.Disconnected)
    eq(run(session.initialize(), discovered())[2], None)
    for kwargs in ({"only": "auto"}, {"era": "2026-07-28"}):
        raises(ce.ConfigError, ClientSession, Lines, **kwargs)


def test_a_server_that_became_modern_is_asked_by_the_next_request():
    session = _falls_back((404, {}, b""), True)
    refusal = error_of(-32022, 400, data={"supported": ["2026-07-28"]})
    _, sent, error = run(session.call_tool("t"), refusal)
    eq((type(error), len(sent), session.era), (ce.HttpError, 1, None))
    result, sent, error = run(session.call_tool("t"), discovered(), result_of({"ok": 1}))
    eq((error, result, _methods(sent)), (None, {"ok": 1}, ["server/discover", "tools/call"]))


def test_a_server_that_became_old_is_asked_by_the_next_request():
    for refusal in (
        (400, {}, b""),
        (404, {}, b""),
        error_of(-32022, 400, data={"supported": ["2025-11-25"]}),
    ):
        session = _session()
        run(session.initialize(), discovered())
        _, sent, error = run(session.call_tool("t"), refusal)
        eq((isinstance(error, ce.ClientError), len(sent)), (True, 1))
        result, sent, error = run(session.call_tool("t"), (404, {}, b""), *_OPENED, result_of({"ok": 1}))
        eq((error, result, session.era, session.modern), (None, {"ok": 1}, "legacy", None))


def test_a_session_that_is_lost_to_a_modern_server():
    session = _falls_back((404, {}, b""), True)
    _, sent, error = run(session.call_tool("t"), (404, {}, b""), error_of(-32601, 404), discovered())
    eq((type(error), session.era), (ce.SessionLost, "modern"))
    eq(_methods(sent), ["tools/call", "initialize", "server/discover"])
