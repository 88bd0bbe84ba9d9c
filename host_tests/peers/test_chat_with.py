"""The simulated robot with stdio servers behind `tsumiki proxy` (`tsumiki sim --with`), and its client by itself."""

import json
import os
import shlex
import signal
import sys
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import install
import interpreter
from free_ports import free_port
from install import ROOT
from kit.running import TALKING, Posts, environment, listening, tsumiki, wait_for
from processes import Listener, run_limited

TOKEN = "a-token-of-the-robot"
_JSON = {"Content-Type": "application/json"}
_US = {"name": "t", "version": "1"}
_EVERYTHING = (
    install.JS / "node_modules" / "@modelcontextprotocol" / "server-everything" / "dist" / "index.js"
)
_FASTMCP = """
from fastmcp import FastMCP
server = FastMCP("small")

@server.tool()
def echo(message: str) -> str:
    return "Echo: " + message

@server.tool()
def leave() -> str:
    import os
    os._exit(7)

server.run(transport="stdio", show_banner=False)
"""


class Model:
    """OpenAI's chat completions: what is said, `tool {arguments}`, is what it calls, and says what came of it.

    offered: list of the names of the tools that the last request had.
    """

    def __init__(self):
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                body = json.dumps(model.answer(asked)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *words):
                pass

        self.offered = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d/v1" % self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def answer(self, asked):
        self.offered = sorted(tool["function"]["name"] for tool in asked.get("tools", ()))
        last = asked["messages"][-1]
        if last["role"] == "tool":
            message = {"role": "assistant", "content": "It says: " + last["content"]}
        else:
            name, _, arguments = last["content"].partition(" ")
            call = {"id": "c", "type": "function", "function": {"name": name, "arguments": arguments or "{}"}}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
        return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def model():
    one = Model()
    yield one
    one.close()


class Sim:
    """`tsumiki sim --with ...`, whose robot asks that model.  more: dict of further preferences."""

    def __init__(self, home, model, *given, port=None, more=()):
        home.mkdir(exist_ok=True)
        preferences = {"mcp.token": TOKEN, "chat.model": "m", "chat.url": model.url, **dict(more)}
        (home / "config.json").write_text(json.dumps(preferences))
        words = ["sim", "--port", port or free_port(), "--home", home]
        for one in given:
            words += ["--with", one]
        self.robot = Listener(tsumiki(*words), environment(), name="sim")
        self.headers = {"Authorization": "Bearer " + TOKEN}
        self._posts = Posts(self.robot.url + "/mcp", headers=self.headers)
        self._posts.ask(
            "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": _US}
        )

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.robot.running():
            os.kill(self.robot.pid, signal.SIGTERM)
            wait_for(lambda: not self.robot.running(), 20)
        self.robot.close()

    def say(self, text):
        body = json.dumps({"text": text, "aloud": False}).encode()
        asked = urllib.request.Request(self.robot.url + "/chat", body, dict(self.headers, **_JSON))
        with urllib.request.urlopen(asked, timeout=20) as reply:
            return json.loads(reply.read())

    def status(self):
        found = self._posts.ask("resources/read", {"uri": "robot://status"})
        return json.loads(found["result"]["contents"][0]["text"])

    def state(self, name):
        return self.status()["servers"][name]


def line(command):
    return shlex.join(map(str, command))


def test_the_simulated_robot_uses_a_server_beside_it_and_survives_its_crash(model, tmp_path):
    with Sim(tmp_path, model, "talking=" + line(TALKING)) as sim:
        wait_for(lambda: sim.state("talking") == {"state": "up", "tools": 5}, 20)
        assert sim.say("count") == {"ok": True, "text": "It says: 2", "refusals": []}
        assert {"count", "leave", "move_head", "set_emotion"} <= set(model.offered)
        told = sim.status()["chat"]
        assert told == {"state": "idle", "tools": len(model.offered)}, told

        told = sim.say("leave")  # Its process ends while the robot waits for it.
        assert told["ok"], told
        # The second where the robot was asked something on that stream before.
        assert told["text"] in (
            "It says: unreachable: Disconnected: The server has left",
            "It says: the tool failed: Tool call failed: The server has left",
        ), told
        wait_for(lambda: sim.state("talking") == {"state": "up", "tools": 5}, 20)
        wait_for(lambda: sim.say("count").get("text") == "It says: 2", 20)


