"""The speaker of M5Stack Basic, Gray and Fire: an amplifier without a switch at GPIO25.

It hisses unless the pin is low, and is loud: a square wave of a duty up to 10 % is its range (hardware.md 1.2, 4.5).

    speaker = DACSpeaker(PWM(Pin(25), freq=440, duty_u16=0))
"""

from micropython import const

_LOUDEST = const(6553)  # of 65,535: 10 %
_LOWEST_HZ = const(20)
_HIGHEST_HZ = const(20000)


class DACSpeaker:
    """A speaker port: tones.  pwm: `machine.PWM`, with `freq(hz)` and `duty_u16(duty)`; it is silenced."""

    def __init__(self, pwm):
        self._pwm = pwm
        self._hz = 0
        self._duty = 0
        pwm.duty_u16(0)

    def tone(self, hz, level):
        """Sound until told otherwise.  hz: int, clamped to 20-20000.  level: 0-100, clamped."""
        hz = max(_LOWEST_HZ, min(_HIGHEST_HZ, hz))
        if hz != self._hz:
            self._pwm.freq(hz)
            self._hz = hz
        self._sound(_LOUDEST * max(0, min(100, level)) // 100)

    def silence(self):
        """Hold the pin low."""
        self._sound(0)

    def _sound(self, duty):
        if duty != self._duty:
            self._pwm.duty_u16(duty)
            self._duty = duty
