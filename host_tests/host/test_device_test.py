"""`device-test` against a stand-in board with the whole firmware on it."""

import json
import os
import re
import select
import socket
import threading

import pytest

from free_ports import free_port
from host.device import StandIn
from tsumiki import cli, device_test
from tsumiki.board_table import BOARDS
from tsumiki.device import Device
from tsumiki.errors import Failed
from tsumiki.payload import payload
from tsumiki.slots import Slots

TOKEN = "the-token-of-the-owner"
_SPREAD = r"p50 (\d+\.\d) ms, p95 (\d+\.\d) ms of 5 calls"


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    """A stand-in with the firmware on it; what it starts by itself is stopped, for it would listen on the network."""
    standin = StandIn(tmp_path_factory.mktemp("board"), blocks=1024)
    try:
        with Device(standin.port) as device:
            Slots(device).install(payload(BOARDS["m5stack_core2"]))
            device.replace("/main.py", b"print('started')\n")
            device.replace("/config.json", json.dumps({"mcp.token": TOKEN}).encode())
        yield standin
    finally:
        standin.close()


def _run(board, *more):
    words = ["device-test", "--port", board.port, "--calls", "5", "--seconds", "0.3"]
    return cli.main([*words, "--loop-port", str(free_port()), *more])


def _rows(text):
    return {line[:34].strip(): line[35:] for line in text.splitlines() if len(line) > 35}


def test_what_is_measured(board, capsys):
    assert _run(board) == 0
    said = capsys.readouterr().out
    rows = _rows(said)
    assert rows["firmware"] == "tsumiki 0.1.0" and rows["MicroPython"].startswith("MicroPython ")
    costs = {
        name: int(re.search(r"(\d+) bytes", rows["import " + name]).group(1))
        for name, _ in device_test.LAYERS
    }
    assert all(cost > 1000 for cost in costs.values()) and costs["umcp"] > costs["mcpserver"]
    assert rows["IDF heap at first"] == "none on this port"
    for name in ("MCP inside the robot", "MCP over the serial line"):
        p50, p95 = re.fullmatch(_SPREAD, rows[name]).groups()
        assert 0 < float(p50) <= float(p95)
    assert "not tested" in rows["MCP over the network"]
    assert said.endswith("all passed\n")


def _robot(start_server, tmp_path, token):
    (tmp_path / "config.json").write_text(json.dumps({"mcp.token": token}))
    return start_server("examples/sim.py", "--port", "{port}", "--home", tmp_path)


def test_over_the_network(board, capsys, start_server, tmp_path):
    robot = _robot(start_server, tmp_path, TOKEN)
    assert _run(board, "--host", "127.0.0.1:%d" % robot.port) == 0
    assert re.fullmatch(_SPREAD, _rows(capsys.readouterr().out)["MCP over the network"])


def test_a_robot_that_refuses_is_a_failure(board, capsys, start_server, tmp_path):
    robot = _robot(start_server, tmp_path, "another-token-than-that")
    assert _run(board, "--host", "127.0.0.1:%d" % robot.port) == 1
    said = capsys.readouterr().out
    assert "FAILED: 127.0.0.1:%d answers 401" % robot.port in said and said.endswith("1 failed\n")


def test_nobody_there_is_a_failure(board, capsys):
    assert _run(board, "--host", "127.0.0.1:%d" % free_port()) == 1
    assert "MCP over the network               FAILED: " in capsys.readouterr().out


def test_a_busy_port_inside_the_robot_is_a_failure(board, capsys, start_server, tmp_path):
    robot = _robot(start_server, tmp_path, TOKEN)
    assert _run(board, "--loop-port", str(robot.port)) == 1
    rows = _rows(capsys.readouterr().out)
    assert rows["MCP inside the robot"].startswith("FAILED: ")
    assert re.fullmatch(_SPREAD, rows["MCP over the serial line"])


def _carry(listener, path):
    """A serial port on the network, as a terminal server has it: carries one connection after the other."""
    line = os.open(path, os.O_RDWR | os.O_NOCTTY)
    try:
        while True:
            connection, _ = listener.accept()
            with connection:
                while True:
                    ready, _, _ = select.select([connection, line], [], [])
                    data = os.read(line, 4096) if line in ready else b""
                    connection.sendall(data)
                    if connection in ready:
                        data = connection.recv(4096)
                        if not data:
                            break
                        os.write(line, data)
    except OSError:
        pass  # The test is over.
    finally:
        os.close(line)


def test_a_port_of_pyserials_urls(board, capsys):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_carry, args=(listener, board.port), daemon=True).start()
        url = "socket://127.0.0.1:%d" % listener.getsockname()[1]
        with Device(url) as device:
            assert device.run("print(6 * 7)") == "42\n"
        listener.shutdown(socket.SHUT_RDWR)


def test_a_board_without_the_firmware(tmp_path):
    empty = StandIn(tmp_path, blocks=32)
    try:
        with Device(empty.port) as device, pytest.raises(Failed, match=r"not on the board.*make deploy"):
            device_test._prepare(device)
            device_test._memory(device, device_test.Report())
    finally:
        empty.close()


def test_percentiles():
    assert device_test.spread([7.0]) == "p50 7.0 ms, p95 7.0 ms of 1 calls"
    assert (
        device_test.spread([float(i) for i in range(100, 0, -1)]) == "p50 50.0 ms, p95 95.0 ms of 100 calls"
    )
