import os

from ram_flash import Flash

from config import Preferences
from harness import eq, raises
from robot.policy import Policy


def _mounted(flash, make=False):
    if make:
        os.VfsLfs2.mkfs(flash)
    os.mount(os.VfsLfs2(flash), "/flash")


def _with_flash(work):
    flash = Flash()
    _mounted(flash, True)
    try:
        work(flash)
    finally:
        os.umount("/flash")


def test_a_value_is_kept_across_a_restart():
    def work(flash):
        preferences = Preferences("/flash/config.json")
        eq(preferences.get("mcp.token"), None)
        preferences.set("mcp.token", "a-token-of-the-owner")
        preferences.set("net.allowed_hosts", ["robot.local"])
        again = Preferences("/flash/config.json")
        eq(again.get("mcp.token"), "a-token-of-the-owner")
        eq(again.get("net.allowed_hosts"), ["robot.local"])
        again.set("mcp.token", None)
        eq(Preferences("/flash/config.json").get("mcp.token"), None)

    _with_flash(work)


def test_an_unknown_key_and_a_wrong_type_are_refused():
    preferences = Preferences("/no/such/config.json")
    raises(KeyError, preferences.get, "mcp.tokn")
    raises(KeyError, preferences.set, "mcp.tokn", "x")
    raises(TypeError, preferences.set, "mcp.token", 5)
    raises(TypeError, preferences.set, "net.allowed_hosts", ["robot.local", 5])
    raises(TypeError, preferences.set, "robot.motion", 1)
    raises(TypeError, preferences.set, "robot.volume_cap", True)
    raises(TypeError, preferences.set, "robot.volume_cap", 50.0)
    raises(OSError, preferences.set, "mcp.token", "a-token-of-the-owner")
    eq(preferences.get("mcp.token"), None)


def test_what_the_owner_allows_is_kept_and_all_is_allowed_at_first():
    def work(flash):
        preferences = Preferences("/flash/config.json")
        policy = Policy(preferences, lambda: 5)
        eq(
            (policy.offers("move_head"), policy.motion, policy.volume_cap, policy.quiet()),
            (True, True, 100, False),
        )
        for key, value in (
            ("robot.tools", []),
            ("robot.motion", False),
            ("robot.volume_cap", 0),
            ("robot.quiet_from", 1439),
            ("robot.quiet_until", 6),
        ):
            preferences.set(key, value)
        policy = Policy(Preferences("/flash/config.json"), lambda: 5)
        eq(
            (policy.offers("set_led"), policy.motion, policy.volume_cap, policy.quiet()),
            (False, False, 0, True),
        )

    _with_flash(work)


def test_a_file_that_could_not_be_read_again_is_not_written():
    def work(flash):
        preferences = Preferences("/flash/config.json")
        preferences.set("mcp.token", "a-token-of-the-owner")
        raises(ValueError, preferences.set, "net.allowed_hosts", ["x" * 100] * 40)
        eq(preferences.get("net.allowed_hosts"), ())
        eq(Preferences("/flash/config.json").get("mcp.token"), "a-token-of-the-owner")

    _with_flash(work)


def test_a_broken_file_is_kept_aside_and_reported():
    def work(flash):
        with open("/flash/config.json", "w") as f:
            f.write('{"mcp.token":"a-token-of-the-ow')
        seen = []
        preferences = Preferences("/flash/config.json", lambda level, text: seen.append(level))
        eq((preferences.get("mcp.token"), seen), (None, ["error"]))
        eq(sorted(os.listdir("/flash")), ["config.json.bad"])

    _with_flash(work)


def test_what_is_unknown_in_the_file_is_ignored_and_reported():
    def work(flash):
        with open("/flash/config.json", "w") as f:
            f.write('{"mcp.token":7,"wifi":1,"net.allowed_hosts":["a"]}')
        seen = []
        preferences = Preferences("/flash/config.json", lambda level, text: seen.append(text))
        eq((preferences.get("mcp.token"), preferences.get("net.allowed_hosts"), len(seen)), (None, ["a"], 2))

    _with_flash(work)


def test_a_power_cut_at_any_write_leaves_the_old_value_or_the_new():
    old, new = "the-old-token-of-it", "the-new-token-of-it"
    cut = 0
    survived = set()
    while cut < 60:
        flash = Flash()
        _mounted(flash, True)
        Preferences("/flash/config.json").set("mcp.token", old)
        flash.left = cut
        try:
            Preferences("/flash/config.json").set("mcp.token", new)
            done = True
        except OSError:
            done = False
        os.umount("/flash")
        flash.left = None
        _mounted(flash)
        seen = Preferences("/flash/config.json").get("mcp.token")
        os.umount("/flash")
        assert seen == new if done else seen in (old, new), (cut, done, seen)
        survived.add(seen)
        if done:
            break
        cut += 1
    assert done and cut > 3, cut
    eq(survived, {old, new})


def test_a_file_that_the_file_system_does_not_give_out_is_not_written_over():
    def work(flash):
        os.mkdir("/flash/config.json")
        seen = []
        preferences = Preferences("/flash/config.json", lambda level, text: seen.append(level))
        eq((preferences.get("mcp.token"), seen), (None, ["error"]))
        raises(OSError, preferences.set, "mcp.token", "a-token-of-the-owner")
        eq(os.listdir("/flash"), ["config.json"])

    _with_flash(work)


def test_a_broken_file_that_cannot_be_kept_aside_keeps_nothing_from_starting():
    def work(flash):
        with open("/flash/config.json", "w") as f:
            f.write("what?")
        os.mkdir("/flash/config.json.bad")
        seen = []
        preferences = Preferences("/flash/config.json", lambda level, text: seen.append(level))
        eq((preferences.get("profile"), seen), ("full", ["error", "error"]))

    _with_flash(work)


def test_the_mark_that_some_editors_put_first_is_passed_over():
    def work(flash):
        with open("/flash/config.json", "wb") as f:
            f.write(b'\xef\xbb\xbf{"wifi.hostname":"desk-robot"}\r\n')
        eq(Preferences("/flash/config.json").get("wifi.hostname"), "desk-robot")

    _with_flash(work)
