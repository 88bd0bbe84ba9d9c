"""A dialogue: what somebody says goes to a model, which may use tools before it answers.

    dialogue = Dialogue(model, tools, "You are a small robot.")
    reply = await dialogue.post("Look to the left")     # never raises
    print(reply.text if reply.ok else reply.reason)

What is kept of a turn that is over is what was said, without the calls. All that a peer could make endless has a limit:
rounds, calls, characters, and (in `model`) bytes and time.
"""

import asyncio

from micropython import const

from umcp.client_errors import ClientError, RpcError
from umcp.codec import loads
from umcp.errors import INVALID_PARAMS, RemoteError, ToolError

from .answer import MAX_ARGUMENTS
from .errors import ModelError
from .messages import ASSISTANT, TOOL, USER, size

MAX_TURNS = const(6)  # that are remembered
MAX_HISTORY = const(6000)  # characters of them
MAX_ROUNDS = const(8)  # questions to the model in one turn
MAX_CALLS = const(16)  # of tools in one turn
MAX_RESULT = const(4000)  # characters of a result
MAX_TURN = const(16000)  # characters of one turn
MAX_REFUSAL = const(200)  # characters of why a tool was not used any more
MAX_TEXT = const(2000)  # characters that somebody says

# What a watcher is told.
THINKING = "thinking"
CALLING = "calling"
REFUSED = "refused"
IDLE = "idle"

_INVALID = "invalid_arguments"


class Reply:
    """What came of a turn.

    ok: bool.  text: str, the answer.  reason: str or None, short and lower case: of `errors.ModelError`, or `busy`,
    `cancelled`, `too_long`, `too_many_calls`, `empty`, `failed`.  detail: str, for people.
    refusals: list of (tool, text): tools that were not used any more in this turn, and why.  calls: int, of tools.
    """

    def __init__(self, ok, text="", reason=None, detail="", refusals=(), calls=0):
        self.ok = ok
        self.text = text
        self.reason = reason
        self.detail = detail
        self.refusals = refusals
        self.calls = calls


