"""What the status has in it, and what it leaves out."""

from feeling import Imu, Inputs
from heap import dice
from sounds import Still

from harness import eq
from robot.lights import Lights
from robot.senses import Senses
from robot.status import battery, status, system
from robot.voice import Voice
from umcp.codec import dumps, loads
from umcp.errors import ToolError


class Port:
    """A power or system port that answers, or raises."""

    def __init__(self, answer):
        self.answer = answer

    def read(self):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Strip:
    count = 4


class Face:
    def state(self):
        return {"emotion": "happy"}


class Head:
    busy = True
    fault = None

    def last_pose(self):
        return 1230, -450


class Allowed:
    motion = True
    volume_cap = 60

    def quiet(self):
        return False


class Robot:
    """What a status asks of a robot, with no part at first."""

    more = ()
    starving = False
    face = head = voice = lights = senses = None
    has_brightness = False
    brightness = 70
    calls = ()
    policy = Allowed()

    def __init__(self, power=None, system=None):
        self.ports = self
        self.power = power
        self.system = system
        self.faults = {}


BARE = {"allowed": {"motion": True, "volume_cap": 60, "quiet": False}, "calls": (), "faults": {}}


def test_a_robot_without_parts_has_little_to_tell():
    eq(status(Robot()), BARE)


def test_every_part_tells_of_itself():
    robot = Robot(Port({"battery_percent": 80, "charging": False, "usb": True}), Port({"heap_free": 9000}))
    still = Still()
    robot.face, robot.head, robot.voice = Face(), Head(), Voice(still)
    robot.lights, robot.senses = Lights({"left": Strip()}), Senses(Inputs(), Imu(dice()))
    robot.has_brightness = True
    robot.calls = [[1, "set_emotion", '{"emotion":"happy"}']]
    robot.faults = {"Head": 2}
    told = status(robot)
    eq(
        told,
        {
            "allowed": {"motion": True, "volume_cap": 60, "quiet": False},
            "calls": [[1, "set_emotion", '{"emotion":"happy"}']],
            "faults": {"Head": 2},
            "face": {"emotion": "happy"},
            "head": {"yaw": 12.3, "pitch": -4.5, "moving": True},
            "voice": {"busy": False, "left_ms": 0, "volume": 100},
            "lights": {
                "left": {"mode": "off", "red": 0, "green": 0, "blue": 0, "interval_ms": 50, "count": 4}
            },
            "senses": {"last_seq": 0, "held": False, "tilted": False},
            "brightness": 70,
            "battery": {"battery_percent": 80, "charging": False, "usb": True},
            "system": {"heap_free": 9000},
        },
    )
    eq(loads(dumps(told)), told)


def test_a_fault_of_the_head_is_a_code():
    robot = Robot()
    robot.head = Head()
    robot.head.fault = ToolError("servo_fault", "servo 2 at 0x1234")
    eq(status(robot)["head"]["fault"], "servo_fault")


def test_what_is_not_known_is_absent():
    eq(battery(None), {})
    eq(battery(Port({})), {})
    eq(battery(Port({"battery_percent": None, "charging": None, "usb": None})), {})
    eq(battery(Port({"battery_percent": 55, "charging": None})), {"battery_percent": 55})
    eq(system(Port({"heap_free": 5, "rssi": None})), {"heap_free": 5})
    eq(status(Robot(Port({"usb": None}), Port({}))), BARE)


def test_only_known_keys_of_the_right_type_are_told():
    seen = {
        "heap_free": 5,
        "rssi": -60,
        "wifi_password": "secret",
        "address": 7,
        "firmware": "0.1.0",
        "boots": True,
    }
    eq(system(Port(seen)), {"heap_free": 5, "rssi": -60, "firmware": "0.1.0"})
    eq(battery(Port({"battery_percent": "80", "charging": 1, "usb": False})), {"usb": False})


def test_a_port_that_fails_is_absent():
    eq(status(Robot(Port(OSError(19)), Port(OSError(5)))), BARE)
    eq(status(Robot(Port(RuntimeError("Wifi Unknown Error 0x0101")), Port(ValueError()))), BARE)


def test_a_robot_whose_network_is_short_of_memory_says_so():
    robot = Robot()
    assert "starving" not in status(robot)
    robot.starving = True
    eq(status(robot)["starving"], True)
