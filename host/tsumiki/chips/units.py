"""The units of a virtual ESP32: SPI, I2C, UART, PWM, DAC, I2S and ADC. See `soc`.

Each is made of the arguments of its class in `machine`, takes its pins, and passes on to the board's chips what it is
written.
"""

import zlib

from .soc import Refusal

_ABSENT = 19
_SHOWN = 24
# (chip, id) to the pins that an SPI takes where none are given: sck, mosi, miso.
_SPI_PINS = {
    ("esp32", 1): (14, 13, 12),
    ("esp32", 2): (18, 23, 19),
    ("esp32s3", 1): (36, 35, 37),
    ("esp32s3", 2): (36, 35, 37),
}


# Bytes for the trace; of many, how many and which.
def _told(data):
    if len(data) <= _SHOWN:
        return data.hex(" ")
    return "%d bytes %08x" % (len(data), zlib.crc32(data))


class Unit:
    """A unit.  soc: `Soc`.  name: str, what its pins are taken for."""

    def __init__(self, soc, name):
        self.soc = soc
        self.name = name

    def claim(self, *pins):
        """pins: (number or None, its use, bool: an output)."""
        for pin, use, output in pins:
            if pin is not None:
                self.soc.claim(pin, "%s %s" % (self.name, use), output)

    def write(self, data):
        raise Refusal(1, 22)

    def deinit(self):
        self.soc.note(self.name + " ends")
        self.soc.release(self.name)


class Spi(Unit):
    """`machine.SPI`. Like the real one it takes the native pins of its host too, whatever pins it is given on an S3."""

    def __init__(self, soc, id, baudrate, **more):
        super().__init__(soc, "spi%d" % id)
        if (soc.wiring.soc, id) not in _SPI_PINS:
            raise Refusal(2, "SPI(%d) doesn't exist" % id)
        native = _SPI_PINS[soc.wiring.soc, id]
        for name, pin in zip(("sck", "mosi", "miso"), native):
            if name not in more:
                soc.fault("SPI(%d) is made without %s, and takes pin %d" % (id, name, pin))
                more[name] = pin
        if soc.wiring.soc == "esp32s3":
            for pin in native:
                soc.roles.pop(pin, None)
                soc.levels.pop(pin, None)
        self.pins = (more["sck"], more["mosi"])
        self.claim((more["sck"], "sck", True), (more["mosi"], "mosi", True), (more["miso"], "miso", False))
        soc.note("%s sck=%s mosi=%s miso=%s %d Hz" % (self.name, *self.pins, more["miso"], baudrate))
        if baudrate > 40000000:
            soc.fault("%s at %d Hz: a panel takes 40 MHz" % (self.name, baudrate))

    def init(self, **more):
        self.soc.note("%s init" % self.name)

    def write(self, data):
        """To each panel on these pins; which of them listens is in the levels of their CS."""
        soc = self.soc
        there = [wires for wires in soc.wiring.panels if wires[:2] == self.pins]
        if not there:
            soc.fault("%s: nothing is wired to sck %s and mosi %s" % (self.name, *self.pins))
        for _, _, cs, dc, panel in there:
            is_data = soc.levels.get(dc)
            if is_data is None:
                soc.fault("%s: the D/C pin %d is no output while bytes are sent" % (self.name, dc))
            is_data = is_data != 0
            soc.note("%s %s %s" % (self.name, "data" if is_data else "command", _told(data)))
            panel.transfer(is_data, soc.levels.get(cs, 1) == 0, data)


class I2c(Unit):
    """`machine.I2C` and `machine.SoftI2C`."""

    def __init__(self, soc, scl, sda, freq, id=None):
        super().__init__(soc, "softi2c" if id is None else "i2c%d" % id)
        if scl is None or sda is None:
            raise Refusal(2, "scl and sda must be given")
        self.hz = freq
        self.claim((sda, "sda", True), (scl, "scl", True))
        self.bus = soc.bus(sda, scl)
        soc.note("%s sda=%d scl=%d %d Hz" % (self.name, sda, scl, freq))

    def scan(self):
        found = self.bus.scan()
        self.soc.note("%s scan: %s" % (self.name, " ".join("%02x" % address for address in found)))
        return found

    def transfer(self, address, data, count):
        """bytes that are read.  data: bytes to write, or None.  Raises `Refusal` where nobody answers."""
        soc = self.soc
        if self.hz > soc.wiring.slow.get(address, self.hz):
            soc.fault("chip 0x%02x at %d Hz" % (address, self.hz))
        text = "%s %02x" % (self.name, address) + ("" if data is None else " w " + _told(data))
        try:
            if data is not None:
                self.bus.writeto(address, data)
            found = self.bus.readfrom(address, count) if count else b""
        except OSError as e:
            soc.note(text + ": nobody answers")
            raise Refusal(1, e.args[0] if e.args else _ABSENT) from None
        finally:
            soc.wiring.settle()
        soc.note(text + (" r " + _told(found) if count else ""))
        return found


