"""The senses: what was felt, as numbered events in a ring that forgets the oldest."""

try:
    from micropython import const
except ImportError:
    const = int

_INPUT_KINDS = ("button", "touch")
_IMU_KINDS = ("imu",)
_IMU_MS = const(50)  # between two samples
_RETRY_MS = const(1000)  # after a port has failed
_TICKS = const(0x3FFFFFFF)  # They wrap at 2**30.


class Senses:
    """inputs: port with `poll(now_ms)` -> list of (kind, name, value) or (), or None.

    imu: port with `read()` -> (x, y, z) in mg, the same list each time if it is not to allocate; or None.
    size: int, how many events are kept.
    kinds: tuple of what may come.  last_seq: int, the number of the latest event; the first is 1.
    on_event: called with the kind of each event, in a step.
    moving: bool, to be set while the robot moves its own head: what the IMU feels then is not told.
    """

    def __init__(self, inputs, imu, size=64):
        self._inputs = inputs
        self._imu = imu
        self.kinds = (_INPUT_KINDS if inputs is not None else ()) + (_IMU_KINDS if imu is not None else ())
        self.last_seq = 0
        self.on_event = None
        self.moving = False
        self._ring = [None] * size
        self._now_ms = 0
        self._inputs_wait_ms = self._imu_wait_ms = 0
        self._inputs_ms = self._imu_ms = 0
        self._mg = None
        self._handling = None
        if imu is not None:
            # late (RAM): many boards have no IMU.
            from .handling import Handling

            self._handling = Handling(self._handled)

    def step(self, now_ms):
        """Look at the inputs, and about 20 times a second at the IMU.  now_ms: int, ticks.

        Allocates nothing unless something happens. What a port raises is passed on, after the other has had its turn;
        the port is left alone for a second.
        """
        self._now_ms = now_ms
        try:
            if self._inputs is not None and (now_ms - self._inputs_ms) & _TICKS >= self._inputs_wait_ms:
                self._inputs_ms, self._inputs_wait_ms = now_ms, _RETRY_MS
                for kind, name, value in self._inputs.poll(now_ms):
                    self._felt(kind, name, value)
                self._inputs_wait_ms = 0
        finally:
            if self._imu is not None and (now_ms - self._imu_ms) & _TICKS >= self._imu_wait_ms:
                self._sample(now_ms)

    def events(self, kind=None, since_seq=0, limit=64):
        """The events that are still known, the oldest first.

        kind: str of `kinds`, or None for all.  limit: int, how many at most.
        since_seq: int, only later ones, and the first of them; 0 (or a number of before a restart): the latest.
        Returns a list of dicts: seq, kind, name, value, age_ms.
        """
        found = []
        latest = not 0 < since_seq <= self.last_seq
        seq = self._first() if latest else max(since_seq + 1, self._first())
        while seq <= self.last_seq and (latest or len(found) < limit):
            event = self._ring[seq % len(self._ring)]
            if kind is None or kind == event[0]:
                found.append((seq, event))
            seq += 1
        return [self._told(seq, event) for seq, event in (found[-limit:] if limit else ())]

    def missed(self, since_seq):
        """How many events after `since_seq` are forgotten; of `kinds` all told."""
        return max(0, self._first() - 1 - since_seq) if since_seq <= self.last_seq else self._first() - 1

    def state(self):
        """dict for `robot://status`: last_seq; with an IMU held, tilted, and mg (absent until it has answered)."""
        state = {"last_seq": self.last_seq}
        if self._handling is not None:
            state["held"] = self._handling.held
            state["tilted"] = self._handling.tilted
            if self._mg is not None:
                state["mg"] = list(self._mg)
        return state

    # The oldest that is known, or the next to come.
    def _first(self):
        return max(1, self.last_seq - len(self._ring) + 1)

    def _told(self, seq, event):
        age_ms = (self._now_ms - event[3]) & _TICKS
        return {"seq": seq, "kind": event[0], "name": event[1], "value": event[2], "age_ms": age_ms}

    def _felt(self, kind, name, value):
        self.last_seq += 1
        self._ring[self.last_seq % len(self._ring)] = (kind, name, value, self._now_ms)
        if self.on_event is not None:
            self.on_event(kind)

    def _handled(self, name, value):
        self._felt("imu", name, value)

    def _sample(self, now_ms):
        self._imu_ms, self._imu_wait_ms = now_ms, _RETRY_MS
        self._mg = None
        self._mg = mg = self._imu.read()
        self._imu_wait_ms = _IMU_MS
        if self.moving:
            self._handling.moves_itself()
        self._handling.sample(mg[0], mg[1], mg[2], now_ms)
