"""Test a robot on a serial port, and measure it: device-test [--port PORT] [--host HOST[:PORT]]

What runs and how much memory is left after each layer; MCP inside the robot, server and client in one process; MCP over
the serial line; and MCP over the network, where an address is given or the robot says one as it starts.
"""

import http.client
import json
import time
from pathlib import Path

from .deploy import find_address, started
from .device import Device, DeviceFailed
from .errors import Failed
from .settings import Settings

_PROBE = Path(__file__).with_name("probe.py")
_PORT = 8080
_SECONDS = 20
_VERSION = "2026-07-28"
_META = {
    "io.modelcontextprotocol/protocolVersion": _VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
}
# Each imports those over it.
LAYERS = (
    ("umcp", ("umcp.server", "umcp.tool", "umcp.client")),
    ("http1", ("http1.router", "http1.guard", "http1.bearer")),
    ("net", ("net.http_server", "net.mcpclient")),
    ("mcpserver", ("mcpserver",)),
    ("robot", ("robot.robot", "robot.tools", "robot.resources")),
    ("app", ("app",)),
)


def add_arguments(parser):
    parser.epilog = "example: tsumiki device-test --port /dev/ttyUSB0"
    parser.add_argument("--port", help="the board's serial port; not needed if it is the only one")
    parser.add_argument(
        "--host", help="the robot's address, HOST or HOST:PORT; else what it says as it starts"
    )
    parser.add_argument("--calls", type=int, default=50, help="calls a measurement (%(default)s)")
    parser.add_argument(
        "--loop-port", type=int, default=8099, help="a TCP port for the test inside the robot (%(default)s)"
    )
    parser.add_argument(
        "--seconds", type=float, default=15, help="how long to listen for its address (%(default)s)"
    )


class Report:
    """Rows as they come; counts those that failed."""

    def __init__(self):
        self.failed = 0

    def row(self, what, value):
        print("%-34s %s" % (what, value), flush=True)

    def fail(self, what, why):
        self.failed += 1
        self.row(what, "FAILED: %s" % why)

    def attempt(self, what, work):
        """Print what `work()` makes of it: a str. What it raises is a failed row."""
        try:
            self.row(what, work())
        except (Failed, OSError, ValueError, KeyError, http.client.HTTPException) as e:
            self.fail(what, str(e) or type(e).__name__)


def run(options):
    """0 if all passed, 1 if not; raises `Failed` if the board cannot be spoken to."""
    report = Report()
    with Device(options.port) as device:
        _prepare(device)
        _memory(device, report)
        _begin_anew(device)
        report.attempt("MCP inside the robot", lambda: _inside(device, options))
        report.attempt("IDF heap after that", lambda: _idf(device))
        _begin_anew(device)
        report.attempt("MCP over the serial line", lambda: _serial(device, options.calls))
        _begin_anew(device)
        with Settings(device) as settings:
            token = settings.get("mcp.token")
        device.reset()
        said = device.listen(options.seconds, started) if not options.host else b""
    host = options.host or find_address(said)
    if host:
        report.attempt("MCP over the network", lambda: _network(host, token, options.calls))
    else:
        report.row("MCP over the network", "not tested: the robot has said no address (--host)")
    print("%d failed" % report.failed if report.failed else "all passed")
    return 1 if report.failed else 0


# The memory of one measurement is not to be missed in the next.
def _begin_anew(device):
    device.close()
    device.connect()
    _prepare(device)


def _prepare(device):
    device.run(_PROBE.read_text("utf-8"))
    device.run("find_firmware()")


def _memory(device, report):
    try:
        python, machine, hertz, version = device.call("about")
    except DeviceFailed as e:
        raise Failed("the firmware is not on the board, or does not start: make deploy. %s" % e) from e
    report.row("firmware", "tsumiki " + version)
    report.row("MicroPython", python)
    report.row("board", machine + (", %d MHz" % (hertz // 1000000) if isinstance(hertz, int) else ""))
    report.row("free heap at first", "%d bytes" % device.call("layer", ())[2])
    report.attempt("IDF heap at first", lambda: _idf(device))
    for name, modules in LAYERS:
        report.attempt("import " + name, lambda modules=modules: _layer(device, modules))


def _layer(device, modules):
    return "%6d ms, %7d bytes, %8d free then" % device.call("layer", modules, seconds=60)


def _idf(device):
    found = device.call("idf_heap")
    return "%d bytes free, the largest piece %d" % found if found else "none on this port"


def _inside(device, options):
    found = device.call("loop", options.loop_port, options.calls, seconds=60)
    if isinstance(found, str):
        raise Failed(found)
    return spread([us / 1000 for us in found])


def spread(times):
    """`p50 A ms, p95 B ms of N calls`.  times: list of ms, not empty; percentiles by nearest rank."""
    ordered = sorted(times)
    p50, p95 = (ordered[-(-len(ordered) * percent // 100) - 1] for percent in (50, 95))
    return "p50 %.1f ms, p95 %.1f ms of %d calls" % (p50, p95, len(ordered))


def _serial(device, calls):
    line = device.start("serve_line()")
    line.timeout = 0.5
    times = []
    try:
        found = _exchange(line, 0, "tools/list", {})
        names = [tool["name"] for tool in found["tools"]]
        if names != ["add"]:
            raise Failed("other tools than its own: %s" % names)
        for i in range(1, calls + 1):
            since = time.monotonic()
            result = _exchange(line, i, "tools/call", {"name": "add", "arguments": {"a": i, "b": 1}})
            times.append((time.monotonic() - since) * 1000)
            _check(result, "%d + 1 = %d" % (i, i + 1))
    finally:
        line.write(b"\x03")
    return spread(times)


# What is no message of ours is noise: what the REPL and the log say.
def _exchange(line, id_, method, params):
    message = {"jsonrpc": "2.0", "id": id_, "method": method, "params": dict(params, _meta=_META)}
    line.write(json.dumps(message).encode() + b"\n")
    end = time.monotonic() + _SECONDS
    seen = b""
    while time.monotonic() < end:
        seen += line.read_until(b"\n")
        if not seen.endswith(b"\n"):
            continue
        at = seen.find(b'{"jsonrpc"')
        reply = json.loads(seen[at:]) if at >= 0 else {}
        seen = b""
        if reply.get("id") == id_:
            return _result(reply)
    raise Failed("no answer in %d s" % _SECONDS)


def _result(reply):
    if "error" in reply:
        raise Failed("%(code)s %(message)s" % reply["error"])
    return reply["result"]


def _check(result, text):
    seen = result["content"][0]["text"]
    if result.get("isError") or (text is not None and seen != text):
        raise Failed("a wrong answer: " + seen)


def _network(host, token, calls):
    name, _, port = host.partition(":")
    connection = http.client.HTTPConnection(name, int(port or _PORT), timeout=_SECONDS)
    headers = {
        "Authorization": "Bearer %s" % token,
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": _VERSION,
    }
    times = []
    try:
        for i in range(calls):
            since = time.monotonic()
            params = {"name": "get_robot_status", "arguments": {}, "_meta": _META}
            body = json.dumps({"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": params})
            more = {"Mcp-Method": "tools/call", "Mcp-Name": params["name"]}
            connection.request("POST", "/mcp", body, dict(headers, **more))
            reply = connection.getresponse()
            raw = reply.read()
            times.append((time.monotonic() - since) * 1000)
            if reply.status != 200:
                raise Failed("%s answers %d %s" % (host, reply.status, raw[:200].decode("utf-8", "replace")))
            _check(_result(json.loads(raw)), None)
    finally:
        connection.close()
    return spread(times)
