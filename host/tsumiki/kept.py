"""The answers that a cassette keeps, looked up by what is asked, as a replay would give them."""

from stub.canon import canon

from .pointers import without

# A request of these that was recorded without params stands for any.
WITH_PARAMS = ("tools/call", "prompts/get", "resources/read")


class Kept:
    """tape: a `recording.Recording`."""

    def __init__(self, tape):
        self._all = tape.exchanges
        self._left = list(tape.exchanges)

    def find(self, method, params=None):
        """The Answer to a request: the first of its like that was not given yet, else one that was, else, in their
        order, those that were recorded without params. None if there is none.
        """
        for one in self._left:
            if _same(one, method, params):
                self._left.remove(one)
                return one
        for one in self._all:
            if _same(one, method, params):
                return one
        for one in self._left:
            if one.method == method and one.params is None and method in WITH_PARAMS:
                self._left.remove(one)
                return one
        return None


def _same(recorded, method, params):
    if recorded.method != method or (recorded.params is None and method in WITH_PARAMS):
        return False
    blank = recorded.redacted["c2s"]
    return canon(_asked(method, recorded.params, blank)) == canon(_asked(method, params, blank))


def _asked(method, params, blank):
    shown = {name: value for name, value in (params or {}).items() if name != "_meta"}
    if method == "tools/call":
        shown.setdefault("arguments", {})
    return without({"params": shown}, blank)
