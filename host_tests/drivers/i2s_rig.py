"""A speaker behind a virtual I2S, and one that keeps nothing but its handler."""

from drivers.i2s_speaker import I2SSpeaker
from tsumiki.chips.i2s_sink import I2SSink


class Rig:
    """A speaker, what it has opened, and what its amplifier was told."""

    def __init__(self, rate=16000, **more):
        self.sinks = []
        self.told = []
        self.fails = 0
        self.now_ms = 0
        self.speaker = I2SSpeaker(
            self.open, self.amplifier, rate=rate, sleep_ms=self.wait, ticks_ms=lambda: self.now_ms, **more
        )

    def open(self, rate):
        if self.sinks:
            assert not self.sink.open, "I2S is opened twice"
        self.sinks.append(I2SSink(rate))
        return self.sink

    def amplifier(self, rate):
        if self.fails:
            self.fails -= 1
            raise OSError(19)
        self.told.append(rate)

    def wait(self, ms):
        self.now_ms += ms
        self.sink.wait(ms)

    @property
    def sink(self):
        return self.sinks[-1]

    def heard(self, ms):
        """The samples of so much time from now on."""
        start = len(self.sink.samples)
        self.wait(ms)
        return self.sink.samples[start:]

    def faults(self):
        return [fault for sink in self.sinks for fault in sink.faults]


class Silent:
    """An I2S that keeps its handler."""

    def irq(self, handler):
        self.handler = handler

    def write(self, buf):
        pass


def near(value, wanted, percent):
    assert abs(value - wanted) * 100 <= wanted * percent, (value, wanted)
