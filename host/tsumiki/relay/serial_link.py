"""A robot on a serial line, for a client that does not notice when the robot begins anew.

The line is the robot's console too: what is no message goes to stderr. When the robot has restarted, or was away, it
is asked whether it is there, and hears of the session what it must know; the client hears nothing. What was sent and
not answered then gets an error, and is never sent again: a robot may have moved already.
"""

import re
import threading
import time

from . import messages
from .in_flight import Entry, InFlight
from .line_session import LineSession
from .outbox import Outbox

WAIT_S = 30  # for a robot that is away; after that a request is refused

_PROBE_S = 2
_PROMPT_PROBE_S = 10
_OPEN_S = 1
_TELL_S = 10
_SILENT_S = 20  # with requests in flight: then it is asked
_DEAD_S = 10
_SUSPECT_S = 3
_GREETING = re.compile(rb"tsumiki \S+: MCP on this line$")
# What the boot ROM of an ESP32 and MicroPython say of a reset.
_RESET = re.compile(rb"(ets [A-Z][a-z]{2} |ESP-ROM:|rst:0x|MPY: soft reboot)")
_PROMPT = b">>> "
# Ends whatever line was begun, and what another bridge left with the robot: see `net.lines.LineServer`.
_NEW_CLIENT = b"\n\x18\n"
_MESSAGE = b'{"jsonrpc"'
_OUR_ID = re.compile(rb'"id":"([0-9a-f]+-[0-9]+)"')

AWAY, GREETED, THERE = range(3)


