"""Several sources as one inputs port: one that fails keeps no other from its turn."""

from quiet_i2c import idle

from drivers.inputs import Inputs
from harness import eq


class Source:
    """queue: what each poll gives, an exception to raise or a list of events; () when it is empty."""

    def __init__(self, *queue):
        self.queue = list(queue)
        self.polls = 0

    def poll(self, now_ms):
        self.polls += 1
        if not self.queue:
            return ()
        found = self.queue.pop(0)
        if isinstance(found, Exception):
            raise found
        return found


A = ("button", "a", 1)
B = ("touch", "screen", 1)
C = ("touch", "front", 0)


def test_events_come_in_the_order_of_the_sources():
    inputs = Inputs((Source([A], (), [A]), Source(), Source([B, C], [B], ())))
    eq([inputs.poll(t) for t in range(4)], [[A, B, C], [B], [A], ()])


def test_no_sources_no_events():
    eq(Inputs(()).poll(0), ())


def test_one_that_fails_keeps_no_other_from_its_turn():
    wrong = OSError(19)
    failures = []
    bad, good = Source(wrong, wrong, [A]), Source([B], [B], [B], [C])
    inputs = Inputs((bad, good), lambda i, e: failures.append((i, e)))
    eq(inputs.poll(0), [B])
    eq(inputs.poll(500), [B])
    eq(inputs.poll(999), [B])
    eq((bad.polls, good.polls), (1, 3))
    eq(inputs.poll(1000), [C])
    eq(inputs.poll(2000), [A])
    eq(failures, [(0, wrong)])


def test_one_that_fails_again_later_is_told_again():
    failures = []
    bad = Source(OSError(1), (), ValueError("x"))
    inputs = Inputs((Source(), bad), lambda i, e: failures.append((i, type(e))))
    for now_ms in (0, 1000, 1010):
        inputs.poll(now_ms)
    eq(failures, [(1, OSError), (1, ValueError)])


def test_nobody_need_be_told():
    inputs = Inputs((Source(OSError(1)), Source([A])))
    eq(inputs.poll(0), [A])


def test_time_may_wrap():
    bad = Source(OSError(1), [A])
    inputs = Inputs((bad,))
    inputs.poll(0x3FFFFFFF)
    eq(inputs.poll(998), ())
    eq(inputs.poll(999), [A])


def test_nothing_is_allocated_while_nothing_changes():
    eq(idle(Inputs((Source(), Source()))), False)
