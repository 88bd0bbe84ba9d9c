"""The host command's table, what it says of itself, and what its wheel installs."""

import subprocess
import sys
import zipfile
from types import SimpleNamespace

import pytest

import package
from install import ROOT
from tsumiki import cli
from tsumiki.errors import Failed, NotAllowed, Unreachable, Unreadable


def tsumiki(*arguments):
    """(status, stdout, stderr) of `python -m tsumiki` in a clone."""
    done = subprocess.run(
        [sys.executable, "-m", "tsumiki", *arguments],
        env={"PYTHONPATH": str(ROOT / "host")},
        capture_output=True,
        text=True,
        timeout=30,
    )
    return done.returncode, done.stdout, done.stderr


def test_it_says_its_version():
    assert tsumiki("--version") == (0, "tsumiki %s\n" % package.version(), "")


def test_its_help_lists_the_table():
    status, out, err = tsumiki("--help")
    assert (status, err) == (0, "")
    for name, text, _ in cli.COMMANDS:
        assert name in out and text.split()[0] in out


def test_without_a_command_it_helps():
    status, out, _ = tsumiki()
    assert status == 2 and out.startswith("usage: tsumiki")


def test_each_command_has_help():
    for name, text, _ in cli.COMMANDS:
        status, out, err = tsumiki(name, "--help")
        assert (status, err) == (0, "") and out.startswith("usage: tsumiki %s" % name)
        assert text == text.strip() and "\n" not in text
        rest = out.partition("\n\n")[2]
        assert "tsumiki %s " % name in rest.replace("\n", " "), "%s has no example" % name


@pytest.fixture
def command(monkeypatch):
    """`command(run)` puts a command `try` into the table, beside one whose module is not there."""

    def put(run, module="tsumiki_try"):
        found = SimpleNamespace(run=run, add_arguments=lambda parser: parser.add_argument("--what"))
        monkeypatch.setitem(sys.modules, "tsumiki_try", found)
        monkeypatch.setattr(
            cli, "COMMANDS", (("try", "try it", module), ("other", "not there", "no_such_module_x"))
        )

    return put


def test_a_command_gets_its_arguments_and_gives_the_status(command):
    command(lambda options: int(options.what))
    assert cli.main(["try", "--what", "7"]) == 7


def test_a_failure_is_told_in_plain_words(command, capsys):
    def fail(options):
        raise Failed("no robot there")

    command(fail)
    assert cli.main(["try"]) == 1
    assert capsys.readouterr().err == "tsumiki try: no robot there\n"


def test_a_failure_has_the_exit_status_of_its_kind(command):
    def fail(options):
        raise {"2": Unreadable, "4": Unreachable, "5": NotAllowed}[options.what]("no")

    command(fail)
    assert [cli.main(["try", "--what", status]) for status in "245"] == [2, 4, 5]


def test_what_follows_two_dashes_is_a_command_to_start(command):
    seen = []
    command(lambda options: seen.append(options.command) or 0)
    sys.modules["tsumiki_try"].TAKES_COMMAND = True
    for given in ([], ["--", "node", "s.js", "--what", "--", "x"], ["--"]):
        assert cli.main(["try", "--what", "7", *given]) == 0
    assert seen == [None, ["node", "s.js", "--what", "--", "x"], []]


def test_a_command_line_is_refused_by_what_starts_none(command, capsys):
    command(lambda options: 0)
    with pytest.raises(SystemExit) as e:
        cli.main(["try", "--", "node"])
    assert e.value.code == 2 and "starts no command" in capsys.readouterr().err


def test_nobody_who_reads_on_is_no_traceback(tmp_path):
    schema = tmp_path / "long.json"
    schema.write_text('{"schema": "mcpstub/v1", "tools": [%s]}' % ", ".join(["{}"] * 20_000))
    command = [sys.executable, "-m", "tsumiki", "check", str(schema)]
    env = {"PYTHONPATH": str(ROOT / "host")}
    for more in ([], ["--json"]):
        with subprocess.Popen(
            command + more, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            process.stdout.read(10)
            process.stdout.close()
            assert (process.stderr.read(), process.wait(30)) == (b"", 141)


def test_ctrl_c_is_no_traceback(command):
    def interrupt(options):
        raise KeyboardInterrupt

    command(interrupt)
    assert cli.main(["try"]) == 130


def test_what_one_command_lacks_matters_to_that_one_only(command):
    command(lambda options: 0)
    assert cli.main(["try"]) == 0
    with pytest.raises(SystemExit) as e:
        cli.main(["other"])
    assert "no_such_module_x is missing" in str(e.value)


def test_an_unknown_command_is_refused(command, capsys):
    command(lambda options: 0)
    with pytest.raises(SystemExit) as e:
        cli.main(["no-such"])
    assert e.value.code == 2 and "no-such" in capsys.readouterr().err


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from a copy: a build leaves files behind."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    if tracked.returncode:
        pytest.skip("this is no git clone")
    for name in tracked.stdout.decode().split("\0"):
        if name.startswith(("host/", "firmware/", "pyproject", "README", "LICENSE", "requirements/")):
            path = ROOT / name
            if path.is_file():
                (source / name).parent.mkdir(parents=True, exist_ok=True)
                (source / name).write_bytes(path.read_bytes())
    # No look at the network: the build backend is among the test tools, and must be the one that is pinned.
    options = ["--no-deps", "--no-index", "--no-build-isolation", "--check-build-dependencies", "-q"]
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    done = subprocess.run(
        [*pip, "wheel", *options, "-w", folder, source], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return next(folder.glob("tsumiki-*.whl"))


def _wanted():
    folders = [ROOT / "host" / "tsumiki", *(ROOT / "firmware" / name for name in ("umcp", "http1", "stub"))]
    return {path.relative_to(folder.parent).as_posix() for folder in folders for path in folder.rglob("*.py")}


def test_the_wheel_installs_the_command_and_what_it_shares_with_the_robot(wheel):
    with zipfile.ZipFile(wheel) as f:
        names = f.namelist()
        told = {name.split("/")[-1]: f.read(name).decode() for name in names if ".dist-info/" in name}
    inside = {name for name in names if not name.split("/")[0].endswith(".dist-info")}
    assert {name.split("/")[0] for name in inside} <= {"tsumiki", "umcp", "http1", "stub"}
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    tracked = {name.split("/", 1)[1] for name in tracked if name.startswith(("host/", "firmware/"))}
    assert inside >= _wanted() & tracked
    assert "tsumiki = tsumiki.cli:main" in told["entry_points.txt"]
    for line in (ROOT / "requirements" / "host.txt").read_text().split():
        assert 'Requires-Dist: %s; extra == "host"' % line in told["METADATA"]


def test_what_it_installs_works_without_a_clone(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as f:
        f.extractall(tmp_path)
    for arguments, status, wanted in (
        (["--version"], 0, "tsumiki " + package.version()),
        (["bridge", "http://example.com/mcp"], 1, "no private address"),
        (["bridge", "http://127.0.0.1:1/mcp"], 0, ""),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "tsumiki", *arguments],
            cwd=tmp_path,
            env={},
            input="",
            capture_output=True,
            text=True,
            timeout=30,
        )
        assert done.returncode == status and wanted in done.stdout + done.stderr
