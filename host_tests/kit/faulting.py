"""A responder that tells what it is asked, and one message that meets one fault before it."""

import json

from kit.playing import Client, call, note, run, text
from tsumiki.fault_rules import Rule, short
from tsumiki.faults import Faults
from tsumiki.pipeline import Notify, Reply, Responder

LOG = note("notifications/message", level="info", data="working")


class Inner(Responder):
    """Tells what it is asked, and answers with a note before each answer."""

    def __init__(self, answer=None):
        self.asked = []
        self.closed = False
        self._answer = answer

    async def handle(self, exchange):
        self.asked.append(exchange.tool or exchange.method)
        if exchange.id is None:
            await exchange.send(Reply(b"", 202))
            return
        await exchange.send(Notify(json.dumps(LOG).encode()))
        answer = self._answer(exchange) if self._answer else text(exchange.id, "21 sheep")
        headers = (("Mcp-Session-Id", "s%d" % len(self.asked)),) if exchange.method == "initialize" else ()
        await exchange.send(Reply(json.dumps(answer).encode(), 200, headers))

    async def close(self):
        self.closed = True


def met(fault, message=None, answer=None, http=False, era="legacy", **rule):
    """(actions, what the responder was asked) of one message that meets a fault."""
    inner = Inner(answer)
    made = short("*=" + fault) if isinstance(fault, str) else Rule(dict(fault, **rule))
    faults = Faults(inner, [made])
    client = Client(faults, era, http)
    actions = run(client.send(message or call(7, "count", {})))
    assert made.fired == 1
    return actions, inner.asked


def raw(actions):
    assert isinstance(actions[-1], Reply)
    return actions[-1].raw
