"""What the processes that play virtual chips share: a server on a port of 127.0.0.1, and whoever looks on from a test.

An onlooker that speaks JSON sends a line `{"do": ..., ...}` and gets a line back: `Onlooker.ask`, `answer_lines`.
"""

import json
import socket
import socketserver
import threading


class ChipServer(socketserver.ThreadingTCPServer):
    """A thread a connection, and one lock for what they all reach.

    connection: a `StreamRequestHandler`.  port: 0 for any, see `server_address`; `serve_forever()` runs it.
    """

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, connection, port=0):
        super().__init__(("127.0.0.1", port), connection)
        self.lock = threading.Lock()


class Onlooker:
    """A connection to a chip's process.  Raises OSError once that has gone.  what: str, for that error."""

    what = "chip"

    def __init__(self, port, host="127.0.0.1", seconds=10):
        self._sock = socket.create_connection((host, port), seconds)
        self._file = self._sock.makefile("rb")

    def ask(self, do, **more):
        """What it answers, dict.  Raises ValueError with what it says if it refuses."""
        self._sock.sendall(json.dumps(dict(more, do=do)).encode() + b"\n")
        line = self._file.readline()
        if not line:
            raise ConnectionError("the %s has gone" % self.what)
        answer = json.loads(line)
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer

    def close(self):
        self._file.close()
        self._sock.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


def is_onlooker(sock):
    """Whether the first byte of a connection is that of a JSON object; None if none comes."""
    first = sock.recv(1, socket.MSG_PEEK)
    return first == b"{" if first else None


def answer_lines(rfile, wfile, lock, act):
    """Answer an onlooker's lines till it goes.  act: called with `do` and the other members, returns a dict."""
    for line in rfile:
        try:
            wanted = json.loads(line)
            with lock:
                answer = act(wanted.pop("do"), wanted)
        except Exception as e:  # What a test asks in vain is its to see.
            answer = {"error": "%s: %s" % (type(e).__name__, e)}
        wfile.write(json.dumps(answer).encode() + b"\n")


def serve(server):
    """Say where it listens, and run it till Ctrl-C."""
    try:
        with server:
            print("listening on %s:%d" % server.server_address, flush=True)
            server.serve_forever()
    except KeyboardInterrupt:
        pass
