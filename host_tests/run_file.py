"""Run the tests of one file in this interpreter: run_file.py FILE PORT,PORT,... TEST TEST ...

Prints a line a test: `@test NAME pass`, `@test NAME skip REASON` or `@test NAME fail`, the traceback before it.
"""

import sys


def _add_paths(here):
    for folder in ("", "/..", "/../firmware"):
        sys.path.insert(0, here + folder)


def _run(test):
    made = test()
    if hasattr(made, "send"):
        import asyncio

        asyncio.run(made)


def main(path, names):
    from harness import Skip

    module = path.rsplit("/", 1)[1][:-3]
    sys.path.insert(0, path.rsplit("/", 1)[0])
    tests = __import__(module)
    for name in names:
        try:
            _run(getattr(tests, name))
            print("@test %s pass" % name)
        except Skip as e:
            print("@test %s skip %s" % (name, e))
        except Exception as e:
            if hasattr(sys, "print_exception"):
                sys.print_exception(e)
            else:
                import traceback

                traceback.print_exception(type(e), e, e.__traceback__, file=sys.stdout)
            print("@test %s fail" % name)


_add_paths(__file__.rsplit("/", 1)[0])
main(sys.argv[1], sys.argv[3:])
