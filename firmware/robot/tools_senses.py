"""The tools of the senses: what happened, and what will."""

from umcp.errors import ToolError
from umcp.types import Any, Array, Integer, String

from .tools import COUNT, FLAG, READS, told

_MOST = 64  # events
_MOST_WAIT = 2  # Each holds one of few connections.
_TURN_MS = 50  # between two looks
_PROGRESS_MS = 1000  # between two words to the client


class SenseHandlers:
    """robot: `robot.robot.Robot`, which has senses."""

    def __init__(self, robot):
        self._robot = robot
        self._senses = robot.senses

    def get_recent_events(self, limit, since_seq, kind=None):
        return self._found(self._senses.events(kind, since_seq, limit), since_seq)

    async def wait_for_event(self, context, timeout_ms, kind=None, since_seq=None):
        robot = self._robot
        if robot.waiting >= _MOST_WAIT:
            raise ToolError("busy", "%d others wait already" % _MOST_WAIT)
        robot.waiting += 1
        try:
            return await self._wait(context, timeout_ms, kind, since_seq)
        finally:
            robot.waiting -= 1

    async def _wait(self, context, timeout_ms, kind, since_seq):
        robot = self._robot
        since_seq = self._senses.last_seq if since_seq is None else since_seq
        begun_ms = robot.clock()
        told_ms = 0
        while True:
            events = self._senses.events(kind, since_seq, _MOST)
            waited_ms = robot.elapsed(begun_ms)
            if events or waited_ms >= timeout_ms:
                break
            if waited_ms - told_ms >= _PROGRESS_MS:
                told_ms = waited_ms
                await context.progress(waited_ms, timeout_ms)
            await robot.sleep_ms(min(_TURN_MS, timeout_ms - waited_ms))
        answer = self._found(events, since_seq)
        answer["timed_out"] = not events
        return answer

    # `missed`: how many are forgotten that the client has not seen.
    def _found(self, events, since_seq):
        senses = self._senses
        missed = senses.missed(since_seq) if since_seq else 0
        return {"events": events, "last_seq": senses.last_seq, "missed": missed}


def tools(robot):
    """Of a robot with senses: see `robot.tools.rows`."""
    do = SenseHandlers(robot)
    kind = String(enum=robot.senses.kinds, optional=True)
    since = Integer(min=0, default=0, description="Only later ones.")
    from_now = Integer(min=0, optional=True, description="Only later ones; none: from now on.")
    limit = Integer(min=1, max=_MOST, default=20)
    timeout = Integer(min=100, max=45000, default=5000)
    event = told(("seq", COUNT), ("kind", String()), ("name", String()), ("value", Any()), ("age_ms", COUNT))
    found = (("events", Array(event)), ("last_seq", COUNT), ("missed", COUNT))
    return [
        (
            "get_recent_events",
            "List what the robot felt lately, oldest first.",
            (("kind", kind), ("since_seq", since), ("limit", limit)),
            do.get_recent_events,
            told(*found),
            READS,
        ),
        (
            "wait_for_event",
            "Wait until the robot feels something, or the time is over.",
            (("kind", kind), ("since_seq", from_now), ("timeout_ms", timeout)),
            do.wait_for_event,
            told(("timed_out", FLAG), *found),
            READS,
            True,
        ),
    ]
