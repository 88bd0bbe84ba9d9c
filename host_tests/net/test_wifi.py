"""Wi-Fi that is joined, lost, refused and joined again, on a radio that does as it is told."""

import asyncio

from harness import eq
from net import wifi as module
from net.wifi import Wifi


class Radio:
    """knows: dict of network -> password, those in reach.  tried: list of connect's arguments.

    error: what is raised `broken` times by active, and by connect for the network that it refuses.
    """

    PM_NONE = 0

    def __init__(self, **knows):
        self.knows = knows
        self.tried = []
        self.settings = {}
        self.on = self.joined = False
        self.address = "192.168.4.2"
        self.broken = 0
        self.error = OSError("Wifi Internal Error")
        self.refuses = None

    def active(self, on):
        if self.broken:
            self.broken -= 1
            raise self.error
        self.on = on

    def config(self, **settings):
        self.settings.update(settings)

    def disconnect(self):
        self.joined = False

    def connect(self, *credentials):
        assert self.on
        self.tried.append(credentials)
        if credentials[0] == self.refuses:
            raise self.error
        name, password = credentials if len(credentials) == 2 else credentials + ("",)
        self.joined = self.knows.get(name) == password

    def isconnected(self):
        return self.joined

    def ifconfig(self):
        return (self.address, "255.255.255.0", "192.168.4.1", "192.168.4.1")

    def status(self):
        return 201


# What MicroPython raises for a code of ESP-IDF that it has no words for, ESP_ERR_NO_MEM say.
UNKNOWN = RuntimeError("Wifi Unknown Error 0x0101")


class Running:
    """wifi: a `Wifi` in a world whose time runs 1,000 times faster; heard: addresses; log: texts."""

    def __init__(self, radio, *networks):
        self.heard = []
        self.log = []
        self.radio = radio
        self.wifi = Wifi(
            radio, networks, lambda level, text, e=None: self.log.append(text), self.heard.append
        )

    async def __aenter__(self):
        self._sleep_ms = asyncio.sleep_ms
        self.slept = slept = []

        def sleep_ms(ms):
            slept.append(ms)
            return self._sleep_ms(max(1, ms // 1000))

        module.asyncio = Clock(sleep_ms)
        self.task = asyncio.create_task(self.wifi.run())
        return self

    async def __aexit__(self, *error):
        module.asyncio = asyncio
        self.task.cancel()
        try:
            await self.task
        except asyncio.CancelledError:
            pass

    async def until(self, condition):
        for _ in range(2000):
            if condition():
                return
            await asyncio.sleep_ms(1)
        raise AssertionError((self.heard, self.log))


class Clock:
    def __init__(self, sleep_ms):
        self.sleep_ms = sleep_ms


async def test_it_joins_without_power_save_and_tells_its_address():
    async with Running(Radio(home="secret-password"), ("home", "secret-password")) as run:
        await run.until(lambda: run.heard)
        eq((run.wifi.address, run.wifi.name), ("192.168.4.2", "home"))
        eq(run.heard, ["192.168.4.2"])
        eq(run.radio.settings, {"pm": 0})


async def test_the_next_network_is_tried_and_an_open_one_has_no_password():
    async with Running(Radio(cafe=""), ("home", "secret-password"), ("cafe", "")) as run:
        await run.until(lambda: run.heard)
        eq(run.radio.tried, [("home", "secret-password"), ("cafe",)])
        eq(run.wifi.name, "cafe")
        assert "home" in run.log[0] and "secret" not in str(run.log), run.log


async def test_a_lost_network_is_joined_again_and_a_short_loss_is_none():
    async with Running(Radio(home=""), ("home", "")) as run:
        await run.until(lambda: run.heard)
        run.radio.joined = False
        await asyncio.sleep_ms(10)
        run.radio.joined = True
        await asyncio.sleep_ms(60)
        eq((len(run.heard), len(run.radio.tried)), (1, 1))
        run.radio.joined = False
        await run.until(lambda: len(run.heard) == 3)
        eq(run.heard, ["192.168.4.2", None, "192.168.4.2"])


async def test_another_address_is_told():
    async with Running(Radio(home=""), ("home", "")) as run:
        await run.until(lambda: run.heard)
        run.radio.address = "192.168.4.77"
        await run.until(lambda: len(run.heard) == 2)
        eq(run.heard, ["192.168.4.2", "192.168.4.77"])


async def test_it_waits_longer_after_each_round_and_a_radio_that_fails_is_tried_again():
    radio = Radio(home="")
    radio.broken = 3
    async with Running(radio, ("home", "")) as run:
        await run.until(lambda: run.heard)
        eq(run.slept[:3], [1000, 2000, 4000])
        eq(run.log[:3], ["Wi-Fi: Wifi Internal Error"] * 3)
        run.radio.broken = 9
        run.radio.joined = False
        await run.until(lambda: len(run.heard) == 3)
        waits = [ms for ms in run.slept if ms >= 1000]
        eq(waits[3:], [1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000, 60000, 60000])


async def test_a_radio_that_fails_otherwise_is_tried_again_too():
    radio = Radio(home="")
    radio.broken, radio.error = 2, UNKNOWN
    async with Running(radio, ("home", "")) as run:
        await run.until(lambda: run.heard)
        eq(run.log[:2], ["Wi-Fi: Wifi Unknown Error 0x0101"] * 2)


async def test_a_network_that_the_radio_refuses_does_not_keep_the_next_from_its_turn():
    for error in (OSError("Wifi Invalid Password"), UNKNOWN, ValueError()):
        radio = Radio(cafe="")
        radio.refuses, radio.error = "home", error
        async with Running(radio, ("home", "2short7"), ("cafe", "")) as run:
            await run.until(lambda: run.heard)
            eq((run.wifi.name, run.heard), ("cafe", ["192.168.4.2"]))
            assert "cannot join home" in run.log[0] and "2short7" not in str(run.log), run.log
