"""A board whose ports only remember; the robot's real parts are put on top of it."""


class Display:
    width = 320
    height = 240
    level = None
    blits = 0

    def blit(self, x, y, w, h, buf):
        self.blits += 1

    def brightness(self, level):
        self.level = level


class Profile:
    yaw_min_cd = -9000
    yaw_max_cd = 9000
    pitch_min_cd = 500
    pitch_max_cd = 8500
    writes_per_s = 20
    max_cd_per_s = 40000
    home_cd = (0, 1000)


class Servos:
    """at: [yaw_cd, pitch_cd].  broken: an error to raise, or None."""

    profile = Profile
    broken = None

    def __init__(self):
        self.at = [0, 1000]
        self.on = False
        self.writes = 0

    def _check(self):
        if self.broken:
            raise self.broken

    def read(self):
        self._check()
        return tuple(self.at)

    def write(self, yaw_cd, pitch_cd, time_ms):
        self._check()
        self.writes += 1
        self.at[0] = yaw_cd
        self.at[1] = pitch_cd

    def torque(self, on):
        self._check()
        self.on = on


class Speaker:
    def __init__(self):
        self.heard = []

    def tone(self, hz, level):
        self.heard.append((hz, level))

    def silence(self):
        self.heard.append(None)


class Strip:
    count = 2

    def __init__(self):
        self.colors = [(0, 0, 0)] * self.count

    def fill(self, r, g, b):
        self.colors = [(r, g, b)] * self.count

    def set(self, i, r, g, b):
        self.colors[i] = (r, g, b)

    def show(self):
        pass


class Inputs:
    """felt: list of (kind, name, value) that come with the next poll."""

    def __init__(self):
        self.felt = []

    def poll(self, now_ms):
        if not self.felt:
            return ()
        felt, self.felt = self.felt, []
        return felt


class Power:
    def __init__(self):
        self.told = {"battery_percent": 80, "charging": False, "usb": False}

    def read(self):
        return self.told


class System:
    def read(self):
        return {"heap_free": 1000, "uptime_ms": 5, "rssi": None}


class Board:
    """All ports, or those of a board that has less."""

    imu = None

    def __init__(self, without=()):
        self.display = Display()
        self.servos = Servos()
        self.speaker = Speaker()
        self.leds = {"left": Strip(), "right": Strip()}
        self.inputs = Inputs()
        self.power = Power()
        self.system = System()
        for name in without:
            setattr(self, name, None)
