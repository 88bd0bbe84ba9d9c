"""The stand-ins of MicroPython's hardware modules, against a board whose chips are known."""

import json

import pytest

import interpreter
import sim
from install import ROOT
from processes import run_limited
from tsumiki.chips.board_server import Server, View
from tsumiki.chips.i2c import I2CBus, Registers
from tsumiki.chips.soc import Wiring

PRELUDE = """
import json, machine, time
from machine import ADC, DAC, I2C, I2S, PWM, SPI, UART, Pin, SoftI2C

def raised(function, *args, **options):
    try:
        function(*args, **options)
    except Exception as e:
        return [type(e).__name__, e.args[0]]

def tell(*values):
    print(json.dumps(values))
"""


class Chip(Registers):
    address = 0x50


class Panel:
    def __init__(self):
        self.seen = []

    def transfer(self, is_data, selected, data):
        self.seen.append([int(is_data), int(selected), data.hex()])


class Line:
    def feed(self, data):
        return data.upper()


class Bench(Wiring):
    def __init__(self):
        super().__init__()
        chip = Chip({1: 0x11, 2: 0x22})
        self.chips = {"chip": chip}
        self.i2c[21, 22] = I2CBus([chip])
        self.panel = Panel()
        self.panels.append((18, 23, 5, 15, self.panel))
        self.uarts[17, 16] = (9600, Line())
        self.heard = []
        self.pwm[2] = lambda hz, ns: self.heard.append(["pwm", hz, ns])
        self.dac[25] = lambda value: self.heard.append(["dac", value])
        self.strips[4] = lambda data: self.heard.append(["lights", data.hex()])
        self.i2s[26, 27, 14] = lambda data, rate: self.heard.append(["i2s", data.hex(), rate])
        self.inputs[39] = lambda pull: 1
        self.nvs["servo/zero_pos_1"] = 460
        self.waits = 0

    def wait(self, ms):
        self.waits += ms


@pytest.fixture
def bench():
    """`bench(code)` -> [what each `tell` told], and what the board saw in `bench.wiring`, `bench.soc`."""

    class Run:
        def __init__(self):
            self.wiring = Bench()
            self.server = Server(self.wiring)
            self.env = sim.start({"TSUMIKI_BOARD": self.server}, sim.board_environment("unix"))

        @property
        def soc(self):
            return self.server.soc

        def __call__(self, code):
            status, output = run_limited([interpreter.need(), "-c", PRELUDE + code], self.env, ROOT)
            assert status == "", output
            return [json.loads(line) for line in output.splitlines()]

    run = Run()
    yield run
    run.server.shutdown()
    run.server.server_close()


def test_i2c(bench):
    code = """
i2c = I2C(0, scl=Pin(22), sda=Pin(21), freq=100000)
buf = bytearray(2)
i2c.writeto_mem(0x50, 7, b"\\x77\\x78")
i2c.readfrom_mem_into(0x50, 1, buf)
tell(i2c.scan(), list(i2c.readfrom_mem(0x50, 7, 2)), list(buf))
tell(i2c.writeto(0x50, b"\\x01"), list(i2c.readfrom(0x50, 1)))
i2c.readfrom_into(0x50, buf)
tell(list(buf), raised(i2c.readfrom_mem, 0x51, 0, 1), raised(i2c.writeto, 0x51, b""))
soft = SoftI2C(scl=Pin(33), sda=Pin(32))
tell(soft.scan(), raised(soft.writeto, 0x50, b"x"))
"""
    assert bench(code) == [
        [[0x50], [0x77, 0x78], [0x11, 0x22]],
        [1, [0x11]],
        [[0x22, 0], ["OSError", 19], ["OSError", 19]],
        [[], ["OSError", 19]],
    ]
    assert bench.soc.faults == []


