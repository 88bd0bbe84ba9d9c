"""What goes to a port, in a thread of its own: a board reads slowly, and nobody else should wait for it."""

import threading
import time
from collections import deque


class Outbox:
    """port: has write(data).  errors: exceptions that its write raises.  error: the one that it did raise, or None."""

    def __init__(self, port, errors):
        self._port = port
        self._errors = errors
        self._queue = deque()
        self._change = threading.Condition()
        self._ends = self._writing = False
        self.error = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def put(self, data, entry=None):
        """data: bytes.  entry: what it belongs to."""
        with self._change:
            self._queue.append((data, entry))
            self._change.notify_all()

    def clear(self):
        """Forget what was not begun; returns the entries of it."""
        with self._change:
            found = [entry for _, entry in self._queue if entry is not None]
            self._queue.clear()
            return found

    def finish(self, within_s):
        """Wait until all is written, or for so long."""
        end = time.monotonic() + within_s
        with self._change:
            while (self._queue or self._writing) and not self.error and time.monotonic() < end:
                self._change.wait(end - time.monotonic())

    def close(self):
        """Write nothing any more."""
        with self._change:
            self._ends = True
            self._change.notify_all()
        self._thread.join()

    def _run(self):
        while True:
            with self._change:
                self._writing = False
                self._change.notify_all()
                while not self._queue and not self._ends:
                    self._change.wait()
                if self._ends:
                    return
                data, _ = self._queue.popleft()
                self._writing = True
            try:
                self._port.write(data)
            except self._errors as e:
                self.error = e
                return
