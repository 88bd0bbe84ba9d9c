"""Every fault of fakes/faults.py has one outcome for the client, in bounded time, and the next call works."""

import json

import pytest

import interpreter
from fakes import faults, faulty
from free_ports import free_port
from install import ROOT
from processes import run_limited

TOKEN = "t0ken-s3cret"
KINDS = ("async", "blocking", "modern")
LEGACY = ("async", "blocking")
LIMIT_MS = 400

OUTCOMES = {
    "HttpError": "status-400 status-400-rpc status-405 status-406 status-413 status-500 status-502 redirect "
    "redirect-relative",
    "AuthError": "status-401 status-403 echo-token",
    "Busy": "status-429 status-503",
    "SessionLost": "session-lost",
    "RpcError": "rpc-error rpc-token",
    "ToolFailed": "tool-error",
    "Malformed": "empty-200 empty-202 empty-204 not-json truncate bad-utf8 length-too-long length-too-short "
    "two-lengths length-and-chunked bad-length gzip-coding bad-chunk folded lf-only not-http sse-not-json",
    "TooLarge": "oversize oversize-chunked deep big-head sse-big-event",
    "WrongContentType": "wrong-type no-type",
    "IdMismatch": "wrong-id string-id true-id float-id null-id no-id",
    "InvalidResponse": "no-jsonrpc jsonrpc-1 both neither array result-list bad-error",
    "NoMatch": "sse-no-final-blank sse-done-marker sse-empty",
    "Disconnected": "close-before-headers close-in-headers close-mid-body close-mid-chunk sse-cut",
    "RequestTimeout": "timeout late slow-for-ever sse-never-ends",
    "ok": "charset interim until-close http10 says-close silent-close closed-while-idle pipelined-extra slow sse "
    "sse-crlf sse-cr sse-multi-line sse-comments sse-bom sse-other-events-first sse-wrong-id-first "
    "sse-not-json-first sse-until-close sse-long-stream sse-stays-open sse-late-end sse-bytewise sse-asks-first",
}
WANTED = {name: outcome for outcome, names in OUTCOMES.items() for name in names.split()}
# `requests` reads the head, and knows no framing but the end of the connection.
BLOCKING = {
    "two-lengths": "Malformed Disconnected ok",
    "folded": "ok",
    "big-head": "ok",
    "close-before-headers": "Malformed",
    "close-in-headers": "WrongContentType",
    "sse-cut": "NoMatch",
}
# It sends HTTP/1.0, whose peers get neither chunks nor interim replies, and it waits for the end of a stream.
NOT_BLOCKING = (
    "gzip-coding bad-chunk close-mid-chunk interim length-and-chunked lf-only not-http sse-stays-open sse-late-end "
    "sse-bytewise sse-asks-first sse-never-ends slow"
).split()
# Without sessions there is none to lose, and a server of that era asks nothing on a stream.
MODERN = {"session-lost": "HttpError", "sse-asks-first": "RequestTimeout"}
CHANGES = {"async": {}, "blocking": BLOCKING, "modern": MODERN}


class Run:
    """What one kind of client made of all faults, and what the server saw."""

    def __init__(self, kind, names, path):
        port = free_port()
        self.server = faulty.start(port)
        command = [
            interpreter.need(),
            ROOT / "host_tests" / "peers" / "try_faults.py",
            path,
            kind,
            port,
            *names,
        ]
        self.status, self.output = run_limited(command, env=interpreter.environment(), cwd=ROOT)
        self.written = path.read_text("utf-8")
        lines = [json.loads(line) for line in self.written.splitlines()]
        self.met = {line["fault"]: line for line in lines}
        self.kind = kind

    def __getitem__(self, fault):
        assert fault in self.met, self.output
        return self.met[fault]

    def path(self, fault):
        return self.server.paths["/%s/%s" % (fault, self.kind)]


EXTRA = (
    "@tools/list:not-http",
    "@tools/list:close-before-headers",
    "@tools/list:session-lost",
    "@tools/list:empty-200",
    "no-delete",
)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("faults")
    names = {
        kind: [*(n for n in WANTED if kind != "blocking" or n not in NOT_BLOCKING), *EXTRA] for kind in KINDS
    }
    return {kind: Run(kind, names[kind], folder / kind) for kind in KINDS}


# What a question for the era may meet that says nothing about it: the session is one of the older eras then.
SILENT = (
    "status-429 status-500 status-503 redirect empty-200 empty-202 empty-204 wrong-type not-json truncate "
    "oversize deep wrong-id string-id null-id no-jsonrpc both neither array result-list close-before-headers "
    "close-in-headers close-mid-body not-http big-head timeout late sse-empty sse-not-json sse-cut sse-never-ends"
).split()


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    names = ["@server/discover:" + fault for fault in SILENT]
    return Run("auto", names, tmp_path_factory.mktemp("asked") / "auto")


@pytest.mark.parametrize("fault", SILENT)
def test_a_fault_when_the_era_is_asked_for_is_no_fault_of_the_session(asked, fault):
    met = asked["@server/discover:" + fault]
    assert (met["outcome"], met["next"], met["era"]) == ("ok", "ok", None), met
    seen = asked.path("@server/discover:" + fault).seen
    opened = ["server/discover", "initialize", "notifications/initialized"]
    assert seen in ([*opened, "tools/call", "tools/call", "DELETE s1"],
                    ["server/discover", *opened, "tools/call", "tools/call", "DELETE s1"])  # fmt: skip


