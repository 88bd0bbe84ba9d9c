"""What an owner allows: tools, motion, volume, and hours without sound."""

from harness import eq
from robot.policy import Policy, is_quiet


class Preferences:
    """The defaults of `config.KEYS`, and what is given."""

    def __init__(self, **values):
        self.values = {
            "tools": None,
            "motion": True,
            "volume_cap": 100,
            "quiet_from": None,
            "quiet_until": None,
        }
        self.values.update(values)

    def get(self, key):
        layer, name = key.split(".")
        assert layer == "robot"
        return self.values[name]


def test_all_is_allowed_at_first():
    policy = Policy(Preferences())
    for name in ("set_emotion", "move_head", "play_melody", "anything"):
        assert policy.offers(name)
    eq((policy.motion, policy.volume_cap, policy.quiet()), (True, 100, False))


def test_only_the_tools_that_are_named():
    policy = Policy(Preferences(tools=["set_emotion", "move_head"]))
    eq(
        [policy.offers(n) for n in ("set_emotion", "move_head", "set_led", "set_emotio")],
        [True, True, False, False],
    )
    eq(Policy(Preferences(tools=[])).offers("set_emotion"), False)


def test_motion_off_takes_the_tools_that_move():
    policy = Policy(Preferences(motion=False))
    eq(policy.motion, False)
    for name in ("play_motion", "move_head", "look_at", "look_away", "set_torque", "set_idle_motion"):
        eq((name, policy.offers(name)), (name, False))
    for name in ("get_head_pose", "set_emotion", "set_led"):
        eq((name, policy.offers(name)), (name, True))
    eq(Policy(Preferences(motion=False, tools=["move_head"])).offers("move_head"), False)


def test_a_change_holds_at_once():
    preferences = Preferences()
    policy = Policy(preferences)
    assert policy.motion and policy.offers("move_head")
    preferences.values.update({"motion": False, "volume_cap": 20})
    eq((policy.motion, policy.offers("move_head"), policy.volume_cap), (False, False, 20))


def test_the_volume_cap_is_a_level():
    for value, wanted in ((0, 0), (35, 35), (100, 100), (-5, 0), (1000, 100)):
        eq(Policy(Preferences(volume_cap=value)).volume_cap, wanted)


def test_quiet_hours():
    for begin, end, quiet, loud in (
        (600, 660, (600, 601, 659), (0, 599, 660, 1439)),
        (1320, 420, (1320, 1439, 0, 419), (420, 800, 1319)),
        (0, 1439, (0, 1, 1438), (1439,)),
        (1439, 0, (1439,), (0, 1, 1438)),
        (300, 300, (), (0, 299, 300, 301)),
        (None, 300, (), (0, 100)),
        (300, None, (), (300, 400)),
        (None, None, (), (0, 100)),
        (-1, 300, (), (0, 100)),
        (1000, 1440, (), (1100,)),
    ):
        for minute in quiet:
            eq((begin, end, minute, is_quiet(begin, end, minute)), (begin, end, minute, True))
        for minute in loud:
            eq((begin, end, minute, is_quiet(begin, end, minute)), (begin, end, minute, False))


def test_every_minute_of_a_night():
    quiet = [minute for minute in range(1440) if is_quiet(1320, 420, minute)]
    eq(len(quiet), 540)
    eq(quiet, list(range(420)) + list(range(1320, 1440)))


def test_without_a_clock_there_are_no_quiet_hours():
    night = Preferences(quiet_from=0, quiet_until=1439)
    eq(Policy(night).quiet(), False)
    minutes = [None, 5, 1439]
    policy = Policy(night, lambda: minutes.pop(0))
    eq([policy.quiet() for _ in range(3)], [False, True, False])
