"""The client: an AI's program that has started this one, and talks to its stdin and stdout."""

import sys
import threading

from . import messages


class Client:
    """out: file of bytes for messages.  err: file of text for people.

    gone: bool, nobody reads the messages any more.
    """

    def __init__(self, out, err):
        self._out = out
        self._err = err
        self._lock = threading.Lock()
        self.gone = False

    def send(self, message):
        """message: dict. From any thread; never raises."""
        line = messages.dump(message)
        with self._lock:
            try:
                self._out.write(line)
                self._out.flush()
            except (OSError, ValueError):
                self.gone = True

    def fail(self, id, text, code=messages.INTERNAL_ERROR):
        """Answer a request with an error."""
        self.send(messages.error(id, text, code))

    def tell(self, text):
        """Say something to whoever reads the log. It may come from the robot: what a terminal obeys is left out."""
        plain = "".join(c if c.isprintable() else "?" for c in text)
        try:
            print(plain, file=self._err, flush=True)
        except (OSError, ValueError):
            pass


def serve(lines, link, client):
    """Give each line (bytes) of the client's to the link, until they end; a batch goes as its messages, one by one."""
    for line in lines:
        if client.gone:
            return
        if not line.strip():
            continue
        found = messages.load(line)
        if found is None:
            client.fail(None, "Parse error", messages.PARSE_ERROR)
            continue
        for message in found if isinstance(found, list) else [found]:
            if isinstance(message, dict) and ("method" in message or "id" in message):
                link.take(message)
            else:
                client.fail(None, "Invalid Request", messages.INVALID_REQUEST)


def stdio():
    """A `Client` on stdout and stderr. Whatever else prints goes to stderr from now on."""
    out = sys.stdout.buffer
    sys.stdout = sys.stderr
    return Client(out, sys.stderr)
