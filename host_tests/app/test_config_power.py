"""The power goes in the middle of any write of config.json: what was there before is there, or what was to come."""

import os

import config
from config import Preferences
from harness import eq, raises
from umcp.codec import dumps, loads

_EIO = 5
_BLOCK = 512
_BLOCKS = 64
_PATH = "/flash/config.json"
_OLD = {"mcp.token": "the-old-token-of-it", "net.allowed_hosts": ["old-%d.local" % i for i in range(60)]}
_NEW = {"mcp.token": "the-new-token-of-it", "net.allowed_hosts": ["new-%d.local" % i for i in range(90)]}


class Flash:
    """A block device whose power goes at the write after `left`, of which `part` of 4 quarters still arrive.

    From then on every write fails. It says so by its value: an exception would jump out of LittleFS, which then has
    files open.
    """

    def __init__(self, data=None, left=None, part=0):
        self.data = bytearray(data or b"\xff" * _BLOCKS * _BLOCK)
        self._left = left
        self._part = part

    def readblocks(self, n, buf, offset=0):
        at = n * _BLOCK + offset
        buf[:] = self.data[at : at + len(buf)]

    def writeblocks(self, n, buf, offset=0):
        at = n * _BLOCK + offset
        if self._left == 0:
            arrived = len(buf) * self._part // 4
            self.data[at : at + arrived] = memoryview(buf)[:arrived]
            self._left = -1
        if self._left == -1:
            return -_EIO
        if self._left is not None:
            self._left -= 1
        self.data[at : at + len(buf)] = buf
        return 0

    def ioctl(self, op, arg):
        if op == 6:  # erase
            return self.writeblocks(arg, b"\xff" * _BLOCK)
        return {4: _BLOCKS, 5: _BLOCK}.get(op, 0)


def _with(flash, work):
    os.mount(os.VfsLfs2(flash), "/flash")
    try:
        return work()
    finally:
        os.umount("/flash")


def _image(values):
    """A flash whose config.json holds values, or that has none."""
    flash = Flash()
    os.VfsLfs2.mkfs(flash)
    if values is not None:
        _with(flash, lambda: Preferences(_PATH).update(values))
    return flash.data


def _kept():
    """The bytes of the file, or None; the token that the preferences make of it; what they have against it."""
    refused = []
    try:
        with open(_PATH, "rb") as f:
            raw = f.read()
    except OSError:
        raw = None
    preferences = Preferences(_PATH, lambda level, text: refused.append(text))
    return raw, preferences.get("mcp.token"), refused


def _after_cuts(before, change, part):
    """[(whether the change came to its end, what is kept)], the power cut after 0, 1, 2, ... writes."""
    seen = []
    while not seen or not seen[-1][0]:
        flash = Flash(before, len(seen), part)
        try:
            _with(flash, change)
            done = True
        except OSError as e:
            eq(e.errno, _EIO)
            done = False
        seen.append((done, _with(Flash(flash.data), _kept)))
        assert len(seen) < 200
    return seen


def _change():
    Preferences(_PATH).update(_NEW)


def _check(old):
    before = _image(old)
    new = _with(Flash(_image(_NEW)), _kept)
    was = _with(Flash(before), _kept)
    for part in range(4):
        seen = _after_cuts(before, _change, part)
        kept = [one for _, one in seen]
        # The old one up to some write, the new one from there on, and no third thing.
        eq(kept, [was] * kept.count(was) + [new] * kept.count(new))
        eq((kept[-1], new[1:], was[2]), (new, (_NEW["mcp.token"], []), []))
        assert kept.count(was) > 5, len(kept)


def test_old_or_new_at_every_write():
    _check(_OLD)


def test_none_or_new_at_every_write():
    _check(None)


def test_a_rest_of_an_earlier_cut_does_not_matter():
    def leave():
        with open(_PATH + ".new", "wb") as f:
            f.write(dumps(_NEW)[:700])

    flash = Flash(_image(_OLD))
    _with(flash, leave)
    _find_only_whole_ones(flash.data, _change)


def _find_only_whole_ones(before, change):
    wanted = (_with(Flash(_image(_OLD)), _kept), _with(Flash(_image(_NEW)), _kept))
    strange = [kept for _, kept in _after_cuts(before, change, 2) if kept not in wanted]
    eq(strange, [])


# What `Preferences` must not do.
def test_the_cuts_find_a_file_that_is_written_in_place():
    def change():
        with open(_PATH, "wb") as f:
            f.write(dumps(_NEW)[:900])
            f.flush()
            f.write(dumps(_NEW)[900:])

    raises(AssertionError, _find_only_whole_ones, _image(_OLD), change)


def test_the_cuts_find_a_rename_before_the_end_of_the_writing():
    def change():
        f = open(_PATH + ".new", "wb")
        f.write(dumps(_NEW)[:900])
        f.close()
        os.rename(_PATH + ".new", _PATH)
        with open(_PATH, "ab") as f:
            f.write(dumps(_NEW)[900:])

    raises(AssertionError, _find_only_whole_ones, _image(_OLD), change)


def test_the_file_has_what_the_test_needs():
    for values in (_OLD, _NEW):
        raw = dumps(values)
        assert _BLOCK < len(raw) < config._MAX_BYTES
        eq(loads(raw), values)
