"""What `robot://status` and get_robot_status tell: all that a page needs to draw the robot; nothing that is absent."""

# Of the ports, what is told: key, type. Anything else that a port says stays where it is.
_BATTERY = (("battery_percent", int), ("charging", bool), ("usb", bool))
_SYSTEM = (
    ("heap_free", int),  # bytes
    ("uptime_ms", int),
    ("rssi", int),  # dBm
    ("boots", int),
    ("address", str),
    ("firmware", str),
)


def status(robot):
    """dict of JSON values.  robot: `robot.robot.Robot`.

    face, voice, lights, senses: their `state()`.  head: yaw and pitch in degrees, as told or measured last, and moving.
    more: what others add, see `Robot`.
    battery, system: what the ports know, nothing from one that fails.  allowed: motion, volume_cap and quiet, as the
    owner wants it.  calls, faults, starving: see `Robot`.
    """
    told = {
        "allowed": allowed(robot.policy),
        "calls": robot.calls,
        "faults": robot.faults,
    }
    if robot.starving:
        told["starving"] = True
    for name, state in robot.more:
        told[name] = state()
    for name in ("face", "voice", "lights", "senses"):
        part = getattr(robot, name)
        if part is not None:
            told[name] = part.state()
    if robot.head is not None:
        told["head"] = pose(robot.head)
    if robot.has_brightness:
        told["brightness"] = robot.brightness
    for name, known in (("battery", battery(robot.ports.power)), ("system", system(robot.ports.system))):
        if known:
            told[name] = known
    return told


def pose(head):
    """dict: yaw, pitch (degrees, left and up are positive), moving; fault, a code, after one."""
    yaw_cd, pitch_cd = head.last_pose()
    told = {"yaw": yaw_cd / 100, "pitch": pitch_cd / 100, "moving": head.busy}
    if head.fault is not None:
        told["fault"] = head.fault.code
    return told


def allowed(policy):
    """dict: motion, volume_cap, quiet."""
    return {"motion": policy.motion, "volume_cap": policy.volume_cap, "quiet": policy.quiet()}


def battery(power):
    """dict of battery_percent (0-100), charging and usb, of those that are known.  power: port, or None."""
    return _read(power, _BATTERY)


def system(port):
    """dict of heap_free, uptime_ms, rssi, ... of those that are known.  port: the system port, or None."""
    return _read(port, _SYSTEM)


# From a port that fails nothing is known.
def _read(port, keys):
    try:
        values = {} if port is None else port.read()
    except Exception:
        return {}
    return {key: values[key] for key, kind in keys if type(values.get(key)) is kind}
