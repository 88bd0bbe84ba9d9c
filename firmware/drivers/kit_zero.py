"""Where M5Stack's StackChan kit keeps the zero positions of its servos: each unit has its own, and they are in its NVS.

The factory's program writes them (namespace `servo`, keys `zero_pos_1` for the yaw and `zero_pos_2` for the pitch,
32-bit integers); erasing the flash loses them. The defaults of the vendor's two programs contradict each other, so
there is none here: a robot that does not know its zero has no head.
"""

_KEYS = ("zero_pos_1", "zero_pos_2")
_LAST = 1000  # The vendor's programs keep positions within 0-1000.


def read(nvs):
    """(yaw_zero, pitch_zero), ints, 0-1000, as `drivers.scs0009.kit` takes them; None if they are not both there.

    nvs: `esp32.NVS("servo")`, or what has its `get_i32(key)` -> int, which raises OSError for a key that is not there.
    """
    zeros = []
    for key in _KEYS:
        try:
            zero = nvs.get_i32(key)
        except OSError:
            return None
        if type(zero) is not int or not 0 <= zero <= _LAST:
            return None
        zeros.append(zero)
    return tuple(zeros)
