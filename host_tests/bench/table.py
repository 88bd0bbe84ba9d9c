"""The table of `make bench`: microseconds side by side, and the ratios that are the claims."""

from typing import NamedTuple

from bench.measure import COLUMNS, ECHO_4, LIST_4, NEW_4
from bench.servers import ALL, FASTMCP, FLOOR, MICRODOT, OURS

LEGEND = """
Server CPU time per request in microseconds, medians of interleaved slices; it differs between machines and days,
so only ratios of one run say something. Requests are the Python SDK's; c = connections, kept alive, or new for each.
floor: MicroPython's asyncio, a constant answer of 84 bytes to everything, its requests not looked at.
tsumiki: examples/dummy_server.py as compiled for a device, with token, session, guards and checked types.
microdot: /mcp by hand, no token, no checks; it closes every connection.  FastMCP: on CPython, stateless, JSON.
list: the 14 tools of bench_tools.py, 2 to 4 KB, on every server but the floor.
heap: bytes per tools/call on a 64-bit heap; an ESP32 takes about 0.77 of it.
client: microseconds per call of its own CPU time, and by the clock, which has the server's too; `requests` opens a
connection for each call."""


class Ratio(NamedTuple):
    """One claim.  value, goal: numbers.  at_most: the goal is a ceiling.  form: how both are printed."""

    name: str
    value: float
    goal: float
    at_most: bool = False
    form: str = "%.1f x"

    def met(self):
        return self.value <= self.goal if self.at_most else self.value >= self.goal

    def line(self):
        goal = ("at most " if self.at_most else "at least ") + self.form % self.goal
        return "%-46s %10s   %-22s%s" % (
            self.name,
            self.form % self.value,
            goal,
            "" if self.met() else "below" if not self.at_most else "above",
        )


def ratios(times, heap, clients):
    """The claims, as `Ratio`s."""
    ours = OURS.name

    def of_floor(column):
        return 100 * times[FLOOR.name, column] / times[ours, column]

    def against(peer):
        return times[peer.name, ECHO_4] / times[ours, ECHO_4]

    percent = "%.0f %%"
    return [
        Ratio("tools/call, of the floor", of_floor(ECHO_4), 45, form=percent),
        Ratio("tools/list, of the floor", of_floor(LIST_4), 60, form=percent),
        Ratio("tools/call, new connections, of the floor", of_floor(NEW_4), 80, form=percent),
        Ratio("tools/call, against microdot", against(MICRODOT), 10),
        Ratio("tools/call, against FastMCP", against(FASTMCP), 18),
        Ratio("heap per tools/call", heap[ours], 3072, True, "%d bytes"),
        Ratio("client, against requests", clients["requests"].cpu / clients["tsumiki"].cpu, 5),
    ]


def lines(times, heap, clients, found):
    """The lines of the table and its legend."""
    yield "%-22s" % "server" + "".join("%14s" % column.title for column in COLUMNS) + "%11s" % "heap echo"
    for spec in ALL:
        cells = "".join("%14.1f" % times[spec.name, column] for column in COLUMNS)
        yield "%-22s%s%11s" % (spec.name, cells, "%d" % heap[spec.name] if spec.name in heap else "-")
    yield ""
    yield "%-22s%14s%14s%14s" % ("client", "CPU", "by the clock", "heap echo")
    for name, one in clients.items():
        yield "%-22s%14.1f%14.1f%14d" % (name, one.cpu, one.us, one.bytes)
    yield ""
    for ratio in found:
        yield ratio.line().rstrip()
    yield LEGEND


def numbers(times, heap, clients, found):
    """All of it, for JSON."""
    return {
        "cpu_us": {spec.name: {c.title: round(times[spec.name, c], 2) for c in COLUMNS} for spec in ALL},
        "heap_bytes": heap,
        "clients": {name: one._asdict() for name, one in clients.items()},
        "ratios": [dict(one._asdict(), met=one.met()) for one in found],
    }
