"""Stands in for an ESP32's `machine` under unix MicroPython: what it is told goes to a virtual board. See `board_pipe`.

A `machine.py` before `.frozen` on the path takes the place of the builtin. It has what boards of ours use, with the
real one's arguments; what the real one refuses raises the same here, and what a board would suffer from is a fault
that the board's process keeps.
"""

import sys
import time

from board_pipe import ask, call, make, tell

PWRON_RESET = 1
HARD_RESET = 2
WDT_RESET = 3
DEEPSLEEP_RESET = 4
SOFT_RESET = 5


def freq(hz=None):
    return call(0, "freq", {"hz": hz})


def reset():
    call(0, "reset")
    sys.exit(0)


soft_reset = reset


def reset_cause():
    return PWRON_RESET


def unique_id():
    return b"\x24\x0a\xc4\x00\x01\x02"


def bitstream(pin, encoding, timing, buf):
    call(0, "bitstream", {"pin": pin.number, "timing": list(timing), "data": bytes(buf).hex()})


# Pin objects become their numbers.
def _plain(arguments):
    return {name: getattr(value, "number", value) for name, value in arguments.items()}


class Pin:
    IN = 1
    OUT = 3
    OPEN_DRAIN = 7
    PULL_DOWN = 1
    PULL_UP = 2
    IRQ_RISING = 1
    IRQ_FALLING = 2
    DRIVE_0 = 0
    DRIVE_1 = 1
    DRIVE_2 = 2
    DRIVE_3 = 3

    def __init__(self, number, mode=-1, pull=-1, value=None, drive=None, hold=None):
        self.number = getattr(number, "number", number)
        self._level = bytearray(1)
        self.init(mode, pull, value=value, drive=drive, hold=hold)

    def init(self, mode=-1, pull=-1, value=None, drive=None, hold=None):
        call(0, "pin", {"pin": self.number, "mode": mode, "pull": pull, "value": value, "drive": drive})

    def value(self, level=None):
        if level is None:
            return ask(b"L", self.number)[0]
        self._level[0] = 1 if level else 0
        tell(b"l", self.number, self._level)

    __call__ = value

    def on(self):
        self.value(1)

    def off(self):
        self.value(0)


class SPI:
    MSB = 0
    LSB = 1

    def __init__(self, id, baudrate=500000, **more):
        self._unit = make("SPI", _plain(dict(more, id=id, baudrate=baudrate)))

    def init(self, baudrate=500000, **more):
        call(self._unit, "init", _plain(dict(more, baudrate=baudrate)))

    def write(self, buf):
        tell(b"w", self._unit, buf)

    def deinit(self):
        call(self._unit, "deinit")


