"""A robot on the network, for a client that does not notice when the robot begins anew.

Each request has a thread. What cannot leave waits for the robot; what has left and has no answer gets an error, and a
call of a tool is never sent twice: a robot may have moved already.
"""

import threading
import time

from . import messages
from .http_call import Lost, NotSent, Pool
from .http_session import Session, Tools, modern_headers
from .http_streams import Streams
from .in_flight import Entry
from .replay import Replay

WAIT_S = 30  # for a robot that is away; after that a request is refused
_AGAIN_S = 1
_TELL_S = 10
_PLACES = 3  # requests at once: the robot serves four connections, and a stream is one
_SSE = "text/event-stream"
_LIST_TOOLS = "tools/list"
_MOST_PAGES = 20
_PING = {"jsonrpc": "2.0", "id": "tsumiki-ping", "method": "ping"}
_HEADER_MISMATCH = -32020

IN_FLIGHT = "the connection broke (%s): this was in flight, and may or may not have been carried out"
_ANEW = "the robot had forgotten the session, which is open again now: this was not carried out, ask again"
_REFUSED = {
    401: "the robot refuses the token: is TSUMIKI_TOKEN the one that it shows?",
    403: "the robot refuses this address of its own: name it in net.allowed_hosts",
    503: "the robot is busy: try again later",
}


