"""Which tools of a live server a command may call: none, unless it is told to; a call may move real hardware."""

from .people import note

REFUSED = "not called without --allow-calls"
NOT_READ_ONLY = "not called: it has no readOnlyHint (--all-calls)"


def add_arguments(parser):
    group = parser.add_argument_group(
        "calls", "a call may move real hardware, or change what the server keeps"
    )
    group.add_argument(
        "--allow-calls", action="store_true", help="call tools of the live server that are read-only"
    )
    group.add_argument("--all-calls", action="store_true", help="call any of its tools")


def warn(options, label):
    """Say what is about to happen, where it may be felt."""
    if options.allow_calls or options.all_calls:
        which = "tools" if options.all_calls else "read-only tools"
        note("calling %s of %s: this may move real hardware" % (which, label))


def why_not(options, tools, name):
    """Why the tool may not be called: str, or "" if it may.  tools: dict of name -> entry, as it lists them.

    One that is not listed may do anything, too.
    """
    if options.all_calls:
        return ""
    if not options.allow_calls:
        return REFUSED
    tool = tools.get(name) if isinstance(name, str) else None
    annotations = (tool or {}).get("annotations")
    is_read_only = isinstance(annotations, dict) and annotations.get("readOnlyHint") is True
    return "" if is_read_only else NOT_READ_ONLY
