"""Two sources that answer (`surface.Surface` of cassettes or fixtures): the error classes of what both were asked."""

from collections import defaultdict, deque

from stub.canon import canon, digest

from .kept import WITH_PARAMS
from .pointers import without
from .recording import UNANSWERED
from .schema_diff import BREAKING, INFO, Change
from .surface import LIST_METHODS

# Asked with what the client happens to be, and answered with what all else of the comparison is about.
_BY_METHOD = ("initialize", "server/discover", "ping")


def compare_classes(old, new):
    """(changes, notes), as `surface_diff.compare_lists`; two empty lists for sources that answer nothing."""
    if old.recording and new.recording:
        return _recordings(old.recording, new.recording)
    if old.fixture is not None and new.fixture is not None:
        asked = list(_cases(old)) + list(_cases(new))
        pairs = [(tool, when, old.answer(tool, when), new.answer(tool, when)) for tool, when in asked]
    elif old.recording and new.fixture is not None:
        pairs = [(*call, exchange, new.answer(*call)) for call, exchange in _calls(old.recording)]
    elif new.recording and old.fixture is not None:
        pairs = [(*call, old.answer(*call), exchange) for call, exchange in _calls(new.recording)]
    else:
        return [], []
    changes = []
    for tool, arguments, was, now in pairs:
        if _both_list(tool, old, new):  # one that is gone has been told
            changes += _changed("tools/call %s %s" % (tool, _short(arguments)), was, now)
    return list(dict.fromkeys(changes)), []


def name_of(exchange):
    """What an exchange asked for, for people: `tools/call echo {"text":"hello"}`."""
    params = exchange.params or {}
    words = [exchange.method]
    if exchange.method == "tools/call" and params:
        words += [str(params.get("name")), _short(params.get("arguments") or {})]
    elif params.get("name") or params.get("uri"):
        words.append(str(params.get("name") or params.get("uri")))
    return " ".join(words)


def _changed(where, was, now):
    old, new = was.error_class, now.error_class
    if old == new:
        return []
    level = INFO if old == UNANSWERED else BREAKING
    return [Change(level, "class", where, "was %s, is %s" % (old, new))]


# First those with equal params, then, in order, those of which one side does not tell any.
def _recordings(old, new):
    blank = {
        pointer for tape in (old, new) for exchange in tape.exchanges for pointer in exchange.redacted["c2s"]
    }
    waiting = defaultdict(deque)
    for exchange in _compared(new):
        waiting[_key(exchange, blank)].append(exchange)
    changes, left = [], []
    for exchange in _compared(old):
        queue = waiting[_key(exchange, blank)]
        if queue:
            changes += _changed(name_of(exchange), exchange, queue.popleft())
        else:
            left.append(exchange)
    spare = defaultdict(deque)
    for key, queue in waiting.items():
        spare[key[0]].extend(queue)
    notes = []
    for exchange in left:
        other = _spare(spare[exchange.method], exchange)
        if other is not None:
            changes += _changed(name_of(exchange), exchange, other)
        else:
            notes.append("%s: not compared: %s does not have it" % (name_of(exchange), new.label))
    return changes, notes


def _spare(queue, exchange):
    for other in queue:
        if exchange.params is None or other.params is None:
            queue.remove(other)
            return other
    return None


# The other pages of a list are told by the list.
def _compared(tape):
    for exchange in tape.exchanges:
        if exchange.method not in LIST_METHODS or not (exchange.params or {}).get("cursor"):
            yield exchange


def _key(exchange, blank):
    if exchange.method in _BY_METHOD:
        return exchange.method, ""
    params = exchange.params
    if params is None and exchange.method in WITH_PARAMS:
        return exchange.method, None
    message = {"params": {name: value for name, value in (params or {}).items() if name != "_meta"}}
    return exchange.method, digest(without(message, blank))


def _calls(tape):
    for exchange in tape.exchanges:
        if exchange.tool is not None:
            arguments = exchange.params.get("arguments")
            yield (exchange.tool, arguments if isinstance(arguments, dict) else {}), exchange


def _cases(surface):
    for name, tool in surface.tools.items():
        for case in tool.get("cases") or ():
            if isinstance(case, dict) and isinstance(case.get("when"), dict):
                yield name, case["when"]
        yield name, {}


def _both_list(tool, old, new):
    return all(surface.tools is None or tool in surface.tools for surface in (old, new))


def _short(arguments):
    text = canon(arguments).decode("utf-8", "replace")
    return text if len(text) <= 60 else text[:57] + "..."
