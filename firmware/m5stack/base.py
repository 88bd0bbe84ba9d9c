"""The base of M5Stack's boards: their clock, their system port, and the parts that several of them have."""

from time import sleep_ms

from machine import SPI, Pin, bitstream, freq
from micropython import const

from robot.ports import Ports

from .system import System

_HZ = const(240000000)  # The stock images start at 160 MHz.
_SPI_HZ = const(40000000)
_LIGHTS = const(64)
_BRIGHTEST = const(64)


class Base(Ports):
    """preferences: `config.Preferences`.

    TAKEN: bytes, the numbers of the pins that no preference may name.
    A board is made before Wi-Fi is switched on: with PSRAM a UART made after it ends in a crash (micropython#18544).
    """

    TAKEN = b""

    def __init__(self, preferences):
        super().__init__()
        self.preferences = preferences
        self.system = System()
        freq(_HZ)

    def pin(self, key, own):
        """The number of a pin that a preference may name.  own: int, of the board without it, or None.

        Raises ValueError if there is none, or if it belongs to a part that is built in.
        """
        pin = self.preferences.get(key)
        if pin is None:
            pin = own
        elif pin in self.TAKEN:
            raise ValueError("%s: pin %d belongs to the board" % (key, pin))
        if pin is None:
            raise ValueError("%s must be set" % key)
        return pin

    def screen(self, make, spi, sck, mosi, cs, dc, miso=None, **more):
        """A panel on an SPI of its own, lit when it is clear: the display port, or None.

        make: a driver's class.  spi: its number.  sck, mosi, cs, dc, miso: pins; every one is given, because those that
        an SPI takes by itself are other parts'.  more: arguments of the driver.
        """
        return self.part("display", make.__name__, _screen, make, spi, sck, mosi, miso, cs, dc, more)

    def sense(self, sources):
        """The inputs port of those that were found.  sources: list of them, and of None."""
        sources = [source for source in sources if source is not None]
        if sources:
            from drivers.inputs import Inputs  # late (RAM)

            self.inputs = Inputs(sources)

    def touch(self, i2c, circles):
        """The touch panel as a source of inputs, or None.  circles: bool, buttons are printed below the screen."""
        from drivers.ft6336u import FT6336U  # late (RAM)

        return self.part("touch", "FT6336U", FT6336U, i2c, circles)

    def acceleration(self, i2c, addresses, axes=(1, 2, 3)):
        """Look for an IMU at these addresses.  axes: as it lies in the board, see `drivers.imu.attach`."""
        from drivers.imu import attach  # late (RAM)

        self.imu = self.part("imu", None, attach, i2c, sleep_ms, addresses, axes)

    def lights(self, pin, count):
        """A chain of lights in two halves, if there is one.  pin, count: the board's own, unless a preference says."""
        get = self.preferences.get
        count = count if get("board.leds") is None else max(0, min(_LIGHTS, get("board.leds")))
        if count:
            self.leds = self.part("leds", "%d SK6812" % count, _chain, self, pin, count) or {}

    def i2s(self, what, sck, ws, sd, amplifier):
        """A speaker behind I2S.  what: str, its amplifier.  amplifier: function of a rate, or 0: off."""
        from .sound import speaker  # late (RAM)

        self.speaker = self.part("speaker", what, speaker, sck, ws, sd, amplifier)

    def neck(self, tx=None, rx=None, yaw=None, pitch=None, kind=None, power=None, zeros=None):
        """The servos that the owner has enabled: see `servos.attach`. Before that nothing of them is even loaded."""
        if not self.preferences.get("servo.enabled"):
            return self.lacks("servos", "servo.enabled is off: their owner has not enabled them")
        from .servos import attach  # late (RAM)

        attach(self, tx, rx, yaw, pitch, kind, power, zeros)

    def boost(self, chip):
        """Give 5 V out of the ports and into a body.  chip: the driver that can, or None."""
        self.part("5 V out", "on", _boost, chip)


# The M5GO bottoms feed theirs from the battery: a quarter of full light is bright.
def _chain(board, pin, count):
    from drivers.sk6812 import TIMING_NS, Chain  # late (RAM)

    wire = Pin(board.pin("board.leds_pin", pin), Pin.OUT, value=0)
    chain = Chain(lambda buf: bitstream(wire, 0, TIMING_NS, buf), count, _BRIGHTEST)
    half = (count + 1) // 2
    strips = {"left": chain.strip(0, half)}
    if count > half:
        strips["right"] = chain.strip(half, count - half)
    chain.show()
    return strips


def _boost(chip):
    if chip is None:
        raise OSError("the chip that switches it is missing")
    chip.boost(True)
    return chip


# D/C and CS are made after the SPI: on an ESP32-S3 it takes its native pins back.
def _screen(make, spi, sck, mosi, miso, cs, dc, more):
    miso = None if miso is None else Pin(miso)
    bus = SPI(spi, _SPI_HZ, sck=Pin(sck), mosi=Pin(mosi), miso=miso)
    panel = make(bus, Pin(dc, Pin.OUT), Pin(cs, Pin.OUT, value=1), **more)
    panel.start()
    panel.brightness(100)
    return panel
