"""Which messages a fault befalls: rules, from a command line, a file, or the environment.

    {"on": {"method": "tools/call", "tool": "move_*", "nth": 2, "after": 0, "times": 1, "session": 1},
     "do": "malformed", "with": {"how": "truncate"}, "consume": false}

    tools/call=timeout                  every call
    tools/call:move_*#2=delay:500       the second call of such a tool
    tools/list#3-=status:503,7          the third list and all behind it
    *@2#1=session-lost                  the first request of the second session

Nothing is left to chance: a rule counts the messages that it is about, and no other's.
"""

import json
import re
from fnmatch import fnmatchcase

from . import json_file
from .errors import Unreadable
from .fault_kinds import FAULTS
from .pipeline import DELETE, GET, REQUEST

EACH = "each"

_SHORT = re.compile(
    r"([^:@#=]+)(?::([^@#=]+))?(?:@(\d+|each))?(?:#(\d+)(-(\d*))?)?=([a-z0-9-]+)(?::(.*))?", re.S
)
_ON = ("method", "tool", "nth", "after", "times", "session")
_RULE = ("on", "do", "with", "consume")
_BY_KIND = {GET: "GET", DELETE: "DELETE"}
# What the article's fixture knows; anything else is no fault there.
_ARTICLE = ("timeout", "disconnect", "malformed")


class Rule:
    """One rule.  value: dict, as above.  text: str, how people know it.  Raises Unreadable.

    method: str, a pattern of methods (fnmatch), `GET` or `DELETE` of HTTP, or None or `*` for any request.
    tool: str, a pattern of names, or None.  nth: int, the how many-th such message is the first to be hit, counted from
    1.  after: int, how many pass before that counting begins.  times: int, how many are hit, or None for no end; 1
    where nth is given.  session: int, of the how many-th session; "each": each session is counted by itself; or None.
    consume: bool, the request is carried out though its answer is lost.
    fired: int, how often it has.
    """

    def __init__(self, value, text=None):
        self.text = text or json.dumps(value)
        _known(value, _RULE, self.text)
        on = value.get("on", {})
        _known(on, _ON, self.text)
        method = _checked(on, "method", str, self.text)
        self.method = None if method == "*" else method
        self.tool = _checked(on, "tool", str, self.text)
        nth = _checked(on, "nth", int, self.text)
        self._skip = (_checked(on, "after", int, self.text) or 0) + (nth or 1) - 1
        self._times = _checked(on, "times", int, self.text) or (1 if nth else None)
        self.session = on.get("session")
        if self.session not in (None, EACH) and (type(self.session) is not int or self.session < 1):
            self._refuse('"session" is a number from 1, or "each"')
        self.consume = _checked(value, "consume", bool, self.text) or False
        self.do = _checked(value, "do", str, self.text)
        if self.do not in FAULTS:
            self._refuse("no fault is called %r: %s" % (self.do, ", ".join(FAULTS)))
        self.fault = FAULTS[self.do]
        self.given = self.fault.read(value.get("with", {}), self.text)
        self.fired = 0
        self._counts = {}

    def is_about(self, exchange, session):
        """True if it counts that message.  session: int, the number of its session, 0 for none."""
        name = _BY_KIND.get(exchange.kind) or exchange.method
        if self.method is None:
            if exchange.kind != REQUEST:
                return False
        elif name is None or not fnmatchcase(name, self.method):
            return False
        if self.tool is not None and not (
            exchange.tool is not None and fnmatchcase(exchange.tool, self.tool)
        ):
            return False
        return self.session in (None, EACH, session)

    def count(self, session):
        """Count a message that it is about; True if that one is hit."""
        key = session if self.session == EACH else None
        number = self._counts[key] = self._counts.get(key, 0) + 1
        return number > self._skip and (self._times is None or number <= self._skip + self._times)

    def _refuse(self, why):
        raise Unreadable("%s: %s" % (self.text, why))


def short(text):
    """The `Rule` of a short form.  Raises Unreadable."""
    found = _SHORT.fullmatch(text)
    if not found:
        raise Unreadable(
            "%s: a fault is written METHOD[:TOOL][#NTH]=FAULT, as in tools/call#2=timeout" % text
        )
    method, tool, session, first, range_, last, do, words = found.groups()
    on = {"method": method, "tool": tool}
    if session is not None:
        on["session"] = session if session == EACH else int(session)
    if first is not None:
        on.update(_range(int(first), range_, last, text))
    if do not in FAULTS:
        raise Unreadable("%s: no fault is called %r: %s" % (text, do, ", ".join(FAULTS)))
    return Rule({"on": on, "do": do, "with": FAULTS[do].from_words(words, text)}, text)


def from_file(path):
    """The rules (list) in a JSON file: an array of them, or an object with one under `faults`.  Raises Unreadable."""
    value = json_file.read(path)
    if isinstance(value, dict):
        value = value.get("faults")
    if not isinstance(value, list):
        raise Unreadable("%s: an array of rules, or an object with one under `faults`" % path)
    return [Rule(one, "%s: rule %d" % (path, number)) for number, one in enumerate(value, 1)]


def from_environment(environ):
    """The rules (list) that FAULT_METHOD and FAULT tell, as the article has them: each such request is hit.

    environ: mapping of str to str.
    """
    method = environ.get("FAULT_METHOD")
    fault = environ.get("FAULT")
    if not method or fault not in _ARTICLE:
        return []
    return [Rule({"on": {"method": method}, "do": fault}, "FAULT=%s" % fault)]


def _range(first, range_, last, text):
    if range_ is None:
        return {"nth": first}
    if first < 1 or (last and int(last) < first):
        raise Unreadable("%s: %d%s is no range" % (text, first, range_))
    return {"after": first - 1, "times": int(last) - first + 1 if last else None}


def _known(value, names, text):
    if not isinstance(value, dict):
        raise Unreadable("%s: an object is wanted, not %s" % (text, json.dumps(value)))
    for name in value:
        if name not in names:
            raise Unreadable("%s: %r is none of %s" % (text, name, ", ".join(names)))


# The member of a type, or None. A number counts from 1, but `after`, which counts what passes.
def _checked(value, name, kind, text):
    found = value.get(name)
    if found is None:
        return None
    least = 0 if name == "after" else 1
    if type(found) is not kind or (kind is int and found < least):
        what = {str: "a text", bool: "true or false", int: "a number from %d" % least}[kind]
        raise Unreadable('%s: "%s" is %s' % (text, name, what))
    return found
