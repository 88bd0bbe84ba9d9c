"""Run the tests of one file in this interpreter: run_file.py FILE PORT,PORT,... TEST TEST ...

Prints a line a test: `@test NAME pass`, `@test NAME skip REASON` or `@test NAME fail`, the traceback before it.
"""

import sys


class _Report:
    """Runs the body as one test: prints its line, and lets nothing out but an exit."""

    def __init__(self, name, skip):
        self._name = name
        self._skip = skip

    def __enter__(self):
        pass

    def __exit__(self, kind, e, trace):
        if kind is None:
            print("@test %s pass" % self._name)
        elif issubclass(kind, self._skip):
            print("@test %s skip %s" % (self._name, e))
        elif issubclass(kind, Exception):
            _print_traceback(e)
            print("@test %s fail" % self._name)
        else:
            return False
        return True


def _print_traceback(e):
    if hasattr(sys, "print_exception"):
        sys.print_exception(e)
    else:
        import traceback

        traceback.print_exception(type(e), e, e.__traceback__, file=sys.stdout)


def _load(path):
    """The test module, and the exception that means a skip."""
    folder, name = path.rsplit("/", 1)
    here = __file__.rsplit("/", 1)[0]
    for more in (here, here + "/..", here + "/../host", here + "/../firmware", folder):
        sys.path.insert(0, more)
    from harness import Skip

    return __import__(name[:-3]), Skip


def run(path, names):
    """Under unix MicroPython and CPython: a fresh event loop for each async test."""
    tests, skip = _load(path)
    for name in names:
        with _Report(name, skip):
            made = getattr(tests, name)()
            if hasattr(made, "send"):
                import asyncio

                asyncio.run(made)


async def run_within(path, names):
    """Under WebAssembly, whose one event loop is the host's."""
    tests, skip = _load(path)
    for name in names:
        with _Report(name, skip):
            made = getattr(tests, name)()
            if hasattr(made, "send"):
                await made


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[3:])
