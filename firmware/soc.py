"""What belongs to the processor and not to the board: radio, clock, memory, reset.

Not yet run on hardware. Memory: hardware.md 10, what the heap of Python takes from the network does not come back.
"""

import gc
import os

from micropython import const

_WPA2 = const(3)  # network.AUTH_WPA2_PSK


def has_radio():
    """bool."""
    try:
        import network  # noqa: F401

        return True
    except ImportError:
        return False


def station(hostname):
    """`network.WLAN` of a station, which answers to `<hostname>.local` (mDNS)."""
    import network

    network.hostname(hostname)
    return network.WLAN(network.STA_IF)


def names_in_reach(wlan):
    """The names of the networks that a station hears, the strongest first: list of str. It takes about 2 s.

    The station is off then, and gives back what it took of the memory.
    """
    wlan.active(True)
    try:
        rows = wlan.scan()
    finally:
        wlan.active(False)
    names = []
    for row in sorted(rows, key=lambda row: -row[3]):
        try:
            name = row[0].decode()
        except UnicodeError:
            continue  # Nobody could type it here.
        if name and name not in names:
            names.append(name)
    return names


def access_point(name, password):
    """Open an access point with WPA2; returns its address.  password: str, 8 characters or more."""
    import network

    point = network.WLAN(network.AP_IF)
    asked = {"ssid": name, "security": _WPA2, "key": password, "max_clients": 4}
    # Before, as the documentation has it, so that it is never open; after, for versions that take it only then.
    try:
        point.config(**asked)
    except Exception:
        pass
    point.active(True)
    point.config(**asked)
    return point.ifconfig()[0]


def set_clock():
    """Ask a time server, which blocks for up to 1 s. Raises OSError."""
    import ntptime

    ntptime.timeout = 1
    ntptime.settime()


def network_free():
    """Bytes that the network can still take, or None where that is not known."""
    try:
        import esp32
    except ImportError:
        return None
    free = 0
    for region in esp32.idf_heap_info(esp32.HEAP_DATA):
        free += region[1]
    return free


def collect_often():
    """Collect garbage every 4 KB: the heap then grows little, and what it has grown by is lost to the network."""
    gc.threshold(4096)


def unique(length):
    """So many hex digits of this processor's own number."""
    try:
        from machine import unique_id
    except ImportError:
        return "0" * length
    return unique_id().hex()[-length:]


def digits(count):
    """So many random decimal digits: str."""
    found = ""
    while len(found) < count:
        for byte in os.urandom(count):
            if byte < 250 and len(found) < count:
                found += str(byte % 10)
    return found


def reset():
    """Start again."""
    from machine import reset

    reset()
