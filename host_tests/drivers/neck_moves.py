"""The real planner of a head over a neck's driver and its virtual servos, whose time it drives."""

from robot.head import Head


def run(head, line, ms, every_ms=20):
    """Step the head for so long.  line: what has `now_ms` and `wait(ms)`."""
    until_ms = line.now_ms + ms
    while line.now_ms < until_ms:
        head.step(line.now_ms & 0x3FFFFFFF)
        line.wait(every_ms)


def finish(head, line, ms=20000):
    """Step it until it rests."""
    until_ms = line.now_ms + ms
    while head.turning:
        assert line.now_ms < until_ms, "the head does not come to rest"
        run(head, line, 20)


def moved(servos, line, yaw_cd, pitch_cd, duration_ms=500):
    """Make one motion with a head on these servos, to its end; returns the head."""
    head = Head(servos)
    run(head, line, 20)
    head.move(yaw_cd, pitch_cd, duration_ms)
    finish(head, line)
    return head


def most_in_a_second(times_ms):
    """How many of these times are within one second at most: int."""
    most = start = 0
    for end in range(len(times_ms)):
        while times_ms[end] - times_ms[start] >= 1000:
            start += 1
        most = max(most, end - start + 1)
    return most
