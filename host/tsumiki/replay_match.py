"""Which take of a tape answers a request: by method and arguments, each take once, in the order they were recorded."""

import copy
import hashlib
import json
import re

from stub import canon
from umcp.errors import LocalError

from .errors import Unreadable

AUTO = "auto"  # by arguments; where none were recorded, by method
METHOD = "method"  # by method alone
ARGS = "args"  # by arguments alone
STRICT = "strict"  # the next one of the tape, or none
MATCHES = (AUTO, METHOD, ARGS, STRICT)

ERROR = "error"
REPEAT = "repeat"  # the last one again
CYCLE = "cycle"  # from the first one again
POLICIES = (ERROR, REPEAT, CYCLE)

# A client may open a session, and ask whether there is one, as often as it likes.
HANDSHAKES = ("initialize", "server/discover", "ping")
LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")

_SHOWN = 5
_SHOWN_CHARS = 200
_DIGITS = 16  # of a digest, for people
_FLOAT = re.compile(r"[0-9][.e]")
_MASK = {"": "redacted"}  # in the place of what is not compared


class Miss(Exception):
    """Nothing answers the request.  data: dict, for the error."""

    def __init__(self, data):
        super().__init__(data["reason"])
        self.data = data


class Queue:
    """Takes of one key."""

    __slots__ = ("next", "takes")

    def __init__(self):
        self.takes = []
        self.next = 0

    def take(self):
        """The next one, or None."""
        if self.next == len(self.takes):
            return None
        self.next += 1
        return self.takes[self.next - 1]

    def again(self, policy):
        """One that was taken before, as the policy says, or None."""
        if policy == CYCLE:
            self.next = 0
        elif policy == REPEAT:
            self.next = len(self.takes) - 1
        return self.take()


class Library:
    """takes: of a `tape.Tape`.  match: one of MATCHES.  exhausted: one of POLICIES, or None: lists repeat.

    ignore: JSON pointers into params that are not compared.  handshakes: bool, those repeat whatever the policy.
    Raises Unreadable for what is no pointer.
    """

    def __init__(self, takes, match=AUTO, exhausted=None, ignore=(), handshakes=True):
        self._match = match
        self._exhausted = exhausted
        self._ignore = tuple(ignore)
        _check(self._ignore)
        self._handshakes = handshakes
        self._by_method = {}
        self._wild = {}
        self._keys = {}  # (method, pointers that are masked, digest) -> Queue
        self._masks = {}  # method -> list of such tuples of pointers, () first
        self._recorded = {}  # method -> list of takes
        self._order = [take for take in takes if take.method not in HANDSHAKES]
        self._at = 0
        for take in takes:
            self._enter(take)

    def _enter(self, take):
        _queue(self._by_method, take.method).takes.append(take)
        self._recorded.setdefault(take.method, []).append(take)
        if take.params is None:
            _queue(self._wild, take.method).takes.append(take)
            return
        masks = self._masks.setdefault(take.method, [()])
        mask = _in_params(take.masked)
        if mask not in masks:
            masks.append(mask)
        _queue(self._keys, (take.method, mask, self._digest(take.params, mask))).takes.append(take)

    def find(self, method, params):
        """The take for a request: (take, note), note a str for people where it fits inexactly, or None.

        params: dict.  Raises Miss.
        """
        if method in HANDSHAKES and self._handshakes:
            return self._queued(method, params, self._by_method.get(method), REPEAT), None
        if self._match == METHOD:
            return self._queued(method, params, self._by_method.get(method), self._policy(method)), None
        if self._match == STRICT:
            return self._in_order(method, params), None
        return self._by_arguments(method, params)

    def _by_arguments(self, method, params):
        queues = []
        for mask in self._masks.get(method, ()):
            queue = self._keys.get((method, mask, self._digest(params, mask)))
            if queue is not None:
                queues.append((queue, "what was redacted in its recording is not compared" if mask else None))
        wild = self._wild.get(method) if self._match == AUTO else None
        # Whoever asks for another page wants that one.
        if wild is not None and not (method in LISTS and params.get("cursor") is not None):
            exact = method in LISTS or not params
            queues.append((wild, None if exact else "recorded without params: arguments are not compared"))
        for queue, note in queues:
            take = queue.take()
            if take is not None:
                return take, note
        for queue, note in queues:
            take = queue.again(self._policy(method))
            if take is not None:
                return take, note
        raise self._miss(method, params, bool(queues))

    def _queued(self, method, params, queue, policy):
        found = queue and (queue.take() or queue.again(policy))
        if not found:
            raise self._miss(method, params, queue is not None)
        return found

    def _in_order(self, method, params):
        expected = self._order[self._at] if self._at < len(self._order) else None
        if expected is None or expected.method != method or not self._fits(expected, params):
            miss = self._miss(method, params, expected is None)
            if expected is not None:
                miss.data["expected"] = _shown(expected)
            raise miss
        self._at += 1
        return expected

    def _fits(self, take, params):
        mask = _in_params(take.masked)
        return take.params is None or self._digest(take.params, mask) == self._digest(params, mask)

    def _policy(self, method):
        return self._exhausted or (REPEAT if method in LISTS else ERROR)

    def _miss(self, method, params, exhausted):
        recorded = self._recorded.get(method, ())
        return Miss(
            {
                "reason": "exhausted" if exhausted else "replay-miss",
                "digest": self._digest(params, ())[:_DIGITS],
                "candidates": [_shown(take) for take in recorded[:_SHOWN]],
            }
        )

    def _digest(self, params, mask):
        if "_meta" in params:
            params = {name: value for name, value in params.items() if name != "_meta"}
        pointers = mask + self._ignore
        return digest(masked(params, pointers) if pointers else params)


def digest(value):
    """The SHA-256 of a JSON value, str, whatever the order of members; 1.0 is 1."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    # `stub.canon` is the rule, and Python's writer agrees with it but for floats, which look like this.
    if _FLOAT.search(text):
        try:
            return canon.digest(value)
        except LocalError:  # past its bounds
            pass
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def masked(value, pointers):
    """A copy of a JSON value in which what the pointers (RFC 6901) lead to counts as equal."""
    value = copy.deepcopy(value)
    for pointer in pointers:
        if not pointer:
            return _MASK
        _mask(value, [name.replace("~1", "/").replace("~0", "~") for name in pointer.split("/")[1:]])
    return value


def _mask(value, names):
    for name in names[:-1]:
        value = _member(value, name)
    last = names[-1]
    if isinstance(value, dict) and last in value:
        value[last] = _MASK
    elif isinstance(value, list) and last.isdigit() and int(last) < len(value):
        value[int(last)] = _MASK


def _member(value, name):
    if isinstance(value, dict):
        return value.get(name)
    if isinstance(value, list) and name.isdigit() and int(name) < len(value):
        return value[int(name)]
    return None


# Pointers into the message, as pointers into its params.
def _in_params(pointers):
    head = "/params"
    return tuple(sorted(p[len(head) :] for p in pointers if p == head or p.startswith(head + "/")))


def _check(pointers):
    for pointer in pointers:
        if not pointer.startswith("/"):
            raise Unreadable("%s is no JSON pointer: /arguments/when is one" % pointer)


def _queue(queues, key):
    return queues.setdefault(key, Queue())


def _shown(take):
    params = {name: value for name, value in (take.params or {}).items() if name != "_meta"}
    text = json.dumps(params, ensure_ascii=False, separators=(",", ":")) if take.params is not None else "any"
    return "%s %s" % (take.method, text[:_SHOWN_CHARS])
