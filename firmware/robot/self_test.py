"""What self_test tells: the parts that the board found, those that it did not, and those that answer no more."""

_ASKED = ("servos", "imu", "power")


def self_test(ports):
    """dict: board, found (dict of part to what it is), missing and failing (dict of part to the reason).

    ports: `robot.ports.Ports`, or a board that has no `found` and `missing`. The parts that can be read are.
    """
    found = ports.found() if hasattr(ports, "found") else {}
    missing = getattr(ports, "missing", {})
    failing = {}
    for part in _ASKED:
        port = getattr(ports, part, None)
        if port is not None:
            try:
                port.read()
            except Exception as e:
                failing[part] = str(e) or type(e).__name__
    return {
        "board": getattr(ports, "name", "unknown"),
        "found": found,
        "missing": missing,
        "failing": failing,
    }
