"""Our client and what servers of others offer besides tools, in the eras that they speak."""

import pytest

from peers.our_client import use

TEXT = "\U0001f916 こんにちは、世界"
CHANGED = "notifications/tools/list_changed"

# Server, kind of client, mode, and the era that they find.
MODERN = (("python-sdk", "auto"), ("fastmcp", "auto"), ("typescript-v2", "auto"))
LEGACY = (
    ("python-sdk", "legacy"),
    ("fastmcp", "legacy"),
    ("typescript-sdk", "legacy"),
    ("typescript-sdk", "auto"),
)
ALL = [(*pair, "modern") for pair in MODERN] + [(*pair, "legacy") for pair in LEGACY]
# FastMCP asks by requests only, and its servers complete nothing.
ASKING = [case for case in ALL if case[0] != "fastmcp"]


def _mode(peer):
    return "mcp" if peer == "typescript-v2" else "sse"


def _steps(peers, peer, kind, steps):
    opened, *results = use(peers(peer), _mode(peer), "initialize " + steps, kind)
    return opened, results


@pytest.mark.parametrize("peer, kind, era", ALL)
def test_the_era_is_that_of_the_server(peers, peer, kind, era):
    opened, results = _steps(peers, peer, kind, "era echo add long close")
    assert ("supportedVersions" if era == "modern" else "protocolVersion") in opened
    assert results == [era, "Echo: " + TEXT, "1 + 2.5 = 3.5", "Echo: " + TEXT * 300, None]


@pytest.mark.parametrize("peer, kind, era", ALL)
def test_progress_and_messages_come_while_the_call_runs(peers, peer, kind, era):
    *_, (said, told) = _steps(peers, peer, kind, "level chatter")[1]
    progress = [each for each in told if not isinstance(each, (str, dict))]
    messages = [
        each["msg"] if isinstance(each, dict) else each for each in told if isinstance(each, (str, dict))
    ]
    assert said == "chatted"
    assert progress in ([1], [1, 1]) and messages == ["half-way", "nearly there"]


@pytest.mark.parametrize("peer, kind, era", [case for case in ALL if case[2] == "modern"])
def test_no_messages_come_that_nobody_asked_for(peers, peer, kind, era):
    told = _steps(peers, peer, kind, "chatter")[1][0][1]
    assert [each for each in told if isinstance(each, (str, dict))] in ([], told[::2])


@pytest.mark.parametrize("peer, kind, era", ASKING)
def test_a_server_asks_for_a_form_a_sample_and_the_roots(peers, peer, kind, era):
    results = _steps(peers, peer, kind, "elicit sample roots echo close")[1]
    assert results == ["Jane is 30", "sampled", "file:///one file:///two", "Echo: " + TEXT, None]


def test_fastmcp_asks_in_the_older_eras(peers):
    assert _steps(peers, "fastmcp", "legacy", "elicit")[1] == ["Jane is 30"]


@pytest.mark.parametrize("peer, kind, era", ALL)
def test_resources(peers, peer, kind, era):
    uris, (kind_of_error, text), *more = _steps(peers, peer, kind, "resources missing echo")[1]
    assert (uris, kind_of_error) == (["test://text"], "NotFound")
    assert text.startswith("Read resource failed: ") and more == ["Echo: " + TEXT]


@pytest.mark.parametrize("peer, kind, era", [case for case in ALL if not case[0].startswith("typescript")])
def test_templates(peers, peer, kind, era):
    assert _steps(peers, peer, kind, "templates read")[1] == [["test://item/{id}"], ["some text", "item 7"]]


@pytest.mark.parametrize("peer, kind, era", ALL)
def test_prompts(peers, peer, kind, era):
    assert _steps(peers, peer, kind, "prompts prompt")[1] == [["greet"], "Greet Jane"]


@pytest.mark.parametrize("peer, kind, era", ALL)
def test_completion(peers, peer, kind, era):
    wanted = ["RpcError", "Complete failed: Method not found"] if peer == "fastmcp" else ["Ja", "Jb"]
    assert _steps(peers, peer, kind, "complete")[1] == [wanted]


@pytest.mark.parametrize("peer, kind, era", ALL)
def test_a_call_that_is_given_up_is_given_up_by_the_server(peers, peer, kind, era):
    before = peers(peer).answered("slow").count("cancelled")
    assert _steps(peers, peer, kind, "cancel echo close")[1] == [
        ["Cancelled", "the call was cancelled"], "Echo: " + TEXT, None,
    ]  # fmt: skip
    assert peers(peer).answered("slow").count("cancelled") == before + 1


_BASIC = {
    "net.deadline", "net.http_client", "net.mcpclient", "net.turns", "umcp.client", "umcp.client_api",
    "umcp.client_errors", "umcp.codec", "umcp.errors", "umcp.exchange", "umcp.version",
}  # fmt: skip
_ASKS = {"umcp.client_era"}
_MODERN = {*_ASKS, "umcp.modern_client", "umcp.sentinel"}


@pytest.mark.parametrize(
    "peer, kind, more",
    [
        ("typescript-sdk", "async", set()),
        ("typescript-sdk", "tools", _ASKS),
        ("python-sdk", "tools", _MODERN),
    ],
)
def test_who_only_calls_tools_imports_nothing_else(peers, peer, kind, more):
    *_, modules = _steps(peers, peer, kind, "list add fail modules")[1]
    assert {name for name in modules if not name.startswith("umcp.scan")} == _BASIC | more


@pytest.mark.parametrize(
    "peer, kind", [("python-sdk", "auto"), ("typescript-v2", "auto"), ("typescript-sdk", "legacy")]
)
def test_a_change_is_heard_on_the_stream_for_it(peers, peer, kind):
    assert _steps(peers, peer, kind, "change echo change")[1] == [[CHANGED], "Echo: " + TEXT, [CHANGED]]


def test_parameters_are_repeated_in_headers_once_the_server_wants_them(peers):
    unlisted, tools, listed = _steps(peers, "typescript-v2", "auto", "mirror list mirror")[1]
    assert (unlisted, listed) == ("seen hére", "seen hére")
    assert "mirror" in tools


@pytest.mark.parametrize("peer", ["python-sdk", "typescript-v2"])
def test_the_blocking_client_in_the_modern_era(peers, peer):
    opened, results = _steps(peers, peer, "blocking-modern", "era echo elicit roots resources prompt close")
    assert opened["supportedVersions"] == ["2026-07-28"]
    assert results == [
        "modern", "Echo: " + TEXT, "Jane is 30", "file:///one file:///two", ["test://text"], "Greet Jane", None,
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["auto", "legacy"])
@pytest.mark.parametrize("peer", ["python-sdk", "typescript-sdk"])
def test_a_wrong_token_is_told_and_not_taken_for_an_era(peers, peer, kind):
    results = use(peers(peer), "sse", "initialize era", kind, token="wrong-token")
    assert results == [["AuthError", "HTTP error: 401 Unauthorized"], None if kind == "auto" else "legacy"]