def test_spi_and_pins(bench):
    code = """
spi = SPI(2, 40000000, sck=Pin(18), mosi=Pin(23), miso=None)
cs, dc, key = Pin(5, Pin.OUT, value=1), Pin(15, Pin.OUT), Pin(39, Pin.IN)
cs(0); spi.write(b"\\x2a"); dc.on(); spi.write(memoryview(b"\\x00\\x01")); cs.on(); dc.off()
tell(key.value(), key(), cs.value(), dc.value())
tell(raised(Pin, 24), raised(Pin, 39, Pin.OUT), raised(SPI, 3))
spi.write(bytes(40000))
cs(1)
tell(cs())
"""
    assert bench(code) == [
        [1, 1, 1, 0],
        [["ValueError", why] for why in ("invalid pin", "pin can only be input", "SPI(3) doesn't exist")],
        [1],
    ]
    assert bench.wiring.panel.seen[:2] == [[0, 1, "2a"], [1, 1, "0001"]]
    assert sum(len(data) // 2 for _, _, data in bench.wiring.panel.seen[2:]) == 40000
    assert bench.soc.faults == []


def test_a_uart(bench):
    code = """
uart = UART(1, 9600, tx=Pin(17), rx=Pin(16))
buf = bytearray(3)
tell(uart.any(), uart.read(), uart.readinto(buf))
uart.write(b"abcde")
tell(uart.any(), uart.readinto(buf, 2), buf.decode(), uart.read(1).decode(), uart.read().decode(), uart.any())
"""
    assert bench(code) == [[0, None, None], [5, 2, "AB\0", "C", "DE", 0]]


def test_pulses_and_voltages(bench):
    code = """
pwm = PWM(Pin(2), freq=50, duty_ns=1500000)
tell(pwm.freq(), pwm.duty_ns(), pwm.duty_u16(), pwm.duty(), raised(pwm.duty_ns, 30000000), raised(pwm.freq, 0))
pwm.duty_u16(32768)
pwm.deinit()
DAC(Pin(25)).write(7)
tell(ADC(Pin(36)).read_uv(), raised(DAC, Pin(2)))
"""
    told = bench(code)
    assert told[0][:4] == [50, 1500000, 4915, 76]
    assert [error[0] for error in told[0][4:]] == ["ValueError", "ValueError"]
    assert told[1] == [0, ["ValueError", "invalid Pin for DAC"]]
    assert bench.wiring.heard == [["pwm", 50, 1500000], ["pwm", 50, 10000152], ["pwm", 50, 0], ["dac", 7]]


def test_lights(bench):
    code = """
from neopixel import NeoPixel
lights = NeoPixel(Pin(4), 2)
lights[0] = (1, 2, 3)
lights.write()
lights.fill((4, 5, 6))
lights.write()
tell(len(lights), lights[1])
machine.bitstream(Pin(4), 0, (300, 900, 600, 600), b"\\x07\\x08\\x09")
"""
    assert bench(code) == [[2, [4, 5, 6]]]
    assert [data for _, data in bench.wiring.heard] == ["020103000000", "050406050406", "070809"]
    assert bench.soc.faults == []


def test_sound_goes_on_while_somebody_looks_at_the_clock(bench):
    code = """
i2s = I2S(0, sck=Pin(26), ws=Pin(27), sd=Pin(14), mode=I2S.TX, bits=16, format=I2S.MONO, rate=8000, ibuf=2048)
calls = []
def more(i2s):
    calls.append(1)
    if len(calls) < 5:
        i2s.write(b"\\x01\\x02" * 8)
i2s.irq(more)
i2s.write(b"\\x01\\x02" * 8)
start = time.ticks_ms()
while len(calls) < 5 and time.ticks_diff(time.ticks_ms(), start) < 2000:
    pass
took = time.ticks_diff(time.ticks_ms(), start)
i2s.deinit()
tell(len(calls), 5 <= took < 1000)
buf = bytearray(b"\\xf0\\xff\\x10\\x00")
I2S.shift(buf=buf, bits=16, shift=-2)
tell(list(buf))
"""
    assert bench(code) == [[5, True], [[0xFC, 0xFF, 4, 0]]]
    assert bench.wiring.heard == [["i2s", "0102" * 8, 8000]] * 5


def test_a_sleep_takes_the_chips_time_and_none_of_ours(bench):
    code = """
import utime
start, ours = time.ticks_ms(), utime.ticks_ms()
time.sleep_ms(60000)
time.sleep_us(1500)
time.sleep(0.5)
tell(60501 <= time.ticks_diff(time.ticks_ms(), start) < 62000, utime.ticks_diff(utime.ticks_ms(), ours) < 5000)
tell(time.ticks_diff(time.ticks_us(), 0) > 60000000)
"""
    assert bench(code) == [[True, True], [True]]
    assert bench.wiring.waits == 60501


def test_the_rest_of_the_processor(bench):
    code = """
import esp32, network
nvs = esp32.NVS("servo")
tell(nvs.get_i32("zero_pos_1"), raised(nvs.get_i32, "zero_pos_2")[0])
nvs.set_i32("zero_pos_2", 620)
nvs.set_blob("name", b"robot")
buf = bytearray(8)
tell(nvs.get_i32("zero_pos_2"), nvs.get_blob("name", buf), buf[:5].decode())
nvs.erase_key("name")
nvs.commit()
tell(raised(nvs.get_blob, "name", buf)[0], machine.freq(240000000), machine.freq(), machine.reset_cause())
wlan = network.WLAN(network.STA_IF)
tell(wlan.active(), wlan.active(True), wlan.isconnected())
wlan.connect("home", "secret")
tell(wlan.isconnected(), wlan.status("rssi"), len(machine.unique_id()))
tell(sum(region[0] for region in esp32.idf_heap_info(esp32.HEAP_DATA)) < 1000000)
machine.reset()
"""
    assert bench(code) == [
        [460, "OSError"],
        [620, 5, "robot"],
        ["OSError", 240000000, 240000000, 1],
        [False, True, False],
        [True, -50, 6],
        [True],
    ]
    trace = list(bench.soc.trace)
    assert trace[-1] == "reset" and "wifi on" in trace and "nvs commit" in trace


def test_after_a_reset_the_processor_is_as_new_and_the_chips_are_as_they_were(bench):
    bench('Pin(2, Pin.OUT, value=1)\nI2C(0, scl=Pin(22), sda=Pin(21)).writeto_mem(0x50, 9, b"\\x99")')
    assert bench("tell(Pin(2, Pin.IN).value(), machine.freq())") == [[0, 160000000]]
    assert bench.wiring.chips["chip"].values[9] == 0x99


def test_a_view(bench):
    bench(
        'I2C(0, scl=Pin(22), sda=Pin(21)).writeto_mem(0x50, 9, b"\\x99")\nSPI(2, 80000000, sck=Pin(18), mosi=Pin(23))'
    )
    with View(bench.server.server_address[1]) as view:
        assert view.chips() == ["chip"]
        assert view.trace()[:2] == ["i2c0 sda=21 scl=22 400000 Hz", "i2c0 50 w 09 99"]
        assert view.faults()[0] == "SPI(2) is made without miso, and takes pin 19"
        assert view.get("chip", "address") == 0x50
        assert view.call("chip", "reads", 9) == 0x99
        with pytest.raises(ValueError):
            view.get("nothing", "address")


def test_what_goes_wrong_in_a_chip_is_a_fault_and_the_robot_goes_on(bench):
    bench.wiring.chips["chip"].wrote = None
    code = """
i2c = I2C(0, scl=Pin(22), sda=Pin(21))
tell(raised(i2c.writeto_mem, 0x50, 9, b"x"))
tell(list(i2c.readfrom_mem(0x50, 1, 1)))
"""
    assert bench(code) == [[["OSError", 5]], [[0x11]]]
    assert bench.soc.faults == ["the board's process: TypeError: 'NoneType' object is not callable"]
