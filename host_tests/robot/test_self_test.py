"""What the self-test tells of a board's parts, and the base of the boards."""

from fake_board import Board

from harness import eq
from robot.ports import Ports
from robot.self_test import self_test


class Port:
    def __init__(self, error=None):
        self.error = error

    def read(self):
        if self.error:
            raise self.error


def refuse(error):
    raise error


def test_a_board_that_tells_nothing():
    told = self_test(Board())
    eq((told["board"], told["found"], told["missing"], told["failing"]), ("unknown", {}, {}, {}))


def test_what_is_found_missing_and_failing():
    ports = Ports()
    ports.imu = ports.part("imu", None, Port)
    ports.power = ports.part("power", "IP5306", Port, OSError("the bus is stuck"))
    ports.servos = ports.part("servos", "pwm", refuse, OSError(19))
    told = self_test(ports)
    eq(told["board"], "no board")
    eq(told["found"], {"imu": "Port", "power": "IP5306"})
    eq(told["missing"], {"servos": "it does not answer"})
    eq(told["failing"], {"power": "the bus is stuck"})


def test_why_a_part_is_missing():
    for error, why in (
        (OSError(19), "it does not answer"),
        (OSError(116), "its bus is stuck"),
        (OSError(28), "error 28"),
        (OSError("no 5 V"), "no 5 V"),
        (ValueError("pin"), "pin"),
        (ImportError("no module named bmi270"), "ImportError: no module named bmi270"),
        (MemoryError(), "MemoryError: MemoryError"),
    ):
        ports = Ports()
        eq(ports.part("x", "y", refuse, error), None)
        eq((ports.missing, ports.found()), ({"x": why}, {}))


def test_a_part_that_is_none():
    ports = Ports()
    eq(ports.part("imu", None, lambda: None), None)
    eq(ports.missing, {"imu": "there is none"})
    ports.part("imu", "MPU6886", Port)
    eq((ports.missing, ports.found()), ({}, {"imu": "MPU6886"}))
    ports.lacks("imu", "it is gone")
    eq((ports.missing, ports.found()), ({"imu": "it is gone"}, {}))


def test_a_board_by_itself_has_no_parts():
    ports = Ports()
    for name in ("display", "servos", "speaker", "inputs", "imu", "power", "system"):
        eq(getattr(ports, name), None)
    eq(ports.leds, {})