class HttpLink:
    """target: `address.Target`.  token: str or None.  wait_s: see WAIT_S.  listen_again_s: after a stream has ended."""

    def __init__(self, target, token, client, wait_s=WAIT_S, listen_again_s=1.0):
        self.client = client
        self._target = target
        self._token = token
        self._wait_s = wait_s
        self._pool = Pool(target)
        self._places = threading.Semaphore(_PLACES)
        self._lock = threading.Lock()
        self._renewing = threading.Lock()
        self._entries = []
        self._told = 0.0
        self._noted = threading.Event()  # the server knows that the client is initialized
        self._noted.set()
        self._replay = Replay()
        self._tools = Tools()
        self._streams = Streams(self, listen_again_s)
        self.session = None
        self.closing = threading.Event()

    def start(self):
        pass  # Nothing goes out before the client wants something.

    def take(self, message):
        """A message of the client's, dict."""
        if messages.is_request(message):
            entry = Entry(message)
            with self._lock:
                self._entries.append(entry)
            self._spawn(self._request, entry)
        elif message.get("method") == messages.CANCELLED:
            self._cancel(message)
        else:
            if message.get("method") == messages.INITIALIZED:
                self._noted.clear()
            self._spawn(self._note, message)

    def close(self, within_s=1.0):
        """Wait a moment for answers, hang up, and end the session."""
        end = time.monotonic() + within_s
        while time.monotonic() < end and any(not entry.listens for entry in self._open()):
            time.sleep(0.01)
        self.closing.set()
        for entry in self._open():
            if not messages.modern_version(entry.message) and entry.call:
                self._quietly("POST", messages.notification(messages.CANCELLED, requestId=entry.id))
            self._hang_up(entry)
        self._streams.close()
        if self.session and self.session.id:
            self._quietly("DELETE", None)
        self._pool.close()

    def _open(self):
        with self._lock:
            return list(self._entries)

    @staticmethod
    def _spawn(work, *arguments):
        threading.Thread(target=work, args=arguments, daemon=True).start()

    # At the end nobody waits for it.
    def _quietly(self, method, message):
        try:
            self.post(message, self.session.headers() if self.session else {}, method, wait_s=0).leave()
        except Exception:
            pass

    # Sends a message when the robot is there: `Answer`. Raises NotSent, Lost, Failed.
    def post(self, message, headers, method="POST", endless=False, entry=None, wait_s=None):
        call = self._reach(self._wait_s if wait_s is None else wait_s, entry)
        if entry is not None:
            entry.call = call
            if entry.cancelled:
                call.close()
        body = messages.dump(message).rstrip() if message is not None else None
        fields = {"Accept": "application/json, " + _SSE}
        if body is not None:
            fields["Content-Type"] = "application/json"
        if self._token:
            fields["Authorization"] = "Bearer " + self._token
        return call.send(method, self._target.path, body, dict(fields, **headers), endless)

    def _reach(self, wait_s, entry):
        end = time.monotonic() + wait_s
        while True:
            try:
                return self._pool.call()
            except NotSent as e:
                if time.monotonic() > end or self.closing.is_set() or (entry and entry.cancelled):
                    raise
                self._tell_away(e)
            time.sleep(_AGAIN_S)

    def _tell_away(self, e):
        now = time.monotonic()
        if now - self._told > _TELL_S:
            self._told = now
            self.client.tell("waiting for the robot at %s:%d: %s" % (self._target.host, self._target.port, e))

    def _request(self, entry):
        try:
            if entry.listens:
                return self._streams.listen(entry)
            with self._places:
                self._ask(entry)
        except NotSent as e:
            self.fail(entry, "the robot was not there for %d s (%s): this was not sent" % (self._wait_s, e))
        except Lost as e:
            self.fail(entry, IN_FLIGHT % e)
        except Exception as e:
            self.fail(entry, str(e) or type(e).__name__)
        finally:
            with self._lock:
                self._entries.remove(entry)

    def fail(self, entry, text):
        """Answer with an error, unless it was cancelled."""
        if not entry.cancelled:
            self.client.fail(entry.id, text)

    def headers(self, entry):
        """What the request must say in its headers."""
        message = entry.message
        version = messages.modern_version(message)
        if version:
            return modern_headers(message, version, self._tools)
        if message["method"] == messages.INITIALIZE or not self.session:
            return {}
        return self.session.headers()

    def _ask(self, entry):
        message = entry.message
        method = message["method"]
        modern = messages.modern_version(message)
        if modern and method == messages.CALL and not self._tools.known:
            self._list_tools(message)
        if not modern and method != messages.INITIALIZE:
            self._noted.wait(self._wait_s)
        if not modern and method == messages.CALL:
            self._assure()
        session = self.session
        answer = self.post(message, self.headers(entry), entry=entry)
        if answer.status == 404 and session and session.id and not modern and method != messages.INITIALIZE:
            answer.body()
            self.renew(session)
            if method == messages.CALL:
                return self.fail(entry, _ANEW)
            answer = self.post(message, self.headers(entry), entry=entry)
        self._relay(entry, answer)

    # A call that finds its session lost cannot be sent again: so look first, where the robot may have restarted.
    def _assure(self):
        session = self.session
        if session and session.id and not self._pool.has_live():
            answer = self.post(_PING, session.headers())
            answer.body()
            if answer.status == 404:
                self.renew(session)

    # The names of the tools' parameters that go into headers, before the first call.
    def _list_tools(self, message):
        cursor = None
        for _ in range(_MOST_PAGES):
            params = {"_meta": {k: v for k, v in messages.meta(message).items() if k != "progressToken"}}
            if cursor is not None:
                params["cursor"] = cursor
            ask = {"jsonrpc": "2.0", "id": "tsumiki-tools", "method": _LIST_TOOLS, "params": params}
            version = messages.modern_version(message)
            answer = self.post(ask, modern_headers(ask, version, self._tools))
            found = None
            if answer.status != 200 or answer.kind == _SSE:
                answer.leave()
            else:
                found = messages.load(answer.body())
            result = found.get("result") if isinstance(found, dict) else None
            if not isinstance(result, dict):
                return
            self._tools.passed(result)
            cursor = result.get("nextCursor")
            if not isinstance(cursor, str):
                return

    def _relay(self, entry, answer):
        if answer.status == 200 and answer.kind == _SSE:
            return self._streams.relay(entry, answer)
        found = messages.load(answer.body())
        if not isinstance(found, dict) or found.get("jsonrpc") != "2.0" or "method" in found:
            text = _REFUSED.get(answer.status, "the robot answers with HTTP status %d" % answer.status)
            return self.fail(entry, text)
        if "error" in found and found.get("id") is None:
            found = dict(found, id=entry.id)
        self.answered(entry, found, answer)

    def answered(self, entry, message, answer):
        """The answer to a request, dict, goes to the client; what of it belongs to the session is kept."""
        if message.get("id") != entry.id:
            return self.fail(entry, "the robot answers another request")
        if messages.modern_version(entry.message):
            message = self._passed(entry, message)
        else:
            if entry.message["method"] == messages.INITIALIZE and isinstance(message.get("result"), dict):
                self.session = Session(answer.session_id, message["result"].get("protocolVersion"))
            self._replay.answered(entry, message)
        if not entry.cancelled:
            self.client.send(message)

    def _passed(self, entry, message):
        if entry.message["method"] == _LIST_TOOLS and isinstance(message.get("result"), dict):
            return dict(message, result=self._tools.passed(message["result"]))
        if isinstance(message.get("error"), dict) and message["error"].get("code") == _HEADER_MISMATCH:
            self._tools.forget()
        return message

    def renew(self, session):
        """The server has forgotten this session: open it again, once for all who notice.  Raises NotSent, Lost."""
        with self._renewing:
            if self.session is not session or not self._replay.request:
                return
            answer = self.post(self._replay.request, {})
            if answer.kind == _SSE:
                found = next((m for m in map(messages.load, answer.events()) if m and "result" in m), None)
                answer.leave()
            else:
                found = messages.load(answer.body())
            result = found.get("result") if isinstance(found, dict) else None
            if answer.status != 200 or not isinstance(result, dict):
                raise Lost("the robot opens no session any more")
            self.client.tell("the robot had forgotten the session: it is open again")
            self._replay.compare(result, self.client.tell)
            self.session = Session(answer.session_id, result.get("protocolVersion"))
            self.say_again()
            self._streams.again()

    def say_again(self):
        """Tell a server that has restarted what the client had said in its session.  Raises NotSent, Lost."""
        for message in self._replay.rest(lambda: "tsumiki-again"):
            self.post(message, self.session.headers()).body()

    # A notification, or an answer to what the robot has asked.
    def _note(self, message):
        self._replay.saw(message)
        try:
            if not messages.modern_version(message):
                self.post(message, self.session.headers() if self.session else {}).body()
        except Exception as e:
            self.client.tell("a message was not delivered: %s" % e)
        if message.get("method") == messages.INITIALIZED:
            self._noted.set()
            self._streams.begin()

    # In 2026-07-28 hanging up says it, before that a notification does.
    def _cancel(self, message):
        id = messages.params(message).get("requestId")
        for entry in self._open():
            if entry.id == id and type(entry.id) is type(id):
                entry.cancelled = True
                if messages.modern_version(entry.message):
                    self._hang_up(entry)
                else:
                    self._spawn(self._note, message)

    @staticmethod
    def _hang_up(entry):
        entry.cancelled = True
        if entry.call:
            entry.call.close()
