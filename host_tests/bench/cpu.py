"""CPU time of a process, and who runs on which CPU (Linux)."""

import os
from pathlib import Path


def used_ns(pid):
    """Nanoseconds of CPU time that all threads of a process have used (/proc/PID/task/*/schedstat)."""
    total = 0
    for path in Path("/proc/%d/task" % pid).glob("*/schedstat"):
        try:
            total += int(path.read_text().split()[0])
        except OSError:
            pass  # The thread is over.
    return total


def split():
    """({CPUs for servers}, {CPUs for the client}): different ones if there are two."""
    cpus = sorted(os.sched_getaffinity(0))
    return ({cpus[0]}, {cpus[1]}) if len(cpus) > 1 else (set(cpus), set(cpus))


def pin(pid, cpus):
    """Let all threads of a process run on these CPUs only."""
    for task in os.listdir("/proc/%d/task" % pid):
        os.sched_setaffinity(int(task), cpus)


def pin_self(cpus):
    """Let this process run on these CPUs only."""
    os.sched_setaffinity(0, cpus)
