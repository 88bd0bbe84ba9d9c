"""Questions to a legacy client: requests of the server on the stream of the call, answered by a POST of its own."""

import os
from binascii import hexlify

from .answers import fits
from .codec import dumps
from .errors import ToolError

try:
    from micropython import const
except ImportError:
    const = int

_MOST = const(16)  # questions that wait for their answers, of all clients


class _Question:
    def __init__(self, context, event):
        self.context = context
        self.event = event
        self.result = self.error = None


class Asking:
    """server: `umcp.server.Server`."""

    def __init__(self, server):
        self._runtime = server.runtime
        # Ids of before a restart must not be taken for ours.
        self._prefix = hexlify(os.urandom(4))
        self._last = 0
        self._waiting = {}

    async def ask(self, context, questions):
        """The answers, as `Context.ask` gives them. Only who owns the context's session can answer."""
        waiting = len(questions)
        for question in self._waiting.values():
            if question.context.over:
                question.event.set()  # Asked by a task that has outlived its handler.
            else:
                waiting += 1
        if waiting > _MOST:
            raise ToolError("busy", "too many questions wait for their answers")
        asked = []
        try:
            for key, (method, params) in questions.items():
                self._last += 1
                id_ = b'"%s-%d"' % (self._prefix, self._last)
                question = _Question(context, self._runtime.event())
                self._waiting[context.owner, id_] = question
                asked.append((key, (context.owner, id_), question))
                await context.send(
                    b'{"jsonrpc":"2.0","id":%s,"method":%s,"params":%s}' % (id_, dumps(method), dumps(params))
                )
            answers = {}
            for key, _, question in asked:
                await question.event.wait()
                answers[key] = _checked(question, *questions[key])
            return answers
        finally:
            for _, place, _ in asked:
                del self._waiting[place]

    def answered(self, owner, message):
        """A response (`Message`) has come; one that nobody waits for is ignored."""
        question = self._waiting.get((owner, message.id))
        if question is not None:
            question.result, question.error = message.outcome()
            question.event.set()


def _checked(question, method, params):
    error = question.error
    if error is not None:
        why = error.get("message") if type(error) is dict else None
        raise ToolError("client_refused", why[:200] if type(why) is str else "")
    if not fits(method, params, question.result):
        raise ToolError("bad_answer", "the client's answer to %s does not fit" % method)
    return question.result
