"""Whole conversations with the server: wire/*.txt.

`> JSON` is what a client sends, `< STATUS JSON` what it gets (a 202 has no JSON). `! sessions KIND` starts a server;
`! header VERSION`, `! session issued`, `! session none` and `! session TEXT` say what the next requests carry; `#` is
a comment. A session id is used from its answer on, as a client does.
"""

import json
import os

from serving import Peer, make, post

from harness import eq
from umcp.off import Off
from umcp.ram import Ram
from umcp.sealed import Sealed

FOLDER = __file__.rsplit("/", 1)[0] + "/wire"
STORES = {"off": Off, "ram": Ram, "sealed": lambda: Sealed(b"k" * 32)}


class Conversation:
    def __init__(self, lines):
        self.checked = 0
        self._lines = lines
        self._issued = self._answer = None
        self._set("sessions", "off")

    def _set(self, what, value):
        if what == "sessions":
            self._server = make(sessions=STORES[value]())
            self._peer = Peer()
        elif what == "header":
            self._peer.protocol_version = None if value == "none" else value.encode()
        else:
            assert what == "session", what
            self._peer.session_id = {"issued": self._issued, "none": None}.get(value, value.encode())

    def run(self):
        for number, line in enumerate(self._lines):
            try:
                self._line(line[:1], line[1:].strip())
            except AssertionError as e:
                raise AssertionError("line %d: %s" % (number + 1, e))
        assert self._answer is None, "the last answer is not looked at"

    def _line(self, mark, rest):
        if mark == ">":
            assert self._answer is None, "the answer before is not looked at"
            status, body, id = post(self._server, rest, self._peer)
            self._answer = (status, body)
            if id is not None:
                self._issued = self._peer.session_id = id
        elif mark == "<":
            status, _, body = rest.partition(" ")
            eq(self._answer, (int(status), json.loads(body) if body else None))
            self._answer = None
            self.checked += 1
        elif mark == "!":
            what, value = rest.split()
            self._set(what, value)
        else:
            assert mark in ("#", ""), mark


def test_conversations_go_as_they_are_written():
    names = sorted([name for name in os.listdir(FOLDER) if name.endswith(".txt")])
    assert len(names) > 5, names
    for name in names:
        with open(FOLDER + "/" + name, "rb") as f:
            conversation = Conversation(f.read().decode().split("\n"))
        try:
            conversation.run()
        except AssertionError as e:
            raise AssertionError("%s, %s" % (name, e))
        assert conversation.checked > 1, name


def test_a_conversation_that_differs_is_noticed():
    for lines in (["> {}", "< 200"], ["> {}"], ["> {}", "> {}"], ["? x"]):
        try:
            Conversation(lines).run()
        except AssertionError:
            continue
        raise AssertionError(lines)