class _I2C:
    def __init__(self, what, arguments):
        self._unit = make(what, _plain(arguments))
        self._head = bytearray(4)

    # address, 1 if there is anything to write, bytes to read (2)
    def _transfer(self, address, written, count):
        head = self._head
        head[0] = address
        head[1] = written is not None
        head[2] = count >> 8
        head[3] = count & 0xFF
        return ask(b"i", self._unit, head + bytes(written or b""))

    def scan(self):
        return [int(address) for address in call(self._unit, "scan")]

    def writeto(self, address, buf, stop=True):
        self._transfer(address, buf, 0)
        return len(buf)

    def readfrom(self, address, count, stop=True):
        return self._transfer(address, None, count)

    def readfrom_into(self, address, buf, stop=True):
        buf[:] = self._transfer(address, None, len(buf))

    def writeto_mem(self, address, register, buf, addrsize=8):
        self._transfer(address, register.to_bytes(addrsize // 8, "big") + bytes(buf), 0)

    def readfrom_mem(self, address, register, count, addrsize=8):
        return self._transfer(address, register.to_bytes(addrsize // 8, "big"), count)

    def readfrom_mem_into(self, address, register, buf, addrsize=8):
        buf[:] = self.readfrom_mem(address, register, len(buf), addrsize)


class I2C(_I2C):
    def __init__(self, id, scl=None, sda=None, freq=400000, timeout=50000):
        super().__init__("I2C", {"id": id, "scl": scl, "sda": sda, "freq": freq})


class SoftI2C(_I2C):
    def __init__(self, scl, sda, freq=400000, timeout=50000):
        super().__init__("SoftI2C", {"scl": scl, "sda": sda, "freq": freq})


class UART:
    INV_TX = 1
    INV_RX = 2

    def __init__(self, id, baudrate=115200, bits=8, parity=None, stop=1, tx=None, rx=None, **more):
        arguments = {"id": id, "baudrate": baudrate, "bits": bits, "parity": parity, "stop": stop}
        self._unit = make("UART", _plain(dict(arguments, tx=tx, rx=rx)))
        self._come = b""

    def any(self):
        self._come += ask(b"r", self._unit)
        return len(self._come)

    def write(self, buf):
        tell(b"w", self._unit, buf)
        return len(buf)

    def read(self, count=None):
        size = self.any()
        count = size if count is None else min(count, size)
        found, self._come = self._come[:count], self._come[count:]
        return found or None

    def readinto(self, buf, count=None):
        found = self.read(len(buf) if count is None else min(count, len(buf)))
        if not found:
            return None
        buf[: len(found)] = found
        return len(found)

    def deinit(self):
        call(self._unit, "deinit")


class PWM:
    def __init__(self, pin, freq=None, duty=None, duty_u16=None, duty_ns=None, invert=0):
        self._pin = pin
        self._unit = make("PWM", {"pin": pin.number})
        self._duty = 0.0
        self.init(freq, duty, duty_u16, duty_ns)

    def init(self, freq=None, duty=None, duty_u16=None, duty_ns=None):
        found = {"freq": freq, "duty_u16": duty_u16 if duty is None else duty * 64, "duty_ns": duty_ns}
        return call(self._unit, "pwm", found)

    def freq(self, hz=None):
        return self.init(freq=hz)["freq"]

    def duty_u16(self, duty=None):
        return self.init(duty_u16=duty)["duty_u16"]

    def duty(self, duty=None):
        return self.init(duty=duty)["duty_u16"] // 64

    def duty_ns(self, ns=None):
        return self.init(duty_ns=ns)["duty_ns"]

    def deinit(self):
        call(self._unit, "deinit")


class DAC:
    def __init__(self, pin, bits=8):
        self._unit = make("DAC", {"pin": pin.number})

    def write(self, value):
        call(self._unit, "dac", {"value": value})


class I2S:
    RX = 9
    TX = 5
    MONO = 0
    STEREO = 1

    def __init__(self, id, rate, **more):
        self._unit = make("I2S", _plain(dict(more, id=id, rate=rate)))
        self._rate = rate
        self._handler = self._at_ms = None

    def init(self, rate, **more):
        self._rate = rate
        call(self._unit, "init", {"rate": rate})

    # With a handler it returns at once, and calls that when the samples have been taken.
    def write(self, buf):
        raw = bytes(buf)  # The samples may be in an array, whose length is another.
        tell(b"w", self._unit, raw)
        if self._handler is not None:
            since_ms = time.ticks_ms() if self._at_ms is None else self._at_ms
            time.due.append((time.ticks_add(since_ms, len(raw) * 500 // self._rate), self._taken))
        return len(raw)

    # A buffer that follows another at once begins where that ended, however late we look.
    def _taken(self, at_ms):
        if self._handler is not None:
            self._at_ms = at_ms
            self._handler(self)
            self._at_ms = None

    def irq(self, handler):
        self._handler = handler

    @staticmethod
    def shift(buf, bits, shift):
        size = bits // 8
        for at in range(0, len(buf), size):
            value = int.from_bytes(buf[at : at + size], "little")
            if value >> bits - 1:
                value -= 1 << bits
            value = value << shift if shift > 0 else value >> -shift
            buf[at : at + size] = (value & (1 << bits) - 1).to_bytes(size, "little")

    def deinit(self):
        self._handler = None
        call(self._unit, "deinit")


class ADC:
    ATTN_11DB = 3

    def __init__(self, pin, atten=None):
        self._unit = make("ADC", {"pin": pin.number})

    def read_uv(self):
        return call(self._unit, "adc")
