"""What a call of the client costs in heap, against a server in another process."""

import re

import pytest

import interpreter
from fakes import faulty
from free_ports import free_port
from install import ROOT
from processes import run_limited

# Bytes a call on a 64-bit heap; a 32-bit one takes about 0.77 of it.
MOST = {("ok", "legacy"): 2900, ("ok-sse", "legacy"): 4800, ("ok", "modern"): 3900}


@pytest.mark.parametrize("path, era", MOST)
def test_heap_per_call(path, era):
    port = free_port()
    faulty.start(port)
    script = ROOT / "host_tests" / "peers" / "client_cost.py"
    url = "http://127.0.0.1:%d/%s/%s" % (port, path, era)
    _, output = run_limited([interpreter.need(), script, url, era], env=interpreter.environment(), cwd=ROOT)
    found = re.search(r"(\d+) bytes a call, (-?\d+) bytes kept", output)
    assert found, output
    assert int(found.group(1)) <= MOST[path, era], output
    assert int(found.group(2)) <= 200, output
