"""Event streams between a robot and the client: of a request, of what a client listens to, of an older session."""

import threading

from . import messages
from .http_call import Lost, NotSent

_SSE = "text/event-stream"
_SOON_S = 0.1
_LONGEST_S = 30


class Streams:
    """link: `http_link.HttpLink`.  again_s: until a stream that has ended is asked for again, and then ever longer."""

    def __init__(self, link, again_s):
        self._again_s = again_s
        self._link = link
        self._call = None
        self._thread = None

    def relay(self, entry, answer):
        """All that comes before the answer to a request, and that.  Raises Lost.

        A stream of an older session that ends before is resumed, where its server tells from where (2025-11-25).
        """
        while True:
            if self._pass(entry, answer):
                return
            if not answer.last_id or messages.modern_version(entry.message):
                raise Lost("the stream ended before the answer")
            self._link.closing.wait((answer.retry_ms or 1000) / 1000)
            headers = dict(self._link.headers(entry), **{"Last-Event-ID": answer.last_id.decode()})
            answer = self._link.post(None, headers, "GET", entry=entry)
            if answer.status != 200 or answer.kind != _SSE:
                answer.leave()
                raise Lost("the stream ended before the answer")

    # True if the answer came.
    def _pass(self, entry, answer):
        try:
            for data in answer.events():
                found = messages.load(data)
                if not isinstance(found, dict):
                    continue
                if "method" not in found and found.get("id") == entry.id:
                    self._link.answered(entry, found, answer)
                    answer.leave()
                    return True
                self._link.client.send(found)
        except Lost:
            if not answer.last_id:
                raise
        return False

    def listen(self, entry):
        """What a client of 2026-07-28 listens to, again and again until it is enough."""
        wait_s = self._again_s
        link = self._link
        while not entry.cancelled and not link.closing.is_set():
            try:
                answer = link.post(entry.message, link.headers(entry), endless=True, entry=entry)
                if answer.status != 200 or answer.kind != _SSE:
                    if not entry.acknowledged or answer.status != 503:
                        return link._relay(entry, answer)
                    answer.leave()
                elif self._hear(entry, answer):
                    return
                else:
                    wait_s = self._again_s
            except (Lost, NotSent):
                if not entry.acknowledged:
                    raise
            link.closing.wait(wait_s)
            wait_s = min(2 * wait_s, _LONGEST_S)

    # True if the stream has ended as it should.
    def _hear(self, entry, answer):
        try:
            for data in answer.events():
                found = messages.load(data)
                if not isinstance(found, dict) or entry.cancelled:
                    continue
                if "method" not in found:
                    self._link.answered(entry, found, answer)
                    return True
                if found["method"] != messages.ACKNOWLEDGED or not entry.acknowledged:
                    self._link.client.send(found)
                entry.acknowledged = True
        except Lost:
            if not entry.acknowledged:
                raise
        return False

    def begin(self):
        """Hold the stream of an older session open, if its server has one."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._hold, daemon=True)
            self._thread.start()

    def again(self):
        """The session is another one."""
        if self._call:
            self._call.leave()

    def close(self):
        self.again()

    def _hold(self):
        link = self._link
        wait_s = self._again_s
        last_id = b""
        broken = False
        while not link.closing.is_set():
            session = link.session
            headers = session.headers()
            if last_id:
                headers["Last-Event-ID"] = last_id.decode()
            try:
                self._call = answer = link.post(None, headers, "GET", endless=True)
                if answer.status == 404 and session.id:
                    answer.leave()
                    link.renew(session)
                    broken = False
                    wait_s = _SOON_S
                elif answer.status != 200 or answer.kind != _SSE:
                    answer.leave()
                    self._thread = None
                    return
                else:
                    if broken:
                        link.say_again()
                    wait_s = self._again_s
                    self._tell_all(answer)
            except (Lost, NotSent):
                broken = True
            last_id = self._call.last_id if self._call and link.session is session else b""
            link.closing.wait(wait_s)
            wait_s = min(2 * wait_s, _LONGEST_S)

    def _tell_all(self, answer):
        for data in answer.events():
            found = messages.load(data)
            if isinstance(found, dict):
                self._link.client.send(found)