class Uart(Unit):
    """`machine.UART`; what comes back waits until it is read."""

    def __init__(self, soc, id, baudrate, tx, rx, **more):
        super().__init__(soc, "uart%d" % id)
        if soc.radio and soc.wiring.psram == "esp32":
            soc.fault("%s is made while Wi-Fi is on, which ends in a crash with PSRAM" % self.name)
        if not id:
            soc.fault("uart0 is the REPL's")
        self.claim((tx, "tx", True), (rx, "rx", False))
        soc.note("%s tx=%s rx=%s %d baud" % (self.name, tx, rx, baudrate))
        right, self._device = soc.wiring.uarts.get((tx, rx), (baudrate, None))
        if right != baudrate:
            soc.fault("%s at %d baud, where %d is spoken" % (self.name, baudrate, right))
            self._device = None
        self._come = b""

    def write(self, data):
        found = self._device.feed(data) if self._device else b""
        self.soc.note("%s > %s" % (self.name, data.hex(" ")))
        if found:
            self.soc.note("%s < %s" % (self.name, found.hex(" ")))
        self._come += found

    def read(self):
        """bytes: what has come."""
        found, self._come = self._come[:16384], self._come[16384:]
        return found


class Pwm(Unit):
    """`machine.PWM`."""

    def __init__(self, soc, pin):
        super().__init__(soc, "pwm%d" % pin)
        self._pin = pin
        self._hz, self._duty_ns = 5000, 0
        self.claim((pin, "pwm", True))
        self._tell = soc.wiring.pwm.get(pin)

    def pwm(self, freq, duty_u16, duty_ns):
        period_ns = 1000000000 // self._hz
        if freq is not None:
            if not 0 < freq <= 40000000:
                raise Refusal(2, "frequency must be from 1Hz to 40MHz")
            self._duty_ns = self._duty_ns * (1000000000 // freq) // period_ns
            self._hz = freq
            period_ns = 1000000000 // freq
        if duty_u16 is not None:
            self._duty_ns = duty_u16 * period_ns // 65535
        if duty_ns is not None:
            if not 0 <= duty_ns <= period_ns:
                raise Refusal(2, "duty_ns must be from 0ns to %dns" % period_ns)
            self._duty_ns = duty_ns
        if (freq, duty_u16, duty_ns) != (None, None, None):
            self.soc.note("%s %d Hz %d ns" % (self.name, self._hz, self._duty_ns))
            self._say()
        duty_u16 = self._duty_ns * 65535 // period_ns
        return {"freq": self._hz, "duty_ns": self._duty_ns, "duty_u16": duty_u16}

    def _say(self):
        if self._tell:
            self._tell(self._hz, self._duty_ns)

    def deinit(self):
        super().deinit()
        self._duty_ns = 0
        self._say()


class Dac(Unit):
    """`machine.DAC`, which only an ESP32 has, on pins 25 and 26."""

    def __init__(self, soc, pin):
        super().__init__(soc, "dac%d" % pin)
        if soc.wiring.soc != "esp32" or pin not in (25, 26):
            raise Refusal(2, "invalid Pin for DAC")
        self._pin = pin
        self.claim((pin, "dac", True))

    def dac(self, value):
        self.soc.note("%s = %d" % (self.name, value))
        if self._pin in self.soc.wiring.dac:
            self.soc.wiring.dac[self._pin](value)


class I2s(Unit):
    """`machine.I2S` that sends."""

    def __init__(self, soc, id, sck, ws, sd, rate, **more):
        super().__init__(soc, "i2s%d" % id)
        self._pins = (sck, ws, sd)
        self.claim((sck, "sck", True), (ws, "ws", True), (sd, "sd", True))
        self._play = soc.wiring.i2s.get(self._pins)
        self._rate = rate
        soc.note("%s sck=%d ws=%d sd=%d %d Hz" % (self.name, *self._pins, rate))

    def init(self, rate, **more):
        self._rate = rate
        self.soc.note("%s %d Hz" % (self.name, rate))

    def write(self, data):
        if self._play:
            self._play(data, self._rate)


class Adc(Unit):
    """`machine.ADC`; nothing is wired to any."""

    def __init__(self, soc, pin):
        super().__init__(soc, "adc%d" % pin)
        self.claim((pin, "adc", False))

    def adc(self):
        return 0


KINDS = {"SPI": Spi, "I2C": I2c, "SoftI2C": I2c, "UART": Uart, "PWM": Pwm, "DAC": Dac, "I2S": I2s, "ADC": Adc}
