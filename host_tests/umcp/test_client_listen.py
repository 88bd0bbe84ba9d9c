"""What is heard on the stream that tells of changes; host_tests/net/test_client_listen.py has it over sockets."""

from scripted import JSON, STREAM, lines_of, open_modern, open_session

from harness import eq
from umcp import client_errors as ce
from umcp import codec
from umcp.client_listen import listening

_MARK = "io.modelcontextprotocol/subscriptionId"
_CHANGED = "notifications/tools/list_changed"
_ACKNOWLEDGED = "notifications/subscriptions/acknowledged"


def _listen(make, **kwargs):
    """An exchange, and the list that grows when the server listens to us."""
    session = make(callbacks={"on_change": print, "on_log": print, "on_roots": list}, **kwargs)
    opened = []
    made = listening(session, ("toolsListChanged",), b"", lambda: opened.append(1))
    return made, opened, session


def _message(method, mark=None, **more):
    made = dict({"jsonrpc": "2.0", "method": method}, **more)
    if mark is not None:
        made["params"] = {"_meta": {_MARK: mark}}
    return b"message " + codec.dumps(made) + b"\n"


def test_a_get_of_the_older_eras():
    made, opened, session = _listen(open_session)
    eq((made.http_method, made.body, made.fields), ("GET", b"", b""))
    made.head(200, "", STREAM)
    eq(opened, [1])
    changed, pong, asked = made.feed(
        _message(_CHANGED) + _message("ping", id=1) + _message("roots/list", id=2)
    )
    eq((changed["method"], asked["method"]), (_CHANGED, "roots/list"))
    eq(codec.loads(pong), {"jsonrpc": "2.0", "id": 1, "result": {}})
    made.feed(b'message {"jsonrpc":"2.0","id":1,"result":{}}\n')
    made.feed(b"id e7\nretry 5\n")
    eq(made.done, False)
    made.eof()
    eq((type(made.error), made.last_id, made.retry_ms), (ce.NoMatch, b"e7", 5))
    again = listening(session, (), b"e7", lambda: None)
    eq(lines_of(again), ["Last-Event-ID: e7"])


def test_a_subscription_of_the_modern_era():
    made, opened, _ = _listen(open_modern)
    message = codec.loads(made.body)
    eq(
        (message["method"], message["params"]["notifications"]),
        ("subscriptions/listen", {"toolsListChanged": True}),
    )
    made.head(200, "", STREAM)
    eq(opened, [])
    strange = [_message(_CHANGED, mark) for mark in (None, "2", 3, True, [2])]
    eq(made.feed(b"".join(strange) + _message(_CHANGED, params=[])), [])
    eq(made.feed(_message(_ACKNOWLEDGED, 2)), [])
    eq(opened, [1])
    heard = made.feed(
        _message(_CHANGED, 2) + _message("notifications/message", 2) + _message("roots/list", 2, id=5)
    )
    eq([m["method"] for m in heard], [_CHANGED])
    made.feed(b'message {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete"}}\n')
    eq((made.done, made.error), (True, None))


def test_a_subscription_names_the_resources():
    session = open_modern()
    session.watched = ("a://b",)
    asked = codec.loads(listening(session, (), b"e7", lambda: None).body)["params"]["notifications"]
    eq(asked, {"resourceSubscriptions": ["a://b"]})


def test_an_acknowledgement_comes_first():
    made, opened, _ = _listen(open_modern)
    made.head(200, "", STREAM)
    eq(made.feed(_message(_CHANGED, 2)), [])
    eq((made.done, type(made.error), opened), (True, ce.InvalidResponse, []))


def test_a_refusal_is_no_opening():
    for make in (open_session, open_modern):
        made, opened, _ = _listen(make)
        made.head(405, "R", JSON)
        made.eof()
        eq((opened, made.error.status), ([], 405))
