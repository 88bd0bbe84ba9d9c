"""A robot whose parts only count what is asked of them, and whose time goes on when it is waited for."""

from robot.robot import Robot


class Ports:
    """None of what a board may have, but for what is given."""

    display = servos = speaker = leds = inputs = imu = power = system = None

    def __init__(self, **ports):
        for name, port in ports.items():
            setattr(self, name, port)


class Part:
    """calls: list of (name, argument, ...).  turns: for how many more looks it is busy.  refuses: raised by each."""

    refuses = None
    page = None
    turns = 0
    steps = 0

    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)

        def call(*arguments):
            self.calls.append((name,) + arguments)
            if self.refuses:
                raise self.refuses

        return call

    @property
    def busy(self):
        self.turns = max(0, self.turns - 1)
        return self.turns > 0

    def step(self, now_ms):
        self.steps += 1
        if self.refuses:
            raise self.refuses


class Profile:
    yaw_min_cd = -9000
    yaw_max_cd = 9000
    pitch_min_cd = -1050
    pitch_max_cd = 8500


class Head(Part):
    profile = Profile
    fault = None

    def move(self, yaw_cd, pitch_cd, duration_ms, hold):
        return self._take("move", yaw_cd, pitch_cd, duration_ms, hold)

    def look_at(self, x_mm, y_mm, z_mm):
        return self._take("look_at", x_mm, y_mm, z_mm)

    def gesture(self, name, intensity):
        return self._take("gesture", name, intensity)

    def _take(self, *call):
        self.calls.append(call)
        if self.refuses:
            raise self.refuses
        return 1000

    def pose(self):
        return 1230, -450


class Voice(Part):
    turn = 0

    def speak(self, text):
        self.calls.append(("speak", text))
        return {"duration_ms": 100 * len(text), "complete": True}

    def volume(self, level):
        self.calls.append(("volume", level))
        return min(level, 70)

    def melody(self, tones, level):
        self.calls.append(("melody", tones, level))
        return {"played": len(tones), "rests": 0, "skipped": 0, "truncated": 0, "duration_ms": 220}


class Lights(Part):
    names = ("right", "left")


class Senses(Part):
    """felt: list of events, appended to by the tests."""

    kinds = ("button", "touch", "imu")
    last_seq = 0

    def __init__(self):
        super().__init__()
        self.felt = []

    def feel(self, kind, name, value=1):
        self.last_seq += 1
        self.felt.append({"seq": self.last_seq, "kind": kind, "name": name, "value": value, "age_ms": 0})

    def missed(self, since_seq):
        return 7

    def events(self, kind, since_seq, limit):
        self.calls.append(("events", kind, since_seq, limit))
        found = [e for e in self.felt if e["seq"] > since_seq and kind in (None, e["kind"])]
        return found[:limit]


class Display:
    width = height = 8

    def __init__(self):
        self.calls = []

    def brightness(self, level):
        self.calls.append(("brightness", level))


class Power:
    told = {"battery_percent": 80, "charging": False, "usb": False}

    def read(self):
        return dict(self.told)


class Policy:
    motion = True
    is_quiet = False
    volume_cap = 100
    off = ()

    def offers(self, name):
        return name not in self.off

    def quiet(self):
        return self.is_quiet


class Clock:
    """ms: the time, which goes on by what is slept.  due: list of (ms, function)."""

    ms = 0

    def __init__(self):
        self.due = []

    def now(self):
        return self.ms

    async def sleep_ms(self, ms):
        self.ms += ms
        for item in list(self.due):
            if item[0] <= self.ms:
                self.due.remove(item)
                item[1]()


PARTS = {"face": Part, "head": Head, "voice": Voice, "lights": Lights, "senses": Senses}


def robot(*without):
    """A `Robot` with fake parts, all but those named; its clock is `robot.time`."""
    time = Clock()
    display = None if "face" in without else Display()
    made = Robot(Ports(power=Power()), Policy(), lambda n: 0, time.now, time.sleep_ms)
    made.ports.display = display
    for name, kind in PARTS.items():
        setattr(made, name, None if name in without else kind())
    made.time = time
    return made


def calls(robot):
    """What was asked of all parts, in the order of PARTS."""
    found = []
    for name in sorted(PARTS):
        part = getattr(robot, name)
        found += part.calls if part is not None else []
    return found