def test_two_at_once_one_of_them_fastmcp(model, tmp_path):
    path = tmp_path / "small.py"
    path.write_text(_FASTMCP)
    fastmcp = "small=" + line([sys.executable, path])
    with Sim(tmp_path, model, "talking=" + line(TALKING), fastmcp) as sim:
        wait_for(lambda: sim.state("small")["tools"] == 2 and sim.state("talking")["tools"] == 5, 40)
        assert sim.say('echo {"message": "hello"}')["text"] == "It says: Echo: hello"
        # Both have it, so that it is nobody's without the name.
        assert {"small_leave", "talking_leave"} <= set(model.offered) and "leave" not in model.offered
        told = sim.say("small_leave")
        assert told["refusals"][0][1].startswith("unreachable: Disconnected: "), told
        assert sim.state("talking")["state"] == "up"
        wait_for(lambda: sim.state("small") == {"state": "up", "tools": 2}, 40)
        assert sim.say('echo {"message": "again"}')["text"] == "It says: Echo: again"


def test_two_simulated_robots_in_each_others_dialogue(model, tmp_path):
    ports = free_port(), free_port()

    def robot(own, other):
        url = "http://127.0.0.1:%d/mcp" % ports[other]
        more = {"servers.names": ["other"], "servers.urls": [url], "servers.tokens": [TOKEN]}
        return Sim(tmp_path / str(own), model, port=ports[own], more=more)

    with robot(0, 1) as a, robot(1, 0) as b:
        for one in (a, b):  # The first of them has found nobody when it began.
            wait_for(lambda one=one: one.state("other").get("tools", 0) > 15, 20)
        assert a.say('other_set_emotion {"emotion": "happy"}')["ok"]
        assert b.say('other_set_emotion {"emotion": "sad"}')["ok"]
        assert (a.status()["face"]["emotion"], b.status()["face"]["emotion"]) == ("sad", "happy")
        assert {"move_head", "other_move_head"} <= set(model.offered)
        assert TOKEN not in json.dumps(a.status())


def used(url, *calls):
    """What the robot's client has of a server, under MicroPython: list of names, and of a text or an error each."""
    script = ROOT / "host_tests" / "peers" / "try_calls.py"
    command = [interpreter.need(), script, url + "/mcp", TOKEN, *map(json.dumps, calls)]
    status, said = run_limited(command, env=interpreter.environment(), cwd=ROOT)
    assert status == "", said
    return [json.loads(one[1:]) for one in said.splitlines() if one.startswith("@")]


def proxied(*command):
    return listening("proxy", "--token-env", "KIT_TOKEN", "--", *command, env=environment(KIT_TOKEN=TOKEN))


def test_the_client_through_a_proxy_to_server_everything(node):
    with proxied(node, _EVERYTHING, "stdio") as server:
        calls = ["echo", {"message": "hi"}], ["get-sum", {"a": 2, "b": 3}], ["get-sum", {"a": "x"}]
        names, *results = used(server.url, *calls)
        assert len(names) >= 10 and "echo" in names
        assert results[0] == "Echo: hi" and "5" in results[1] and "rror" in results[2]


def test_the_client_through_a_proxy_to_fastmcp(tmp_path):
    path = tmp_path / "small.py"
    path.write_text(_FASTMCP)
    with proxied(sys.executable, path) as server:
        calls = ["echo", {"message": "hi"}], ["leave", {}], ["echo", {"message": "again"}], ["echo", {}]
        names, first, crash, lost, wrong = used(server.url, *calls)
        assert (names, first) == (["echo", "leave"], "Echo: hi")
        assert crash == "Disconnected: Disconnected: The server has left"
        # The proxy has started it anew; the session is another one, and the call was not sent twice.
        assert lost in ("Echo: again", "again after SessionLost: Echo: again")
        assert "rror" in wrong
