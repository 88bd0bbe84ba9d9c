"""The virtual processor: what it refuses as MicroPython does, and what it keeps as a fault of the board's code."""

import pytest

from tsumiki.chips.i2c import I2CBus, Registers
from tsumiki.chips.soc import Refusal, Soc, Wiring
from tsumiki.chips.units import KINDS

OUT, IN = 3, 1


class Chip(Registers):
    address = 0x6F


class Panel:
    def __init__(self):
        self.seen = []

    def transfer(self, is_data, selected, data):
        self.seen.append((is_data, selected, data))


class Line:
    def feed(self, data):
        return data[::-1]


def processor(soc="esp32", psram=None):
    wiring = Wiring()
    wiring.soc, wiring.psram = soc, psram
    wiring.i2c[21, 22] = I2CBus([Chip()])
    wiring.slow[0x6F] = 100000
    wiring.panels.append((18, 23, 5, 15, Panel()))
    wiring.uarts[14, 13] = (1000000, Line())
    return Soc(wiring)


def spi(soc, id=2, baudrate=40000000, **pins):
    return KINDS["SPI"](soc, id=id, baudrate=baudrate, **(pins or {"sck": 18, "mosi": 23, "miso": None}))


def outputs(soc, *pins):
    for pin in pins:
        soc.pin(pin, OUT, -1, None, None)


def test_bytes_reach_the_panel_with_the_levels_of_its_pins():
    soc = processor()
    bus = spi(soc)
    outputs(soc, 5, 15)
    bus.write(b"\x2a")
    soc.set_level(15, 1)
    bus.write(b"\0\1")
    soc.set_level(5, 1)
    bus.write(b"\2")
    assert soc.wiring.panels[0][4].seen == [
        (False, True, b"\x2a"),
        (True, True, b"\0\1"),
        (True, False, b"\2"),
    ]
    assert soc.faults == []
    assert list(soc.trace)[-3:] == ["spi2 command 2a", "spi2 data 00 01", "spi2 data 02"]


def test_an_spi_without_miso_takes_a_pin_of_its_own():
    soc = processor()
    spi(soc, sck=18, mosi=23)
    assert soc.faults == ["SPI(2) is made without miso, and takes pin 19"]
    assert soc.roles[19] == "spi2 miso"


def test_an_spi_on_other_pins_reaches_nothing():
    soc = processor()
    spi(soc, sck=14, mosi=13, miso=None).write(b"\x11")
    assert soc.faults == ["spi2: nothing is wired to sck 14 and mosi 13"]


def test_an_spi_that_is_too_fast():
    soc = processor()
    spi(soc, baudrate=80000000, sck=18, mosi=23, miso=None)
    assert soc.faults == ["spi2 at 80000000 Hz: a panel takes 40 MHz"]


@pytest.mark.parametrize("dc_first", [True, False])
def test_the_spi_of_an_s3_takes_the_dc_pin_back(dc_first):
    soc = processor("esp32s3", "quad")
    soc.wiring.panels[0] = (36, 37, 3, 35, Panel())
    if dc_first:
        outputs(soc, 35, 3)
    bus = spi(soc, id=1, sck=36, mosi=37, miso=None)
    if not dc_first:
        outputs(soc, 35, 3)
    bus.write(b"\x11")
    wanted = ["spi1: the D/C pin 35 is no output while bytes are sent"] if dc_first else []
    assert soc.faults == wanted


@pytest.mark.parametrize(
    "soc, psram, pin, mode, refused",
    [
        ("esp32", None, 24, IN, True),
        ("esp32", None, 36, OUT, True),
        ("esp32", None, 36, IN, False),
        ("esp32s3", "quad", 22, IN, True),
        ("esp32s3", "quad", 38, OUT, False),
        ("esp32", None, 40, IN, True),
    ],
)
def test_pins_that_there_are_not(soc, psram, pin, mode, refused):
    one = processor(soc, psram)
    if refused:
        with pytest.raises(Refusal):
            one.pin(pin, mode, -1, None, None)
    else:
        one.pin(pin, mode, -1, None, None)
    assert one.faults == []


@pytest.mark.parametrize(
    "soc, psram, pin, whose",
    [
        ("esp32", "esp32", 17, "the PSRAM"),
        ("esp32", None, 8, "the flash"),
        ("esp32s3", "octal", 35, "the PSRAM"),
        ("esp32s3", "quad", 26, "the PSRAM"),
        ("esp32", None, 17, None),
        ("esp32s3", "quad", 35, None),
    ],
)
def test_pins_that_others_have(soc, psram, pin, whose):
    one = processor(soc, psram)
    outputs(one, pin)
    assert one.faults == (
        [] if whose is None else ["pin %d belongs to %s, and is taken for out" % (pin, whose)]
    )


