"""What the virtual chips share as processes: a server of one chip on loopback, and the connection of who looks on."""

import socket
import socketserver
import threading


class ChipServer(socketserver.ThreadingTCPServer):
    """Serves one chip on `port` of 127.0.0.1 (0: any; see `server_address`); `serve_forever()` runs it.

    chip: the virtual chip; lock: held while it is used.  connection: the class that handles one.
    """

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, chip, connection, port=0):
        super().__init__(("127.0.0.1", port), connection)
        self.chip = chip
        self.lock = threading.Lock()


class Onlooker:
    """A connection to such a server, as a base.  Raises OSError where there is none."""

    def __init__(self, port, host="127.0.0.1", seconds=10):
        self._sock = socket.create_connection((host, port), seconds)
        self._file = self._sock.makefile("rb")

    def close(self):
        self._file.close()
        self._sock.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