class SerialLink:
    """open_port: function that returns a `serial_port.Port`.  name: str, what people call it.

    errors: exceptions of a port.  wait_s, silent_s, dead_s, suspect_s: see above.
    """

    def __init__(self, open_port, name, client, errors, wait_s=WAIT_S, silent_s=_SILENT_S, dead_s=_DEAD_S,
                 suspect_s=_SUSPECT_S):  # fmt: skip
        self._open_port = open_port
        self._name = name
        self._client = client
        self._errors = errors
        self._wait_s = wait_s
        self._silent_s = silent_s
        self._dead_s = dead_s
        self._suspect_s = suspect_s
        self._lock = threading.RLock()
        self._in_flight = InFlight()
        self._session = LineSession(self._in_flight.new_id)
        self._waiting = []  # (entry, until when)
        self._state = AWAY
        self._out = None
        self._probe = None  # its id
        self._suspect = None  # (id on the line, until when) of a request that was perhaps not read
        self._probed = self._heard = self._told = 0.0
        self._at_prompt = False
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self):
        self._thread.start()

    def take(self, message):
        """A message of the client's, dict."""
        with self._lock:
            if messages.is_request(message):
                self._request(Entry(message))
            elif message.get("method") == messages.CANCELLED:
                self._cancel(messages.params(message).get("requestId"))
            else:
                self._session.saw(message)
                if self._state == THERE:
                    self._send(message)

    def close(self, within_s=1.0):
        """Wait a moment for answers, and give up what is still in flight: the robot need not go on with it."""
        end = time.monotonic() + within_s
        while time.monotonic() < end and self._owes():
            time.sleep(0.01)
        with self._lock:
            self._closing.set()
            if self._out:
                for inner, _ in self._in_flight.entries():
                    self._send(messages.notification(messages.CANCELLED, requestId=inner))
                self._out.finish(within_s)
        self._thread.join(within_s)

    def _owes(self):
        with self._lock:
            return self._waiting or any(not entry.listens for _, entry in self._in_flight.entries())

    def _request(self, entry):
        self._session.saw(entry.message)
        if self._state == THERE:
            self._out.put(messages.dump(self._in_flight.enter(entry)), entry)
        else:
            self._waiting.append((entry, time.monotonic() + self._wait_s))

    def _cancel(self, id):
        waiting = [pair for pair in self._waiting if pair[0].id != id]
        if len(waiting) < len(self._waiting):
            self._waiting = waiting
            return
        inner = self._in_flight.cancelled(id)
        if inner is not None and self._out:
            self._send(messages.notification(messages.CANCELLED, requestId=inner))

    def _send(self, message):
        self._out.put(messages.dump(message))

    # The thread that holds the port open, for as long as the client is there.
    def _run(self):
        while not self._closing.is_set():
            try:
                port = self._open_port()
            except self._errors as e:
                self._tell_away("waiting for %s: %s" % (self._name, e))
                self._expire()
                self._closing.wait(_OPEN_S)
                continue
            try:
                self._talk(port)
            finally:
                port.close()

    def _talk(self, port):
        with self._lock:
            self._out = Outbox(port, self._errors)
            self._out.put(_NEW_CLIENT)
            self._ask()
        try:
            while not self._closing.is_set():
                for line in port.lines():
                    if line:
                        self._line(line)
                if port.begun.startswith(_PROMPT):
                    self._prompt()
                self._tick()
        except self._errors as e:
            self._lost("%s is gone: %s" % (self._name, e))
        finally:
            with self._lock:
                out, self._out = self._out, None
            out.close()

    def _tick(self):
        now = time.monotonic()
        with self._lock:
            if self._out.error:
                raise self._out.error
            if self._suspect:
                self._judge(now)
            if self._state == THERE:
                self._watch(now)
            elif now - self._probed > (_PROMPT_PROBE_S if self._at_prompt else _PROBE_S):
                self._ask()
        if self._state != THERE:
            self._tell_away("waiting for the robot on %s to answer" % self._name)
            self._expire()

    # A robot that hangs says nothing, and the line is there all the same.
    def _watch(self, now):
        if not self._probe and now - max(self._heard, self._probed) > self._silent_s and self._owes():
            self._ask()
        elif self._probe and now - self._probed > self._dead_s:
            self._lost("the robot does not answer any more")

    def _ask(self):
        self._probe = self._in_flight.new_id()
        self._probed = time.monotonic()
        self._send(self._session.probe(self._probe))

    def _line(self, line):
        at = 0 if line.startswith(b"{") else line.find(_MESSAGE)
        found = messages.load(line[at:]) if at >= 0 else None
        if not isinstance(found, dict) or found.get("jsonrpc") != "2.0":
            if at >= 0 and line.startswith(_MESSAGE, at):
                return self._damaged(line[at:])
            return self._console(line)
        if at > 0:
            self._console(line[:at])
        with self._lock:
            self._heard = time.monotonic()
            if "method" in found:
                self._noted(found)
            else:
                self._answered(found)

    # What the robot prints beside messages.
    def _console(self, line):
        if line.startswith(_PROMPT):
            return self._prompt()
        if _GREETING.search(line) or _RESET.match(line):
            if self._state != AWAY or _RESET.match(line):
                self._lost("the robot has restarted")
            with self._lock:
                self._at_prompt = False
                if _GREETING.search(line):
                    self._ask()
        self._client.tell("robot: " + line.decode("utf-8", "replace"))

    def _prompt(self):
        if not self._at_prompt:
            self._lost("the robot's program has ended, it is at its prompt: press its reset button")
        self._at_prompt = True

    def _damaged(self, line):
        self._client.tell("a damaged message came: %s" % line[:80].decode("utf-8", "replace"))
        found = _OUR_ID.search(line)
        with self._lock:
            entry = self._in_flight.leave(found.group(1).decode()) if found else None
        if entry is not None:
            self._client.fail(
                entry.id, "the answer came damaged over the line: it may or may not have been carried out"
            )

    def _noted(self, message):
        if "id" in message:  # The robot asks the client.
            return self._client.send(message)
        found = self._in_flight.noted(message)
        if found is not None:
            self._client.send(found)

    def _answered(self, message):
        id = message.get("id")
        if id is None:
            return self._refused(message)
        if id == self._probe:
            self._probe = None
            if self._state != THERE:
                self._state = GREETED
                self._at_prompt = False
                self._step(self._session.begin())
            return
        if self._session.is_opening(id):
            return self._step(self._session.opened(message, self._client.tell))
        entry, found = self._in_flight.answered(message)
        if entry is not None:
            self._session.answered(entry, message)
            self._client.send(found)

    # Sends what belongs to the session; when that is all, the robot is there for the client.
    def _step(self, opening):
        for message in opening:
            self._send(message)
        if self._session.is_open:
            self._state = THERE
            self._told = 0.0
            self._client.tell("the robot is there")
            waiting, self._waiting = self._waiting, []
            for entry, _ in waiting:
                self._request(entry)

    # The robot could not read a line, and cannot tell whose it was: perhaps the one request that has no answer yet.
    def _refused(self, message):
        if self._state != THERE:
            return
        self._client.tell("the robot could not read a line: %s" % message.get("error"))
        found = [inner for inner, entry in self._in_flight.entries() if not entry.listens]
        if len(found) == 1:
            self._suspect = (found[0], time.monotonic() + self._suspect_s)

    def _judge(self, now):
        inner, until = self._suspect
        if now > until:
            self._suspect = None
            entry = self._in_flight.leave(inner)
            if entry is not None:
                self._client.fail(
                    entry.id,
                    "the robot could not read a line, which may have been this one's: it has no answer",
                )

    def _lost(self, why):
        with self._lock:
            was, self._state = self._state, AWAY
            self._probe = None
            self._session.close()
            unsent = self._out.clear() if self._out else []
            until = time.monotonic() + self._wait_s
            for inner, entry in self._in_flight.entries():
                self._in_flight.leave(inner)
                if entry.listens or entry in unsent or entry.message["method"] == messages.INITIALIZE:
                    self._waiting.append((entry, until))
                else:
                    self._client.fail(
                        entry.id, "%s: this was in flight, and may or may not have been carried out" % why
                    )
        if was == THERE:
            self._told = time.monotonic()
            self._client.tell(why)

    def _tell_away(self, text):
        now = time.monotonic()
        if now - self._told > _TELL_S:
            self._told = now
            self._client.tell(text)

    def _expire(self):
        now = time.monotonic()
        with self._lock:
            late = [entry for entry, until in self._waiting if until < now and not entry.acknowledged]
            self._waiting = [pair for pair in self._waiting if pair[0] not in late]
        for entry in late:
            self._client.fail(
                entry.id,
                "the robot on %s was not there for %d s: this was not sent" % (self._name, self._wait_s),
            )
