"""The boards: which virtual chips are on which pins of which processor, and what one chip does to another.

Pins and addresses: hardware.md 1.2, read apart from the board folders, so that a wrong pin there is a wrong pin here.

    wired("m5stack_core2", without=("imu",), options=("axp2101",))
"""

from .aw9523b import AW9523B
from .aw88298 import AW88298
from .axp192 import AXP192
from .axp2101 import AXP2101
from .bmi270 import BMI270
from .board_parts import Chain, Screen, Servos, Sound
from .ft6336u import FT6336U
from .ina226 import INA226
from .ip5306 import IP5306
from .lp5562 import LP5562
from .mpu6886 import MPU6886
from .panel_kinds import GC9107, ILI9342C, ST7735S
from .py32 import PY32
from .si12t import Si12T
from .wired_board import BAUD, NECKS, Board, setter

_LIGHTS = 10


class Core(Board):
    """Basic and Gray; options: `fire`, its PSRAM, IMU and lights; `old`, a panel that is not inverted; a neck."""

    OPTIONS = ("fire", "old", *NECKS)

    def build(self):
        fire = "fire" in self.options
        new = "old" not in self.options
        self.psram = "esp32" if fire else None
        panel = self.screen(18, 23, 14, 27, Screen(new, ILI9342C))
        self.outputs[33] = panel.reset
        # The reset line is pulled up on the new panels, and not on the old (hardware.md 1.5).
        self.inputs[33] = lambda pull: int(new)
        self.pwm[32] = lambda hz, duty_ns: setattr(panel, "backlight", duty_ns * hz // 10000000)
        imu = self.have("imu", MPU6886()) if fire else None
        self.bus(21, 22, self.have("pmic", IP5306()), imu)
        for name, pin in (("a", 39), ("b", 38), ("c", 37)):
            self.button(name, pin)
        self.wire(self.pwm, 25, self.have("speaker", Sound()), "pulses")
        if fire:
            self.wire(self.strips, 15, self.have("leds", Chain(_LIGHTS)), "shine")
        self.necks((17, 16), (5, 2))


class Core2(Board):
    """v1.0; options: `axp2101`, v1.1 and later; `bmi270`, its IMU since v1.3; `bottom`, an M5GO Bottom2; a neck."""

    OPTIONS = ("axp2101", "bmi270", "bottom", *NECKS)
    psram = "esp32"

    def build(self):
        pmic = self.have("pmic", AXP2101("core2") if "axp2101" in self.options else AXP192())
        panel = self.screen(18, 23, 5, 15, Screen(True, ILI9342C))
        touch = FT6336U()
        imu = BMI270(0x68) if "bmi270" in self.options else MPU6886()
        self.bus(21, 22, pmic, self.have("touch", touch), self.have("imu", imu))
        self.necks((14, 13), (19, 27))
        if "bottom" in self.options:
            self.wire(self.strips, 25, self.have("leds", Chain(_LIGHTS)), "shine")
        speaker = self.have("speaker", Sound(lambda: pmic is not None and pmic.speaker_on))
        self.wire(self.i2s, (12, 0, 2), speaker, "stream")
        if pmic is not None:
            panel.powered = pmic.lcd_powered
        self.listen_to(
            pmic,
            {
                "lcd_powered": panel.power,
                "backlight": setter(panel, "backlight"),
                "lcd_reset": lambda level: (panel.reset(level), setattr(touch, "powered", bool(level))),
            },
        )


class CoreS3(Board):
    """CoreS3; options: `se`, without an IMU; a neck."""

    OPTIONS = ("se", *NECKS)
    soc = "esp32s3"
    psram = "quad"

    def build(self):
        pmic = self.have("pmic", AXP2101("cores3"))
        expander = self.have("expander", AW9523B(pmic))
        panel = self.screen(36, 37, 3, 35, Screen(True, ILI9342C))
        touch = FT6336U()
        amplifier = AW88298(held=expander is not None)
        speaker = Sound()
        speaker.hears = amplifier.hears
        imu = None if "se" in self.options else self.have("imu", BMI270(0x69))
        self.bus(
            12,
            11,
            pmic,
            expander,
            self.have("touch", touch),
            imu,
            self.have("amplifier", amplifier),
            *self.body(),
        )
        self.wire(self.i2s, (34, 33, 13), self.have("speaker", speaker), "stream")
        if expander is not None:  # which holds them since the power came
            panel.reset(0)
            panel.wait(1)
            touch.powered = False
        self.listen_to(pmic, {"backlight": setter(panel, "backlight")})
        self.listen_to(
            expander,
            {
                "lcd_reset": panel.reset,
                "touch_reset": lambda level: setattr(touch, "powered", bool(level)),
                "speaker_on": amplifier.reset,
            },
        )

    def body(self):
        """What is connected to it: the chips of that on its I2C bus."""
        self.necks((17, 18), (1, 2))
        return ()


class Kit(CoreS3):
    """The StackChan kit; options: `blank`, an NVS that somebody has erased."""

    OPTIONS = ("blank",)

    def body(self):
        servos = Servos(self, powered=False)
        self.uarts[6, 7] = (BAUD, self.have("servos", servos))
        if "blank" not in self.options:
            self.nvs.update({"servo/zero_pos_1": 460, "servo/zero_pos_2": 620})
        body = self.have("body", PY32(nack_ms=150, boot_ms=400))
        self.slow[0x6F] = 100000
        self.listen_to(body, {"servo_power": servos.power})
        return body, self.have("head touch", Si12T()), self.have("monitor", INA226())


class AtomS3R(Board):
    """AtomS3R; options: `st7735s`, the panel since May 2026."""

    OPTIONS = ("st7735s",)
    soc = "esp32s3"
    psram = "octal"

    def build(self):
        panel = self.screen(15, 21, 14, 42, Screen(None, ST7735S if "st7735s" in self.options else GC9107))
        self.outputs[48] = panel.reset
        light = self.have("light", LP5562())
        self.bus(45, 0, light, self.have("imu", BMI270(0x68)))
        self.listen_to(light, {"backlight": setter(panel, "backlight")})
        self.button("a", 41)


BOARDS = {
    "m5stack_core": Core,
    "m5stack_core2": Core2,
    "m5stack_cores3": CoreS3,
    "stackchan_kit": Kit,
    "m5stack_atoms3r": AtomS3R,
}


def wired(name, without=(), options=()):
    """The `Wiring` of a board.  Raises KeyError, ValueError for a board, chip or option that there is not."""
    return BOARDS[name](without, options)
