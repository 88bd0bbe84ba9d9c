"""Packets to servos on one wire and back: silence, echo, noise and waiting, which all their protocols share."""

try:
    from micropython import const
except ImportError:
    const = int

_TICKS = const(0x3FFFFFFF)
_DRAINED = const(16)  # At most so many chunks of old bytes are thrown away: a line may never stop.


class HalfDuplex:
    """The base of a bus, which fills `_out` and finds the answer in `_in`.

    uart: has `write(buffer)`, `readinto(buffer, n)`, `any()`, and does not wait; an echo of what is sent is skipped.
    ticks_ms: `ticks_ms()` -> int, may wrap at 2**30.  timeout_ms: int, the longest wait for an answer.
    gap_ms: int, silence between two packets.  error: exception, raised with a text when a servo does not answer, or
    wrongly.  head: bytes, with which each packet starts.  sizes: ints, how long packets are; another size is
    sliced when it comes, up to the largest.  longest: int, bytes that an answer and the echo before it can have.
    """

    def __init__(self, uart, ticks_ms, timeout_ms, gap_ms, error, head, sizes, longest):
        self._uart = uart
        self._ticks_ms = ticks_ms
        self._timeout_ms = timeout_ms
        self._gap_ms = gap_ms
        self._error = error
        self._over_ms = ticks_ms()  # The end of the last packet.
        self._out = bytearray(max(sizes))
        self._out[: len(head)] = head
        out = memoryview(self._out)
        self._outs = {size: out[:size] for size in sizes}
        self._in = bytearray(longest)
        self._chunk = bytearray(16)
        self._got = 0

    # Send so many bytes of self._out and wait for the answer; returns where its `wanted` bytes of data are in self._in.
    def _exchange(self, id, size, wanted):
        self._quiet()
        self._uart.write(self._outs.get(size) or memoryview(self._out)[:size])
        try:
            return self._answer(id, size, wanted)
        finally:
            self._over_ms = self._ticks_ms()

    # Where the data of the answer is; 0 if it is not there yet, -1 if all there is has a wrong checksum.
    def _find(self, id, start, wanted):
        raise NotImplementedError

    # Wait for the gap, and forget what came meanwhile: a late answer, noise.
    def _quiet(self):
        while (self._ticks_ms() - self._over_ms) & _TICKS < self._gap_ms:
            pass
        self._got = 0
        for _ in range(_DRAINED):
            count = self._uart.any()
            if not count:
                return
            self._uart.readinto(self._chunk, min(count, len(self._chunk)))

    def _answer(self, id, sent, wanted):
        start_ms = self._ticks_ms()
        wrong = late = False
        while not late:
            # One more look when the time is over: it may have gone by elsewhere.
            late = (self._ticks_ms() - start_ms) & _TICKS > self._timeout_ms
            if self._more():
                at = self._find(id, self._echo(sent), wanted)
                if at > 0:
                    return at
                wrong = wrong or at < 0
        how = "answers with a wrong checksum" if wrong else "does not answer"
        raise self._error("servo %d %s" % (id, how))

    # Take what has come; False if nothing has. What does not fit is noise, and pushes the oldest out.
    def _more(self):
        count = min(self._uart.any(), len(self._chunk))
        if not count:
            return False
        count = self._uart.readinto(self._chunk, count) or 0
        for i in range(count):
            if self._got == len(self._in):
                self._shift()
            self._in[self._got] = self._chunk[i]
            self._got += 1
        return count > 0

    def _shift(self):
        for i in range(1, self._got):
            self._in[i - 1] = self._in[i]
        self._got -= 1

    # How many bytes at the start are our own packet, heard back.
    def _echo(self, sent):
        if self._got < sent:
            return 0
        for i in range(sent):
            if self._in[i] != self._out[i]:
                return 0
        return sent
