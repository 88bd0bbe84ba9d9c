"""What a robot's tap gives is a cassette: it loads, and plays."""

import json

from stub.tap import Tap
from tsumiki import cassette
from tsumiki.tape import Tape


def test_the_rows_of_a_robot_are_a_cassette(tmp_path):
    tap = Tap(9, ("the-robots-own-token",))
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    for i, text in enumerate(("hello", "say the-robots-own-token")):
        message = dict(asked, id=i, params={"name": "echo", "arguments": {"text": text}})
        tap.add("c2s", json.dumps(message).encode())
        content = {"content": [{"type": "text", "text": text}]}
        tap.add("s2c", json.dumps({"jsonrpc": "2.0", "id": i, "result": content}).encode())
    tap.add("c2s", b"no JSON")
    path = tmp_path / "robot.ndjson"
    path.write_bytes(tap.text())
    loaded = cassette.load(path)
    takes = Tape(loaded.rows).takes
    assert len(takes) == 2
    assert "own-token" not in path.read_text()
