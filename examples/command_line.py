"""The options of the examples: [--host H] [--port N] [--token T] [--sessions ram|sealed|off]."""

import sys

DEFAULTS = {"--host": "127.0.0.1", "--port": "8081", "--token": "test-token", "--sessions": "ram"}


def options(arguments, usage):
    """The command line as a dict; prints what is wrong and exits with 2 otherwise."""
    given = dict(DEFAULTS)
    if arguments and arguments[0] in ("-h", "--help"):
        print(usage.strip())
        sys.exit(0)
    for i in range(0, len(arguments), 2):
        if arguments[i] not in given or i + 1 == len(arguments):
            refuse("unknown or incomplete option %s; try --help" % arguments[i])
        given[arguments[i]] = arguments[i + 1]
    if not given["--port"].isdigit() or not 0 < int(given["--port"]) < 65536:
        refuse("--port takes a number from 1 to 65535")
    if given["--sessions"] not in ("ram", "sealed", "off"):
        refuse("--sessions takes ram, sealed or off")
    if not given["--token"] or not all("!" <= c <= "~" for c in given["--token"]):
        refuse("--token takes visible ASCII characters")
    if given["--token"] == "new":
        from http1.new_token import new_token

        given["--token"] = new_token()
        print("token: " + given["--token"])
    return given


def refuse(why, status=2):
    print("error: " + why, file=sys.stderr)
    sys.exit(status)
