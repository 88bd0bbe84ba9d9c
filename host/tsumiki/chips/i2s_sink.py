"""A virtual I2S output, with the methods of `machine.I2S` in transmission of 16-bit mono, non-blocking as on ESP32.

There, `write` leaves a buffer to a task, which copies it to the DMA's memory (`ibuf` bytes) as that gets free, and has
`irq`'s handler called when it is through; one more buffer may wait, and a third is lost without a word. Where the
memory runs empty, zeros go out. Time is what `wait` tells it.
"""

from array import array

_WAITING = 2
_MOST = 400000


class I2SSink:
    """rate: samples a second.  ibuf: bytes.  amplifier: `hears(rate, loud)`, or None.

    samples: array of int, what went out, the first 400,000.  faults: list of str.  open: bool.
    """

    def __init__(self, rate=16000, ibuf=2048, amplifier=None):
        self.rate = rate
        self.ibuf = ibuf
        self.open = True
        self.samples = array("h")
        self.faults = []
        self._amplifier = amplifier
        self._handler = None
        self._jobs = []  # [buffer, what was in it, how much of it is copied]
        self._memory = bytearray()
        self._part = 0  # of a sample, in thousandths

    # ---- machine.I2S

    def irq(self, handler):
        """handler: function of this, called from `wait` when a buffer has been copied."""
        self._handler = handler

    def write(self, buf):
        """buf: bytes-like, which must stay as it is until the handler is called; returns its length in bytes."""
        data = bytes(buf)
        if not self.open:
            self._fault("written to after deinit")
        elif len(data) % 2:
            self._fault("half of a sample")
        elif self._handler is None:
            self._fault("a write that blocks")
        elif len(self._jobs) == _WAITING:
            self._fault("a buffer is lost: %d are waiting" % _WAITING)
        else:
            self._jobs.append([buf, data, 0])
        return len(data)

    def deinit(self):
        """The end."""
        if self._jobs:
            self._fault("deinit while a buffer is being sent")
        self.open = False
        self._jobs = []
        self._memory = bytearray()

    # ---- the outside

    def wait(self, ms):
        """That much time passes."""
        for _ in range(ms):
            self._copy()
            self._part += self.rate
            self._play(self._part // 1000)
            self._part %= 1000

    # Until the memory is full. A handler may write again.
    def _copy(self):
        while self._jobs and len(self._memory) < self.ibuf:
            job = self._jobs[0]
            buf, data, at = job
            if bytes(buf) != data:
                self._fault("a buffer changes while it is being sent")
            end = min(len(data), at + self.ibuf - len(self._memory))
            self._memory.extend(data[at:end])
            job[2] = end
            if end == len(data):
                self._jobs.pop(0)
                self._handler(self)

    def _play(self, count):
        if not self.open:
            return
        heard = self._memory[: 2 * count]
        self._memory = self._memory[2 * count :]
        heard.extend(bytes(2 * count - len(heard)))
        if len(self.samples) < _MOST:
            self.samples.extend(array("h", bytes(heard)))
        if self._amplifier is not None:
            self._amplifier.hears(self.rate, any(heard))

    def _fault(self, text):
        if text not in self.faults:
            self.faults.append(text)


def frequency(samples, rate):
    """Hz of a tone, a float, by where it rises through zero; 0 if it does so less than twice."""
    rises = [i for i in range(1, len(samples)) if samples[i - 1] < 0 <= samples[i]]
    return (len(rises) - 1) * rate / (rises[-1] - rises[0]) if len(rises) > 1 else 0


def peak(samples):
    """The largest distance from zero, int."""
    return max(abs(sample) for sample in samples) if len(samples) else 0