def test_one_pin_for_two():
    soc = processor()
    KINDS["I2C"](soc, id=0, scl=22, sda=21, freq=100000)
    KINDS["PWM"](soc, pin=22)
    assert soc.faults == ["pin 22 is taken for i2c0 scl and pwm22 pwm"]


def test_a_pin_that_is_given_up_can_be_had():
    soc = processor()
    KINDS["PWM"](soc, pin=2).deinit()
    outputs(soc, 2)
    assert soc.faults == []


def test_a_level_of_a_pin_that_is_no_output():
    soc = processor()
    soc.set_level(4, 1)
    assert soc.faults == ["pin 4 is set to 1, and is no output"]


@pytest.mark.parametrize("psram, radio, wrong", [("esp32", True, 1), ("esp32", False, 0), (None, True, 0)])
def test_a_uart_after_wifi(psram, radio, wrong):
    soc = processor(psram=psram)
    soc.set_radio(radio)
    uart = KINDS["UART"](soc, id=1, baudrate=1000000, tx=14, rx=13)
    assert len(soc.faults) == wrong
    uart.write(b"ab")
    assert (uart.read(), uart.read()) == (b"ba", b"")


def test_a_uart_of_another_speed_hears_nothing():
    soc = processor()
    uart = KINDS["UART"](soc, id=1, baudrate=115200, tx=14, rx=13)
    uart.write(b"ab")
    assert uart.read() == b""
    assert soc.faults == ["uart1 at 115200 baud, where 1000000 is spoken"]


def test_the_repls_uart():
    soc = processor()
    KINDS["UART"](soc, id=0, baudrate=115200, tx=1, rx=3)
    assert soc.faults == ["uart0 is the REPL's"]


@pytest.mark.parametrize("hz, wrong", [(400000, ["chip 0x6f at 400000 Hz"]), (100000, [])])
def test_a_bus_that_is_too_fast_for_a_chip(hz, wrong):
    soc = processor()
    KINDS["I2C"](soc, id=0, scl=22, sda=21, freq=hz).transfer(0x6F, b"\x02", 1)
    assert soc.faults == wrong


def test_a_chip_that_is_not_there():
    soc = processor()
    bus = KINDS["I2C"](soc, id=0, scl=22, sda=21, freq=100000)
    with pytest.raises(Refusal) as refused:
        bus.transfer(0x34, b"\x03", 1)
    assert (refused.value.code, refused.value.value) == (1, 19)
    assert bus.scan() == [0x6F]
    assert list(soc.trace)[-2:] == ["i2c0 34 w 03: nobody answers", "i2c0 scan: 6f"]


def test_pulses():
    soc = processor()
    heard = []
    soc.wiring.pwm[19] = lambda hz, duty_ns: heard.append((hz, duty_ns))
    pwm = KINDS["PWM"](soc, pin=19)
    assert pwm.pwm(50, None, 1500000) == {"freq": 50, "duty_ns": 1500000, "duty_u16": 4915}
    with pytest.raises(Refusal):
        pwm.pwm(None, None, 20000001)
    pwm.pwm(None, None, None)
    pwm.deinit()
    assert heard == [(50, 1500000), (50, 0)]


def test_a_dac_where_there_is_none():
    for soc, pin in (("esp32", 18), ("esp32s3", 17)):
        with pytest.raises(Refusal):
            KINDS["DAC"](processor(soc), pin=pin)
    KINDS["DAC"](processor(), pin=25)


def test_time_reaches_the_chips():
    soc = processor()
    waits = []
    soc.wiring.wait = waits.append
    soc.sleep(1500)
    soc.sleep(1500)
    assert waits == [1, 2]
    assert list(soc.trace) == ["sleep 1", "sleep 2"]


def test_what_is_in_the_nvs():
    soc = processor()
    with pytest.raises(Refusal):
        soc.nvs("servo/zero_pos_1")
    soc.nvs_set("servo/zero_pos_1", 460)
    assert soc.nvs("servo/zero_pos_1") == 460
    soc.nvs_set("servo/zero_pos_1", None)
    with pytest.raises(Refusal):
        soc.nvs("servo/zero_pos_1")


def test_faults_of_chips_are_faults_of_the_board():
    soc = processor()
    soc.wiring.chips["chip"] = Chip()
    soc.wiring.chips["chip"].faults.append("too hot")
    soc.fault("x")
    soc.fault("x")
    assert soc.all_faults() == ["x", "chip: too hot"]
