"""Preferences set over USB: what is written, what is refused, and what nobody gets to see."""

import json

import pytest

import config
from host.device import StandIn
from tsumiki import cli, provision, settings
from tsumiki.device import Device
from tsumiki.errors import Failed

PASSWORD, TOKEN = "correct horse battery", "the-token-of-the-owner"
BEFORE = {
    "mcp.token": TOKEN,
    "wifi.names": ["old"],
    "wifi.passwords": ["old-password"],
    "robot.volume_cap": 30,
}


@pytest.fixture
def board(tmp_path, monkeypatch):
    """A stand-in with preferences on it."""
    for name in ("TSUMIKI_WIFI_PASSWORD", "TSUMIKI_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    standin = StandIn(tmp_path, blocks=64)
    try:
        standin.wait_for(b">>> ")
        standin.off()
        standin.write({"/config.json": json.dumps(BEFORE).encode(), "/fixture.json": b"{}"})
        standin.plug_anew()
        yield standin
    finally:
        standin.close()


def _run(board, *options):
    return cli.main(["provision", "--port", board.port, *options])


def _kept(board):
    board.off()
    files = board.files()
    assert files["/fixture.json"] == b"{}"
    board.plug_anew()
    return json.loads(files["/config.json"])


def test_wifi_from_the_environment(board, monkeypatch, capsys):
    monkeypatch.setenv("TSUMIKI_WIFI_PASSWORD", PASSWORD)
    assert _run(board, "--wifi", "home", "--hostname", "robo") == 0
    said = capsys.readouterr().out
    assert 'wifi.names: ["old"] -> ["home", "old"]' in said and "wifi.passwords: (set) -> (another)" in said
    assert 'wifi.hostname: "tsumiki" -> "robo"' in said
    assert _kept(board) == dict(
        BEFORE,
        **{
            "wifi.names": ["home", "old"],
            "wifi.passwords": [PASSWORD, "old-password"],
            "wifi.hostname": "robo",
        },
    )
    # The same network again gets its new password, and no second place.
    monkeypatch.setenv("TSUMIKI_WIFI_PASSWORD", "another password")
    assert _run(board, "--wifi", "old") == 0
    assert _kept(board)["wifi.names"] == ["old", "home"]
    assert _kept(board)["wifi.passwords"] == ["another password", PASSWORD]
    assert _run(board, "--forget", "home") == 0
    assert _kept(board)["wifi.names"] == ["old"]


def test_no_secret_is_ever_printed(board, monkeypatch, capsys):
    monkeypatch.setenv("TSUMIKI_WIFI_PASSWORD", PASSWORD)
    monkeypatch.setenv("TSUMIKI_TOKEN", "a-token-from-outside")
    assert _run(board, "--wifi", "home", "--token", "ask") == 0
    assert _run(board, "--show") == 0
    assert _run(board, "--token", "new") == 0
    kept = _kept(board)
    said = "".join(capsys.readouterr())
    secrets = [PASSWORD, TOKEN, "a-token-from-outside", "old-password", kept["mcp.token"]]
    assert [secret for secret in secrets if secret in said] == []
    assert "mcp.token: (set) -> (another)" in said and "mcp.token = (set)" in said


def test_a_new_token_and_how_to_see_it(board, capsys):
    assert _run(board, "--token", "new") == 0
    token = _kept(board)["mcp.token"]
    assert token != TOKEN and len(token) >= 16
    capsys.readouterr()
    assert _run(board, "--show-token") == 0
    said = capsys.readouterr().out
    assert "token: " + token in said and "http://tsumiki.local:8080/mcp" in said


class Answers(provision.Person):
    """A person with prepared answers."""

    def __init__(self, *answers):
        self.there = True
        self.answers = list(answers)
        self.asked = []

    def ask(self, question):
        self.asked.append(question)
        return self.answers.pop(0)

    def ask_secret(self, question, name):
        return self.ask(question)


def _options(board, *words):
    import argparse

    parser = argparse.ArgumentParser()
    provision.add_arguments(parser)
    return parser.parse_args(["--port", board.port, *words])


def test_without_options_it_asks(board, capsys):
    person = Answers("home", PASSWORD, "", "")
    assert provision.run(_options(board), person) == 0
    assert "leave old" in person.asked[0] and "Write this?" in person.asked[-1]
    assert _kept(board)["wifi.names"] == ["home", "old"]
    assert PASSWORD not in "".join(capsys.readouterr())


def test_a_person_can_say_no(board):
    with pytest.raises(Failed, match="nothing was written"):
        provision.run(_options(board, "--set", "robot.volume_cap=50"), Answers("n"))
    assert _kept(board) == BEFORE


def test_nobody_to_ask(board, capsys):
    assert _run(board, "--wifi", "home") == 1
    assert "TSUMIKI_WIFI_PASSWORD in the environment" in capsys.readouterr().err
    assert _kept(board) == BEFORE


@pytest.mark.parametrize(
    "words, kept",
    [
        (["--set", "robot.motion=false"], False),
        (["--set", "robot.quiet_from=60"], 60),
        (["--set", "robot.tools=set_led, move_head"], ["set_led", "move_head"]),
        (["--set", 'robot.tools=["set_led"]'], ["set_led"]),
        (["--set", "servo.kind=pwm"], "pwm"),
    ],
)
def test_any_preference(board, words, kept):
    assert _run(board, *words) == 0
    assert _kept(board)[words[1].partition("=")[0]] == kept


@pytest.mark.parametrize(
    "words, text",
    [
        (["--set", "robot.volume=3"], "there is no preference robot.volume; there are: robot.motion"),
        (["--set", "robot.motion=perhaps"], "robot.motion takes true or false, not 'perhaps'"),
        (["--set", "robot.volume_cap=loud"], "robot.volume_cap takes a whole number"),
        (["--set", "robot.volume_cap=1.5"], "robot.volume_cap cannot be that: robot.volume_cap is a int"),
        (["--set", "mcp.token=" + TOKEN], "mcp.token is a secret"),
        (["--set", "net.allowed_hosts=[1]"], "net.allowed_hosts cannot be that"),
        (["--set", "net.allowed_hosts=" + ",".join(["x" * 100] * 40)], "may have 4096 bytes"),
        (["--hostname", "my robot"], "letters, digits and hyphens"),
        (["--hostname=-robot"], "letters, digits and hyphens"),
        (["--wifi", "x" * 33, "--open"], "1 to 32 bytes"),
        (["--forget", "nowhere"], "does not know nowhere; it knows: old"),
    ],
)
def test_what_the_firmware_refuses_is_not_written(board, capsys, words, text):
    assert _run(board, *words) == 1
    assert text in capsys.readouterr().err
    assert _kept(board) == BEFORE


@pytest.mark.parametrize(
    "variable, words", [("TSUMIKI_TOKEN", ["--token", "ask"]), ("TSUMIKI_WIFI_PASSWORD", ["--wifi", "x"])]
)
def test_a_secret_that_is_too_short(board, monkeypatch, capsys, variable, words):
    monkeypatch.setenv(variable, "short")
    assert _run(board, *words) == 1
    assert "short" not in capsys.readouterr().err
    assert _kept(board) == BEFORE


def test_back_to_a_default_and_nothing_to_change(board, capsys):
    assert _run(board, "--unset", "robot.volume_cap") == 0
    assert "robot.volume_cap: 30 -> 100" in capsys.readouterr().out
    assert "robot.volume_cap" not in _kept(board)
    assert _run(board, "--set", "robot.motion=true") == 0
    assert "nothing changes" in capsys.readouterr().out


def test_a_broken_file_is_kept_aside(board, capsys):
    board.off()
    board.write({"/config.json": b'{"mcp.token":"half'})
    board.plug_anew()
    assert _run(board, "--set", "robot.volume_cap=5") == 0
    assert "warning: " in capsys.readouterr().out
    board.off()
    files = board.files()
    assert json.loads(files["/config.json"]) == {"robot.volume_cap": 5}
    assert files["/config.json.bad"] == b'{"mcp.token":"half'


def test_preferences_that_the_board_cannot_read_are_not_replaced(board, capsys):
    with Device(board.port) as device:
        device.run("import os\nos.rename('/config.json', '/mine')\nos.mkdir('/config.json')")
    assert _run(board, "--set", "robot.volume_cap=5") == 1
    assert "the board says" in capsys.readouterr().err
    with Device(board.port) as device:
        assert device.run("print(os.stat('/config.json')[0])").strip() == "16384"


def test_a_cut_leaves_the_old_preferences_or_the_new(board):
    before = board.image.read_bytes()
    seen = set()
    for writes in range(100):
        board.off()
        board.image.write_bytes(before)
        board.plug_anew(writes)
        try:
            with Device(board.port) as device, settings.Settings(device) as mine:
                mine.set("robot.volume_cap", 70)
                mine.save()
            cut = False
        except Failed:
            cut = True
            assert board.is_off()
        files = board.files()
        seen.add(json.loads(files["/config.json"])["robot.volume_cap"])
        if not cut:
            break
    assert not cut and writes > 2 and seen == {30, 70}


def test_every_key_is_of_a_type_that_can_be_given():
    texts = {str: "text", int: "7", bool: "true", list: "a,b"}
    for key, (kind, *_) in config.KEYS.items():
        assert isinstance(settings.parsed(key, texts[kind], config.KEYS), kind)