def test_the_table_is_whole():
    assert set(WANTED) == set(faults.FAULTS)


def _cases():
    for kind in KINDS:
        for name, outcome in WANTED.items():
            if kind != "blocking" or name not in NOT_BLOCKING:
                yield kind, name, CHANGES[kind].get(name, outcome)


@pytest.mark.parametrize("kind, fault, outcome", list(_cases()))
def test_a_fault_has_its_outcome_and_the_next_call_works(runs, kind, fault, outcome):
    met = runs[kind][fault]
    assert met["outcome"] in outcome.split(), met
    assert met["next"] == "ok", met
    assert met["took_ms"] < (LIMIT_MS + 900 if outcome == "RequestTimeout" else LIMIT_MS), met
    if met["outcome"] == "ok":
        assert json.loads(met["text"]["content"][0]["text"]) == {"text": "h\u00e9"}


@pytest.mark.parametrize("kind", KINDS)
def test_no_call_is_sent_a_second_time(runs, kind):
    for fault in runs[kind].met:
        if not fault.startswith("@"):
            assert runs[kind].path(fault).count("tools/call") == 2, fault
            assert runs[kind][fault]["next_text"]["calls"] == 2, fault


@pytest.mark.parametrize("kind", KINDS)
def test_the_token_is_in_no_text(runs, kind):
    assert TOKEN not in runs[kind].output + runs[kind].written
    assert runs[kind].path("echo-token").token == TOKEN
    assert runs[kind]["echo-token"]["text"].startswith("HTTP error: 401")


@pytest.mark.parametrize("kind", LEGACY)
def test_texts_of_the_original(runs, kind):
    texts = {
        "status-500": "HTTP error: 500 Internal Server Error",
        "rpc-error": "Tool call failed: Unknown tool",
        "wrong-id": "Response ID mismatch",
        "no-jsonrpc": "Invalid JSON-RPC response",
        "sse-empty": "No matching response received in SSE stream",
        "session-lost": "the session was lost and renewed; the call was not sent again",
    }
    assert {fault: runs[kind][fault]["text"] for fault in texts} == texts


@pytest.mark.parametrize("kind", KINDS)
def test_a_redirect_is_named_and_not_followed(runs, kind):
    text = runs[kind]["redirect"]["text"]
    assert "redirect to http://127.0.0.1:" in text and "stolen" not in text and "u:p" not in text
    assert not [path for path in runs[kind].server.paths if "stolen" in path]


@pytest.mark.parametrize("kind", LEGACY)
def test_a_lost_session_is_renewed_once_without_its_id(runs, kind):
    opened = ["initialize", "notifications/initialized"]
    seen = runs[kind].path("session-lost").seen
    assert seen == [*opened, "tools/call", *opened, "tools/call", "DELETE s2"]


@pytest.mark.parametrize("kind", LEGACY)
def test_a_listing_is_sent_once_more(runs, kind):
    assert runs[kind]["@tools/list:session-lost"]["outcome"] == "ok"
    seen = runs[kind].path("@tools/list:session-lost").seen
    opened = ["initialize", "notifications/initialized"]
    assert seen == [*opened, "tools/list", *opened, "tools/list", "tools/list", "DELETE s2"]
    assert runs[kind]["@tools/list:empty-200"]["outcome"] == "Malformed"


def test_a_listing_survives_a_connection_that_just_closed(runs):
    met = runs["async"]["@tools/list:close-before-headers"]
    assert (met["outcome"], met["next"]) == ("ok", "ok")
    assert runs["async"].path("@tools/list:close-before-headers").count("tools/list") == 3
    assert runs["blocking"]["@tools/list:close-before-headers"]["outcome"] in ("Disconnected", "Malformed")


def test_a_listing_that_met_nonsense_is_not_sent_again(runs):
    assert runs["async"]["@tools/list:not-http"]["outcome"] == "Malformed"
    assert runs["async"].path("@tools/list:not-http").count("tools/list") == 2


def test_a_modern_server_is_asked_anew_when_its_answers_are_strange(runs):
    seen = runs["modern"].path("session-lost").seen
    assert seen == ["server/discover", "tools/call", "server/discover", "tools/call"]
    assert "DELETE" not in " ".join(runs["modern"].path("charset").seen)


def test_a_hang_up_is_all_that_a_modern_server_is_told(runs):
    assert runs["modern"].path("timeout").seen == ["server/discover", "tools/call", "tools/call"]


def test_a_tool_that_takes_too_long_is_cancelled(runs):
    path = runs["async"].path("timeout")
    assert path.cancelled == {"requestId": 2, "reason": "timeout"}


def test_requests_of_the_server_are_answered_while_the_stream_is_open(runs):
    answers = runs["async"]["sse-asks-first"]["text"]["answers"]
    assert answers == [
        {"jsonrpc": "2.0", "id": "p", "result": {}},
        {"jsonrpc": "2.0", "id": 5, "error": {"code": -32601, "message": "Method not found"}},
    ]


@pytest.mark.parametrize("kind", LEGACY)
def test_close_ends_the_session(runs, kind):
    assert runs[kind].path("charset").seen[-1] == "DELETE s1"
    assert runs[kind].path("no-delete").seen[-1] == "DELETE s1"
