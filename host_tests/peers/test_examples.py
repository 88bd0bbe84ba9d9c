"""The two examples as a person meets them at the command line."""

import signal
import socket
import subprocess

import pytest

import interpreter
from processes import ROOT, Server, run_limited


def _run(*command):
    status, output = run_limited([interpreter.need(), *command], interpreter.environment(), ROOT)
    assert "Traceback" not in output
    return status, output


@pytest.mark.parametrize("sessions", ["ram", "sealed", "off"])
def test_the_demo_passes_all_steps_and_refusals(free_port, sessions):
    status, output = _run("examples/demo.py", "--port", free_port, "--sessions", sessions)
    assert status == ""
    assert output.count("✓") == 19 and "✗" not in output
    for version in ("2025-11-25", "2026-07-28"):
        assert "protocol %s, server tsumiki-dummy" % version in output
    assert output.endswith("all passed\n")


def test_the_demo_counts_a_wrong_answer(free_port, tmp_path):
    wrong = tmp_path / "demo.py"
    text = (ROOT / "examples" / "demo.py").read_text("utf-8").replace('"2 + 3 = 5"', '"2 + 3 = 6"')
    here = "sys.path.insert(0, %r)\nsys.path.insert(0, %r)" % (str(ROOT / "examples"), str(ROOT / "firmware"))
    wrong.write_text(text.replace("import command_line", here + "\nimport command_line"), "utf-8")
    status, output = _run(wrong, "--port", free_port)
    assert status.endswith("status 1")
    assert output.count("✗ 4 call add: 2 + 3 = 5") == 2 and output.endswith("2 failed\n")


@pytest.mark.parametrize("script", ["examples/demo.py", "examples/dummy_server.py"])
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--prot", "1"), "unknown or incomplete option --prot"),
        (("--port",), "unknown or incomplete option --port"),
        (("--port", "70000"), "--port takes a number from 1 to 65535"),
        (("--port", "8o81"), "--port takes a number from 1 to 65535"),
        (("--sessions", "none"), "--sessions takes ram, sealed or off"),
        (("--token", "a token"), "--token takes visible ASCII characters"),
        (("--token", ""), "--token takes visible ASCII characters"),
    ],
)
def test_a_wrong_option_is_explained(script, options, said):
    status, output = _run(script, *options)
    assert status.endswith("status 2") and said in output


@pytest.mark.parametrize("script", ["examples/demo.py", "examples/dummy_server.py"])
def test_a_port_in_use_is_explained(script):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        status, output = _run(script, "--port", port)
    assert status.endswith("status 1")
    assert "cannot listen on 127.0.0.1:%d: the port is in use; try --port" % port in output


@pytest.mark.parametrize("script", ["examples/demo.py", "examples/dummy_server.py"])
def test_help_tells_the_options(script):
    status, output = _run(script, "--help")
    assert status == "" and "--port 8081" in output


def test_a_new_token_is_printed_and_guards_the_server():
    with Server("examples/dummy_server.py", "--port", "{port}", "--token", "new") as server:
        token = server.output().split("token: ")[1].split()[0]
    assert len(token) == 22


def test_ctrl_c_stops_the_dummy_server_without_a_traceback(free_port):
    command = [interpreter.need(), "examples/dummy_server.py", "--port", str(free_port)]
    out = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    process = subprocess.Popen(command, env=interpreter.environment(), cwd=ROOT, **out)
    try:
        assert b"listening on" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=10)
        assert output == b"stopped\n" and process.returncode == 0
    finally:
        process.kill()
        process.wait()
