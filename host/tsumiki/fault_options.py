"""How a command is told of faults: --fault, --faults, --faults-must-fire, or the environment."""

from .errors import Unreadable


def add_arguments(parser):
    """Add the options."""
    import argparse  # late: `tsumiki.article` starts sooner without

    class Given(argparse.Action):
        def __call__(self, parser, options, value, option=None):
            if value == "help":
                from .fault_kinds import told

                print(told())
                parser.exit()
            options.fault = [*options.fault, value]

    group = parser.add_argument_group(
        "faults", "the first that hits a message has it; --fault help lists them"
    )
    group.add_argument(
        "--fault", action=Given, default=[], metavar="ON=FAULT",
        help="as tools/call#2=timeout, tools/call:move_*=error:-32000,stuck, tools/list=status:503",
    )  # fmt: skip
    group.add_argument(
        "--faults", metavar="F", help="JSON, an array of rules; they come behind those of --fault"
    )
    group.add_argument(
        "--faults-must-fire", action="store_true", help="exit with 1 if one of them never hit anything"
    )


def wrapped(responder, options, transport, note):
    """The responder with the faults before it that the options name, or itself.

    transport: "stdio" or "http".  note: function of a str, for people.  Raises Unreadable.
    """
    if not options.fault and not options.faults:
        if options.faults_must_fire:
            raise Unreadable("--faults-must-fire goes with --fault or --faults")
        return responder
    from .fault_rules import from_file, short

    rules = [short(text) for text in options.fault] + (from_file(options.faults) if options.faults else [])
    return before(responder, rules, transport, note, options.faults_must_fire)


def by_environment(responder, environ, note):
    """The same on stdio, by FAULT_METHOD and FAULT of the article.  environ: mapping of str to str."""
    if not environ.get("FAULT"):
        return responder
    from .fault_rules import from_environment

    return before(responder, from_environment(environ), "stdio", note)


def before(responder, rules, transport, note, must_fire=False):
    """The responder with these rules (list of `fault_rules.Rule`) before it, or itself if there are none.

    Raises Unreadable for a fault that the transport cannot have.
    """
    for rule in rules:
        if rule.fault.http_only and transport != "http":
            raise Unreadable("%s: %s is a fault of HTTP" % (rule.text, rule.do))
    if not rules:
        return responder
    from .faults import Faults

    return Faults(responder, rules, note, must_fire)
