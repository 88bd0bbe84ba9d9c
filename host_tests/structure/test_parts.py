"""What a server does not use is not loaded: seen in sys.modules, and in the heap, under MicroPython from .mpy files."""

import subprocess

import pytest

import interpreter
import mpy

# A tools-only server, asked by clients of one era or both: it prints its modules and the heap that is in use.
_SCRIPT = """
import gc, sys
sys.path.insert(0, %r)
import asyncio
gc.collect()
before = gc.mem_alloc()
from mcpserver import McpServer
from umcp.tool import Tool
from umcp.types import Object, String

def echo(text):
    return text

tool = Tool("echo", "", Object((("text", String()),)), echo)
server = McpServer("t", "1", [tool], token="0123456789abcdef", port=1)
gc.collect()
print(gc.mem_alloc() - before)
from umcp.peer import Peer
from http1.request import Request, names
handle = server._mcp.handle
peer = Request(names(), {})
peer.principal = b"p"
meta = b'"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
meta += b'"io.modelcontextprotocol/clientCapabilities":{}}'

def ask(body, version, method=None, name=None):
    peer.protocol_version, peer.mcp_method, peer.mcp_name = version, method, name
    reply = handle(body, 0, len(body), peer, 0)
    assert reply[0] == 200, reply
    return reply

def request(method, params):
    return b'{"jsonrpc":"2.0","id":1,"method":"%%s","params":{%%s}}' %% (method, params)

call = b'"name":"echo","arguments":{"text":"a"}'
if "legacy" in sys.argv:
    start = request(b"initialize", b'"protocolVersion":"2025-11-25","capabilities":{}')
    peer.session_id = ask(start, None)[2]
    ask(request(b"tools/list", b""), b"2025-11-25")
    ask(request(b"tools/call", call), b"2025-11-25")
if "modern" in sys.argv:
    for method in (b"server/discover", b"tools/list"):
        ask(request(method, meta), b"2026-07-28", method)
    ask(request(b"tools/call", call + b"," + meta), b"2026-07-28", b"tools/call", b"echo")
print(" ".join(sorted(sys.modules)))
"""
# What only some servers need.
_PARTS = {
    "umcp." + name
    for name in (
        "context levels running asking answers rounds resumption subscriptions resources uri_template prompts "
        "completion content handlers param_headers client_params sentinel schema batch odd pattern one"
    ).split()
} | {"net.stream", "net.waiting", "net.lines", "net.stdio", "http1.events", "http1.ahead"}
_MODERN = {"umcp.modern", "umcp.meta", "umcp.parts"}
# Bytes of a 64-bit heap that a tools-only server takes with its imports; an ESP32 takes about 0.7 of it.
_MOST = 78 * 1024


def _run(*eras):
    """(bytes that the server takes, the modules it has loaded in the end)."""
    command = [interpreter.need(), "-c", _SCRIPT % str(mpy.build() / "firmware"), *eras]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stdout + done.stderr
    size, modules = done.stdout.splitlines()
    return int(size), set(modules.split())


@pytest.mark.parametrize("eras", [("legacy",), ("modern",), ("legacy", "modern")], ids="+".join)
def test_a_tools_only_server_loads_nothing_for_what_it_does_not_offer(eras):
    _, loaded = _run(*eras)
    assert "umcp.tool" in loaded
    assert loaded & _PARTS == set()
    assert bool(loaded & _MODERN) == ("modern" in eras)


def test_what_a_tools_only_server_takes_is_bounded():
    size, _ = _run()
    assert 50 * 1024 < size <= _MOST


def test_a_module_that_is_looked_for_exists():
    tree = mpy.build() / "firmware"
    for name in _PARTS | _MODERN:
        assert (tree / (name.replace(".", "/") + ".mpy")).is_file(), name
