"""What one tool, prompt or resource of a fixture answers: its cases in their order, its result, or a generated one."""

from umcp.codec import dumps
from umcp.errors import LocalError, RemoteError
from umcp.version import MODERN

from .match import matches

# Where an answer came from, if it was none of the cases: see `Answers.origin`.
DEFAULT = "default"
GENERATED = "generated"


class FixtureError(LocalError):
    """A fixture that cannot be served.  path: str, the JSON pointer of what is at fault.  reason: str."""

    def __init__(self, path, reason):
        super().__init__("%s: %s" % (path or "/", reason))
        self.path = path
        self.reason = reason


class Answers:
    """entry: dict, which may have `cases`, `sequence`, `result` and `error`.  path: str, its JSON pointer.

    needs: str, the member that a result must have (content, messages, contents).  generated: function(arguments) -> the
    result (dict) where the fixture has none.

    origin: int, the case that answered last, or DEFAULT or GENERATED.  delay_ms: int, that of its answer.  fixed: bool,
    the same arguments get it again, at once.
    Raises FixtureError.
    """

    def __init__(self, entry, path, needs, generated):
        self._needs = needs
        self._generated = generated
        self._default = None
        if any([name in entry for name in ("result", "error", "sequence")]):
            self._default = _Case(entry, path, needs)
        cases = entry.get("cases", [])
        if type(cases) is not list:
            raise FixtureError(path + "/cases", "must be an array")
        self._cases = []
        for i, case in enumerate(cases):
            at = "%s/cases/%d" % (path, i)
            if type(case) is not dict or type(case.get("when")) is not dict:
                raise FixtureError(at, "a case is an object with an object `when`")
            self._cases.append(_Case(case, at, needs))
        self.origin = None
        self.fixed = True
        self.delay_ms = 0

    def find(self, arguments, version):
        """The members of the result for these arguments (dict): bytes.  Raises RemoteError where it is an error.

        version: str, of the protocol.
        """
        for i, case in enumerate(self._cases):
            if case.left != 0 and matches(case.when, arguments):
                return self._use(i, case, version)
        if self._default is not None and self._default.left != 0:
            return self._use(DEFAULT, self._default, version)
        self.origin = GENERATED
        self.fixed = True
        self.delay_ms = 0
        return members(self._generated(arguments), self._needs, version)

    def _use(self, origin, case, version):
        self.origin = origin
        self.fixed = case.fixed
        self.delay_ms = case.delay_ms
        if case.left > 0:
            case.left -= 1
        return case.next().members(self._needs, version)


class _Case:
    """when: dict or None.  left: int, how often it still answers, or -1 for always."""

    def __init__(self, case, path, needs):
        self.when = case.get("when")
        self.left = _count(case, path, "times", -1)
        self.delay_ms = _count(case, path, "delayMs", 0)
        outcomes = (case,)
        self._turn = 0
        if "sequence" in case:
            sequence = case["sequence"]
            if type(sequence) is not list or not sequence or "result" in case or "error" in case:
                raise FixtureError(path, "a sequence is an array, and takes the place of result and error")
            outcomes = sequence
        self._outcomes = [_Outcome(outcome, path) for outcome in outcomes]
        self.fixed = self.left < 0 and not self.delay_ms and len(self._outcomes) == 1

    def next(self):
        """The `_Outcome` of this call: of a sequence one after the other, and the last again and again."""
        outcome = self._outcomes[min(self._turn, len(self._outcomes) - 1)]
        self._turn += 1
        return outcome


class _Outcome:
    """A result or an error, of which the bytes are kept that were sent last."""

    def __init__(self, outcome, path):
        if type(outcome) is not dict or ("result" in outcome) == ("error" in outcome):
            raise FixtureError(path, "there is exactly one of result and error")
        self._error = error = outcome.get("error")
        self._result = outcome.get("result")
        self._raw = self._version = None
        if "result" in outcome:
            if type(self._result) is not dict:
                raise FixtureError(path + "/result", "must be an object")
        elif (
            type(error) is not dict
            or type(error.get("code")) is not int
            or type(error.get("message")) is not str
        ):
            raise FixtureError(path + "/error", "is an object with an integer code and a message")

    def members(self, needs, version):
        error = self._error
        if error is not None:
            raise RemoteError(error["code"], error["message"], error.get("data"))
        if self._version != version:
            self._raw = members(self._result, needs, version)
            self._version = version
        return self._raw


def _count(case, path, name, default):
    value = case.get(name, default)
    if type(value) is not int or value < (0 if name in case else default):
        raise FixtureError("%s/%s" % (path, name), "must be an integer of 0 or more")
    return value


def members(result, needs, version):
    """A result (dict) as the members of one in JSON: bytes.

    needs: str, the array that clients cannot do without: an empty one is added. The newest era tells resultType and
    _meta itself.
    """
    shown = result
    if "resultType" in result or (version == MODERN and "_meta" in result) or needs not in result:
        shown = {needs: []}
        for name, value in result.items():
            if name != "resultType" and (name != "_meta" or version != MODERN):
                shown[name] = value
    return dumps(shown)[1:-1]
