"""The kit's zero positions: read from its memory, and never guessed."""

from drivers.kit_zero import read
from drivers.scs0009 import kit
from harness import eq, raises


class NVS:
    """`esp32.NVS("servo")` with these values.  asked: list of str."""

    def __init__(self, **values):
        self.values = values
        self.asked = []

    def get_i32(self, key):
        self.asked.append(key)
        if key not in self.values:
            raise OSError(-4354)  # ESP_ERR_NVS_NOT_FOUND
        return self.values[key]


def test_both_are_read():
    nvs = NVS(zero_pos_1=455, zero_pos_2=611)
    eq(read(nvs), (455, 611))
    eq(nvs.asked, ["zero_pos_1", "zero_pos_2"])
    profile = kit(*read(nvs))
    eq((profile.yaw.raw(0), profile.pitch.raw(1000)), (455, 643))


def test_the_ends_of_the_range_are_zeros_too():
    eq(read(NVS(zero_pos_1=0, zero_pos_2=1000)), (0, 1000))


def test_one_alone_is_no_zero():
    eq(read(NVS()), None)
    eq(read(NVS(zero_pos_1=455)), None)
    eq(read(NVS(zero_pos_2=611)), None)


def test_what_cannot_be_a_position_is_no_zero():
    for wrong in (-1, 1001, 1 << 20, -(1 << 31), None, "455", 455.0, True):
        eq(read(NVS(zero_pos_1=wrong, zero_pos_2=611)), None)
        eq(read(NVS(zero_pos_1=455, zero_pos_2=wrong)), None)


def test_a_profile_needs_both():
    for zeros in ((None, 611), (455, None), (455, 1001), (-1, 611)):
        raises(ValueError, kit, *zeros)
