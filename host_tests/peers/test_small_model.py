"""The dialogue with a real model, over llama.cpp's implementations of the three providers' APIs."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import interpreter
from free_ports import free_port
from install import ROOT
from peers import small_model
from processes import run_limited

pytestmark = pytest.mark.skipif(
    small_model.weights() is None, reason="it is 125 MB: python3 host/install.py model"
)


@pytest.fixture(scope="module")
def model():
    port = free_port()
    command = [sys.executable, ROOT / "host_tests" / "peers" / "small_model.py", str(port)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout.readline().startswith("listening")
        yield "http://127.0.0.1:%d/v1" % port
        server.send_signal(signal.SIGKILL)


@pytest.mark.parametrize("provider", ["openai_chat", "openai_responses", "anthropic"])
def test_a_real_model_answers(model, provider):
    script = ROOT / "host_tests" / "peers" / "chatting.py"
    env = dict(interpreter.environment(), TSUMIKI_TOOLS="set_emotion")
    begun = time.monotonic()
    status, output = run_limited(
        [interpreter.need(), script, provider, model, "m", "-", "What is the capital of France?"],
        env=env,
        cwd=ROOT,
    )
    assert not status, output
    ok, text, refusals, calls = json.loads(output[output.index("@") + 1 :])
    assert ok and "Paris" in text and (refusals, calls) == ([], []), output
    print("%s: %.1f s" % (provider, time.monotonic() - begun))


def test_the_console_with_a_real_model(model, tmp_path):
    (tmp_path / "config.json").write_text('{"robot.tools":["set_emotion"],"chat.system":"You are a robot."}')
    command = [sys.executable, ROOT / "host" / "chat.py", "--url", model, "--model", "m", "--silent", "yes"]
    command += ["--home", tmp_path, "--port", str(free_port())]
    done = subprocess.run(
        command,
        input="What is the capital of France?\n",
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ,
    )
    assert done.returncode == 0 and "Paris" in done.stdout, done.stdout + done.stderr
