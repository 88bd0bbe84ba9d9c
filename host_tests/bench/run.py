"""Measure our server against the floor and its peers, and our client against `requests`; a few minutes at most.

It is a measurement: a goal that is missed is marked, and only what fails to run makes the status 1.
"""

import argparse
import json
import sys
from contextlib import ExitStack
from pathlib import Path

for _folder in ("host", "host_tests", "firmware"):
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / _folder))

from bench import client, cpu, measure, servers, table  # noqa: E402
from bench.load import Failed  # noqa: E402


def options(arguments):
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    add = parser.add_argument
    add("--rounds", type=int, default=9, help="rounds over all servers (9)")
    add("--seconds", type=float, default=0.3, help="seconds of each slice of a round (0.3)")
    add(
        "--split",
        action="store_true",
        help="send every head and body in two segments, as the modern ones are",
    )
    add("--json", metavar="FILE", help="write the numbers to a file")
    given = parser.parse_args(arguments)
    if given.rounds < 1 or given.seconds <= 0:
        parser.error("--rounds and --seconds take numbers above 0")
    return given


def say(text):
    print(text, file=sys.stderr, flush=True)


def measure_servers(given):
    """{(server name, column): microseconds}."""
    theirs, mine = cpu.split()
    with ExitStack() as stack:
        running = []
        for spec in servers.ALL:
            running.append(stack.enter_context(servers.Server(spec)))
            cpu.pin(running[-1].pid, theirs)
        say("%d servers listen" % len(running))
        cpu.pin_self(mine)
        return measure.rounds(
            running,
            given.rounds,
            given.seconds,
            given.split,
            lambda number: say("round %d of %d" % (number, given.rounds)),
        )


def measure_heap():
    """{(server name, column): bytes of heap per tools/call}, of those that run on MicroPython."""
    found = {}
    for spec in servers.ALL:
        if spec.micropython:
            with servers.Server(spec, heap=True) as server:
                for column in table.HEAP:
                    if measure.takes(spec, column):
                        found[spec.name, column] = measure.heap_bytes(
                            server, column.operation, split=column.split
                        )
    return found


def main(arguments):
    given = options(arguments)
    times = measure_servers(given)
    heap = measure_heap()
    say("clients")
    clients = client.compare(given.rounds, given.seconds)
    ratios = table.ratios(times, heap, clients)
    print("\n".join(table.lines(times, heap, clients, ratios)))
    if given.json:
        Path(given.json).write_text(json.dumps(table.numbers(times, heap, clients, ratios), indent=2) + "\n")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (Failed, OSError) as e:
        sys.exit("bench: %s" % e)
