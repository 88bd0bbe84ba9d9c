"""Robots reboot: the clients that people use go on after their server was killed and started again.

The server is as it is by default; it keeps its preferences. Only what is in flight at the kill is lost.
"""

import json
from contextlib import contextmanager

import pytest

from free_ports import free_port
from peers import reboot_clients
from processes import Server

TOKEN = "reboot-token-0123456789"
CLIENTS = dict(reboot_clients.MODERN, **reboot_clients.LEGACY)
# In the Python SDK a request that gets no answer from the network ends the whole client (2.3: the task of a POST lets
# its error through), whatever the server is. FastMCP is made of it.
ENDING = ("python", "python-legacy", "fastmcp")
STEADY = tuple(name for name in CLIENTS if name not in ENDING)


class Robot:
    """The server, which can be killed and started on the same port."""

    def __init__(self, path):
        self._path = path
        path.write_text(json.dumps({"mcp.token": TOKEN}))
        self._port = free_port()
        self._server = None
        self.start()

    def start(self):
        self._server = Server("host_tests/peers/reboot_server.py", self._port, self._path)
        self.url = self._server.url + "/mcp"

    def kill(self):
        assert self._server.running(), self._server.output()
        self._server.close()


@pytest.fixture
def robot(tmp_path):
    robot = Robot(tmp_path / "config.json")
    yield robot
    robot.kill()


@contextmanager
def connected(name, robot):
    client = CLIENTS[name](robot.url, TOKEN)
    try:
        yield client
    finally:
        client.close()


@contextmanager
def ending(name, robot):
    """A client that ends itself."""
    client = CLIENTS[name](robot.url, TOKEN)
    yield client
    with pytest.raises(Exception):  # noqa: B017, whatever its network said
        client.close()


def called(client, tool):
    return client.begin(tool).result(reboot_clients.SECONDS)


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_goes_on_after_a_restart(robot, name):
    with connected(name, robot) as client:
        assert [called(client, "count"), called(client, "count")] == ["1", "2"]
        for _ in range(2):
            robot.kill()
            robot.start()
            assert [called(client, "count"), called(client, "count")] == ["1", "2"]


@pytest.mark.parametrize("name", STEADY)
def test_only_the_call_in_flight_is_lost(robot, name):
    with connected(name, robot) as client:
        lost = client.begin("wait")
        assert called(client, "count") == "1"
        assert not lost.done()
        robot.kill()
        robot.start()
        assert called(client, "count") == "1"
        assert lost.exception(reboot_clients.SECONDS)
        assert called(client, "count") == "2"


@pytest.mark.parametrize("name", STEADY)
def test_a_call_while_the_server_is_away_fails_and_the_next_is_answered(robot, name):
    with connected(name, robot) as client:
        assert called(client, "count") == "1"
        robot.kill()
        assert client.begin("count").exception(reboot_clients.SECONDS)
        robot.start()
        assert called(client, "count") == "1"


@pytest.mark.parametrize("name", ENDING)
def test_a_client_that_ends_itself_with_a_lost_call_can_be_made_anew(robot, name):
    with ending(name, robot) as client:
        lost = client.begin("wait")
        assert called(client, "count") == "1"
        robot.kill()
        robot.start()
        assert lost.exception(reboot_clients.SECONDS)
        assert client.begin("count").exception(reboot_clients.SECONDS)
    with connected(name, robot) as client:
        assert called(client, "count") == "1"


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_can_still_be_asked_after_a_restart(robot, name):
    with connected(name, robot) as client:
        assert called(client, "count") == "1"
        robot.kill()
        robot.start()
        greeting = client.begin("ask")
        assert client.asked.wait(reboot_clients.SECONDS)
        client.answer()
        assert greeting.result(reboot_clients.SECONDS) == "Hello, Ada"


@pytest.mark.parametrize("name", reboot_clients.MODERN)
def test_a_question_of_before_the_restart_is_answered_after_it(robot, name):
    with connected(name, robot) as client:
        greeting = client.begin("ask")
        assert client.asked.wait(reboot_clients.SECONDS)
        robot.kill()
        robot.start()
        client.answer()
        assert greeting.result(reboot_clients.SECONDS) == "Hello, Ada"