class Dialogue:
    """model: has `ask(system, messages, tools)` and `close()`, as `model.Model`.

    tools: dict of name -> `ChatTool`; another one may be put here, and holds from the next turn on.
    system: str, the context of it all.
    recorder: has `decided(...)` and `over()`, as `record.Recorder`, or None.
    watch: function of what happens: (THINKING, ""), (CALLING, tool), (REFUSED, text), (IDLE, ""); or None.
    log: log(level, text, exception=None).
    """

    def __init__(self, model, tools, system="", recorder=None, watch=None, log=None):
        self._model = model
        self.tools = tools
        self.system = system
        self._recorder = recorder
        self._watch = watch or (lambda state, detail: None)
        self._log = log or (lambda level, text, exception=None: None)
        self._history = []
        self._task = None
        self._cancelled = False

    @property
    def busy(self):
        """bool: a turn goes on."""
        return self._task is not None

    @property
    def history(self):
        """list of (role, text), a copy: what was said, the oldest first."""
        return [one[:2] for one in self._history]

    def clear(self):
        """Forget what was said."""
        self._history = []

    def cancel(self):
        """End the turn that goes on: its reply has the reason `cancelled`, and so does a tool that it waits for.

        False if there is none.
        """
        if self._task is None:
            return False
        self._cancelled = True
        if self._task is not asyncio.current_task():
            self._task.cancel()
        return True

    async def post(self, text):
        """Say something: a `Reply`, whatever happens. One turn at a time.

        text: str.  Nothing is raised but the CancelledError of whoever cancels the caller's task.
        """
        if self._task is not None:
            return Reply(False, reason="busy", detail="a turn goes on")
        if not 0 < len(text) <= MAX_TEXT:
            return Reply(False, reason="too_long", detail="1 to %d characters, please" % MAX_TEXT)
        self._task = asyncio.current_task()
        self._cancelled = False
        turn = _Turn(text, self.tools)
        try:
            return await self._turn(turn)
        except asyncio.CancelledError:
            if not self._cancelled:
                raise
            return turn.failed("cancelled")
        except ModelError as e:
            return turn.failed(e.reason, str(e))
        except Exception as e:
            self._log("error", "the dialogue failed", e)
            return turn.failed("failed", str(e) or type(e).__name__)
        finally:
            self._task = None
            self._over()

    # Neither may keep the reply from whoever waits for it.
    def _over(self):
        try:
            self._model.close()
            self._watch(IDLE, "")
            if self._recorder is not None:
                self._recorder.over()
        except Exception as e:
            self._log("error", "the dialogue failed", e)

    async def _turn(self, turn):
        for _ in range(MAX_ROUNDS):
            self._check(turn)
            self._watch(THINKING, "")
            turn.asked = self._history + turn.messages, turn.offered()
            answer = await self._model.ask(self.system, *turn.asked)
            self._check(turn)
            if not answer.calls:
                if not answer.text:
                    return turn.failed("empty", "the model said nothing")
                self._remember(turn, answer.text)
                return Reply(True, answer.text, refusals=turn.refusals, calls=turn.calls)
            calls = [(call.id or "call_%d" % i, call) for i, call in enumerate(answer.calls, turn.calls)]
            turn.messages.append((ASSISTANT, answer.text, [_as_said(id, call) for id, call in calls]))
            for id, call in calls:
                text, failed = await self._call(turn, call)
                self._check(turn)
                turn.messages.append((TOOL, id, text, failed))
        return turn.failed("too_many_calls", "no answer after %d rounds" % MAX_ROUNDS)

    # A tool may have called `cancel`.
    def _check(self, turn):
        if self._cancelled:
            raise asyncio.CancelledError
        if turn.calls > MAX_CALLS:
            raise ModelError("too_many_calls", "more than %d in one turn" % MAX_CALLS)
        if sum([size(one) for one in turn.messages]) > MAX_TURN:
            raise ModelError("too_long", "more than %d characters in one turn" % MAX_TURN)

    # Only what was said, and as much of it as has room; turns are forgotten whole.
    def _remember(self, turn, text):
        history = self._history
        history.extend((turn.messages[0], (ASSISTANT, text, ())))
        while len(history) > 2 * MAX_TURNS or sum([size(one) for one in history]) > MAX_HISTORY:
            if len(history) == 2:
                history[1] = (ASSISTANT, text[: MAX_HISTORY - size(history[0])], ())
                break
            history[:2] = []

    ####################################################################################################
    # Tools

    # (what the model is told, whether it is a failure)
    async def _call(self, turn, call):
        turn.calls += 1
        if turn.calls > MAX_CALLS:
            return "too many calls", True
        name = call.name
        tool = turn.tools.get(name)
        if tool is None:
            self._record(turn, call, None, "unknown_tool")
            return "no such tool: " + name[:64], True
        if name in turn.ended:
            return "%s is not to be used again in this turn" % name, True
        self._watch(CALLING, name)
        text, code = await self._outcome(tool, call)
        self._record(turn, call, tool, code)
        if turn.ends(name, code):
            turn.ended.append(name)
            turn.refusals.append((name, text[:MAX_REFUSAL]))
            self._watch(REFUSED, text[:MAX_REFUSAL])
        if len(text) > MAX_RESULT:
            text = text[:MAX_RESULT] + " … (cut)"
        return text, code is not None

    # (text, code): no code if the tool was used, "" if it failed in its own words.
    async def _outcome(self, tool, call):
        arguments = _parsed(call.raw)
        if arguments is None:
            return _INVALID + ": /: not a JSON object", _INVALID
        try:
            text = await tool.execute(arguments)
        except ToolError as e:
            text = str(e)
            return text, _code(text)
        except RpcError as e:  # Older servers answer so to arguments that do not fit.
            code = _INVALID if e.code == INVALID_PARAMS else ""
            return "%s: %s" % (code or "the tool failed", e), code
        except ClientError as e:
            return "unreachable: %s" % e, "unreachable"
        except Exception as e:
            self._log("error", "the tool %s failed" % tool.name, e)
            return "the tool failed: %s" % (str(e) or type(e).__name__), ""
        # Some servers do not mark it.
        return text, _INVALID if text.startswith(_INVALID + ":") else None

    def _record(self, turn, call, tool, code):
        if self._recorder is not None:
            arguments = _parsed(call.raw)
            self._recorder.decided(turn.asked, call.name, arguments, tool is not None, code)


class _Turn:
    """tools: dict, those of the turn.  ended: list of the names that are not to be used any more.

    asked: messages and tools, as the model had them last.
    """

    asked = None

    def __init__(self, text, tools):
        self.messages = [(USER, text)]
        self.tools = tools
        self.ended = []
        self.refusals = []
        self.calls = 0
        self._invalid = []

    # With none left all are told: some providers refuse results of calls without any tools.
    def offered(self):
        names = sorted(self.tools)
        left = [self.tools[name] for name in names if name not in self.ended]
        return left or [self.tools[name] for name in names]

    def ends(self, name, code):
        """bool: the tool is not to be used any more in this turn.  code: str or None, of a refusal."""
        if code != _INVALID:
            return bool(code)
        if name in self._invalid:
            return True
        self._invalid.append(name)
        return False

    def failed(self, reason, detail=""):
        return Reply(False, "", reason, detail, self.refusals, self.calls)


# Arguments that are no JSON would make some providers fail, not the model.
def _as_said(id, call):
    return id, call.name[:64], call.raw.decode() if _parsed(call.raw) is not None and call.raw else "{}"


# A dict, or None.
def _parsed(raw):
    if not raw:
        return {}
    try:
        value = loads(bytes(raw[:MAX_ARGUMENTS]))
    except RemoteError:
        return None
    return value if isinstance(value, dict) else None


# "servo_off: the torque is off" -> "servo_off"; "" where a text has no code.
def _code(text):
    code = text.partition(": ")[0]
    plain = all(["a" <= c <= "z" or "0" <= c <= "9" or c == "_" for c in code])
    return code if 0 < len(code) <= 64 and plain else ""
