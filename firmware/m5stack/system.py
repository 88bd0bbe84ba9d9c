"""The system port of an ESP32: memory, uptime, and how well it hears the radio."""

import gc
from time import ticks_diff, ticks_ms


class System:
    """wlan: the `network.WLAN` in use, set by whoever connects it, or None."""

    wlan = None

    def __init__(self):
        self._start_ms = ticks_ms()

    def read(self):
        """dict: heap_free (bytes), uptime_ms (wraps as ticks do), rssi (dBm, or None)."""
        return {
            "heap_free": gc.mem_free(),
            "uptime_ms": ticks_diff(ticks_ms(), self._start_ms),
            "rssi": self._rssi(),
        }

    def _rssi(self):
        try:
            return self.wlan.status("rssi") if self.wlan is not None and self.wlan.isconnected() else None
        except Exception:  # The network is lost, or the radio has no word for what it lacks: RuntimeError.
            return None


def has_psram():
    """bool: this image found PSRAM, which has more than all of an ESP32's own memory."""
    import esp32  # late (RAM)

    return sum(region[0] for region in esp32.idf_heap_info(esp32.HEAP_DATA)) > 1000000
