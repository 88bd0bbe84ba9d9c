"""Why the system refused a socket, in words."""

import errno


def reason(e):
    """A reason (str) for an OSError."""
    name = errno.errorcode.get(e.errno, "error %s" % e.errno)
    return {"EADDRINUSE": "the port is in use", "EACCES": "not allowed to use this port"}.get(name, name)
