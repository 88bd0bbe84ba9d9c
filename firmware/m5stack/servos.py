"""The servos of a robot's neck, as its owner has said in the preferences what they are.

Whoever calls this has asked `servo.enabled`: until that is set nothing is sent to a servo, or fed.
"""

from time import sleep_ms, ticks_ms

from machine import PWM, UART, Pin
from micropython import const

from robot.errors import ServoFault

_UART = const(1)


def attach(board, tx=None, rx=None, yaw=None, pitch=None, kind=None, power=None, zeros=None):
    """Give a board its `servos` port, or the reason why there is none.

    board: `robot.ports.Ports` with `preferences`.  tx, rx: pins of the board's servo bus.  yaw, pitch: pins of its
    servos by pulse; the preferences name others.  kind: what the board is built with, None: only the preferences know.
    power: called when all is known, before the first packet; may raise.
    zeros: `zeros()` -> (yaw, pitch), counts at 0 degrees, or None.
    """
    get = board.preferences.get
    kind = get("servo.kind") or kind or "none"
    if kind == "none":
        return board.lacks("servos", "servo.kind does not say what they are")
    if kind not in _KINDS:
        return board.lacks("servos", "servo.kind is %s: none of %s" % (kind, ", ".join(sorted(_KINDS))))
    own = {"tx": tx, "rx": rx, "yaw": yaw, "pitch": pitch}
    board.servos = board.part("servos", kind, _made, board, kind, own, power, zeros)


def _made(board, kind, own, power, zeros):
    get = board.preferences.get
    make, *names = _KINDS[kind]
    pins = [board.pin("servo.%s_pin" % name, own[name]) for name in names]
    if pins[0] == pins[1]:
        raise ValueError("pin %d cannot be both %s" % (pins[0], " and ".join(names)))
    known = zeros() if zeros is not None else None
    given = (get("servo.yaw_zero"), get("servo.pitch_zero"))
    servos = make(pins, [given[i] if given[i] is not None else known and known[i] for i in range(2)])
    if power is not None:
        power()
    return servos


def _uart(pins, baud):
    return UART(_UART, baudrate=baud, tx=Pin(pins[0]), rx=Pin(pins[1]))


def _scs0009(pins, zeros):
    from drivers.scs0009 import Bus, Servos, kit  # late (RAM)

    if None in zeros:
        raise ValueError("servo.yaw_zero and servo.pitch_zero must be set: each unit has its own")
    return Servos(Bus(_uart(pins, 1000000), ticks_ms, error=ServoFault), kit(*zeros), error=ServoFault)


def _xl330(pins, zeros):
    from drivers.xl330 import Bus, Servos, stack_chan  # late (RAM)

    profile = stack_chan(*[2048 if zero is None else zero for zero in zeros])
    bus = Bus(_uart(pins, 1000000), ticks_ms, error=ServoFault)
    return Servos(bus, profile, sleep_ms, error=ServoFault)


def _rs30x(pins, zeros):
    from drivers.rs30x import Bus, Servos, stack_chan  # late (RAM)

    bus = Bus(_uart(pins, 115200), ticks_ms, error=ServoFault)
    return Servos(bus, stack_chan(*[zero or 0 for zero in zeros]), error=ServoFault)


def _pwm(pins, zeros):
    from drivers.pwm_servo import Servos, sg90  # late (RAM)

    makers = [_pulses(pin) for pin in pins]
    return Servos(makers, sg90(trims_cd=[zero or 0 for zero in zeros]), sleep_ms, error=ServoFault)


# Low until there are pulses: a line that floats may look like some.
def _pulses(number):
    pin = Pin(number, Pin.OUT, value=0)
    return lambda **options: PWM(pin, **options)


# Kind to what makes it, and the pins that it needs.
_KINDS = {
    "pwm": (_pwm, "yaw", "pitch"),
    "rs30x": (_rs30x, "tx", "rx"),
    "scs0009": (_scs0009, "tx", "rx"),
    "xl330": (_xl330, "tx", "rx"),
}
