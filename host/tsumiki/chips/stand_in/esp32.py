"""Stands in for MicroPython's `esp32`: the NVS, and how much memory ESP-IDF has."""

from board_pipe import call

HEAP_DATA = 4
HEAP_EXEC = 1


def idf_heap_info(capabilities):
    """[(total, free, largest free, least free since boot)] of each region."""
    return [tuple(region) for region in call(0, "heap")]


class NVS:
    """A namespace of the NVS.  Raises OSError for what is not there."""

    def __init__(self, namespace):
        self._namespace = namespace

    def _key(self, key):
        return {"key": self._namespace + "/" + key}

    def get_i32(self, key):
        return call(0, "nvs", self._key(key))

    def set_i32(self, key, value):
        call(0, "nvs_set", dict(self._key(key), value=value))

    def get_blob(self, key, buf):
        found = bytes.fromhex(call(0, "nvs", self._key(key)))
        buf[: len(found)] = found
        return len(found)

    def set_blob(self, key, value):
        call(0, "nvs_set", dict(self._key(key), value=bytes(value).hex()))

    def erase_key(self, key):
        call(0, "nvs_set", dict(self._key(key), value=None))

    def commit(self):
        call(0, "nvs_commit")
