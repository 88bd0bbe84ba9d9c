"""The table of `make bench`: microseconds side by side, and the ratios that are the claims."""

from typing import NamedTuple

from bench.measure import COLUMNS, ECHO_4, LIST_4, MODERN, MODERN_4, NEW_4
from bench.servers import ALL, FASTMCP, FLOOR, MICRODOT, OURS

# Whose heap is measured.
HEAP = (ECHO_4, MODERN_4)

LEGEND = """
Server CPU time per request in microseconds, medians of interleaved slices; it differs between machines and days,
so only ratios of one run say something. Requests are the Python SDK's; c = connections, kept alive, or new for each.
floor: MicroPython's asyncio, a constant answer of 84 bytes to everything, its requests not looked at.
tsumiki: examples/dummy_server.py as compiled for a device, with token, session, guards and checked types.
microdot: /mcp by hand, no token, no checks; it closes every connection.  FastMCP: on CPython, stateless, JSON.
list: the 14 tools of bench_tools.py, 2 to 4 KB, on every server but the floor.
modern: tools/call and tools/list of 2026-07-28, in two segments as that client sends them, or in one; the floor
gives the answer of before.  FastMCP: the same process; its results are checked to be of that era.
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
        return "%-48s %10s   %-22s%s" % (
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

    def against(peer, column=ECHO_4):
        return times[peer.name, column] / times[ours, column]

    percent = "%.0f %%"
    return [
        Ratio("tools/call, of the floor", of_floor(ECHO_4), 45, form=percent),
        Ratio("tools/list, of the floor", of_floor(LIST_4), 60, form=percent),
        Ratio("tools/call, new connections, of the floor", of_floor(NEW_4), 80, form=percent),
        Ratio("tools/call, against microdot", against(MICRODOT), 10),
        Ratio("tools/call, against FastMCP", against(FASTMCP), 18),
        Ratio("modern tools/call in two segments, of the floor", of_floor(MODERN_4), 50, form=percent),
        Ratio("modern tools/call, against FastMCP modern", against(FASTMCP, MODERN_4), 10),
        Ratio("heap per tools/call", heap[ours, ECHO_4], 3072, True, "%d bytes"),
        Ratio("heap per modern tools/call", heap[ours, MODERN_4], 4608, True, "%d bytes"),
        Ratio("client, against requests", clients["requests"].cpu / clients["tsumiki"].cpu, 5),
    ]


def lines(times, heap, clients, found):
    """The lines of the table and its legend."""
    yield from _servers(times, heap, COLUMNS, ECHO_4, "heap echo")
    yield from _servers(times, heap, MODERN, MODERN_4, "heap modern")
    yield "%-22s%14s%14s%14s" % ("client", "CPU", "by the clock", "heap echo")
    for name, one in clients.items():
        yield "%-22s%14.1f%14.1f%14d" % (name, one.cpu, one.us, one.bytes)
    yield ""
    for ratio in found:
        yield ratio.line().rstrip()
    yield LEGEND


# measured: the column whose heap stands at the end of the line.
def _servers(times, heap, columns, measured, title):
    yield "%-22s" % "server" + "".join("%16s" % column.title for column in columns) + "%13s" % title
    for spec in ALL:
        cells = [_cell(times, spec, column, "%.1f") for column in columns]
        yield (
            "%-22s" % spec.name
            + "%16s" * len(cells) % tuple(cells)
            + "%13s" % _cell(heap, spec, measured, "%d")
        )
    yield ""


def _cell(found, spec, column, form):
    return form % found[spec.name, column] if (spec.name, column) in found else "-"


def numbers(times, heap, clients, found):
    """All of it, for JSON."""
    columns = COLUMNS + MODERN
    return {
        "cpu_us": {spec.name: _by_title(times, spec, columns) for spec in ALL},
        "heap_bytes": {spec.name: _by_title(heap, spec, HEAP) for spec in ALL},
        "clients": {name: one._asdict() for name, one in clients.items()},
        "ratios": [dict(one._asdict(), met=one.met()) for one in found],
    }


def _by_title(found, spec, columns):
    return {c.title: round(found[spec.name, c], 2) for c in columns if (spec.name, c) in found}
