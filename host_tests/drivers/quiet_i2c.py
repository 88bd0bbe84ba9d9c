"""An I2C bus that allocates nothing, for what a driver itself allocates; and how much that is."""

from micropython import heap_lock, heap_unlock


class QuietI2C:
    """One chip whose registers are `values`, a bytearray(256)."""

    def __init__(self):
        self.values = bytearray(256)

    def readfrom_mem(self, address, register, count):
        return bytes(self.values[register : register + count])

    def readfrom_mem_into(self, address, register, buf):
        i = 0
        while i < len(buf):
            buf[i] = self.values[register + i]
            i += 1

    def writeto_mem(self, address, register, buf):
        pass


def idle(source, times=30, every_ms=50):
    """Poll a source of inputs, with the heap locked: MemoryError if it allocates.  Returns whether it told anything."""
    poll = source.poll
    told = False
    now_ms = 0
    heap_lock()
    try:
        while times:
            told = bool(poll(now_ms)) or told
            now_ms += every_ms
            times -= 1
    finally:
        heap_unlock()
    return told
