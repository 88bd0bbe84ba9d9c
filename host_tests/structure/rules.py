"""The rules of the import statements of firmware/ and boards/: who may import whom, and what belongs to one place."""

import ast

from imports import imports, tree_modules

# A layer may import itself and what is named here. A module outside any folder is the app's.
BELOW = {
    "umcp": (),
    "http1": (),
    "drivers": (),
    "robot": ("umcp", "http1"),
    "net": ("umcp", "http1"),
    "stub": ("robot", "net", "umcp", "http1"),
    "chat": ("robot", "net", "umcp", "http1"),
    "m5stack": ("robot", "drivers"),
    "boards": ("m5stack", "robot", "net", "umcp", "http1", "drivers"),
    "app": ("boards", "chat", "stub", "robot", "net", "umcp", "http1"),
}
# The sans-I/O layers get time and bytes as arguments.
SANS_IO = ("umcp", "http1")
IO = ("asyncio", "socket", "time", "machine", "select", "ssl", "tls", "network", "requests", "sys")
# Module to the only places that may import it.
OWNERS = {
    "json": ("umcp.codec",),
    "framebuf": ("robot.draw",),
    "socket": ("net", "boards.unix.pipe_bus"),
    "ssl": ("net",),
    "tls": ("net",),
    "requests": ("net",),
}
STREAMS = ("open_connection", "start_server", "StreamReader", "StreamWriter", "Stream", "Server")


def layer(name):
    """The layer of a dotted module name, or None if it is not ours."""
    top, _, rest = name.partition(".")
    if top in BELOW and top != "app":
        return top
    return None if rest else "app"


def violations(root):
    """What is wrong in a tree that has firmware/ and perhaps boards/: a list of `FILE:LINE: reason`."""
    modules = tree_modules(root / "firmware")
    modules.update({"boards." + name: path for name, path in tree_modules(root / "boards").items()})
    found = []
    for name, path in modules.items():
        if path.name == "manifest.py":
            continue
        for line, reason in _of_module(name, path, modules):
            found.append("%s:%d: %s" % (path.relative_to(root), line, reason))
    return found


def _of_module(name, path, modules):
    mine = layer(name)
    for one in imports(name, path):
        theirs = layer(one.module) if _is_ours(one, modules) else None
        if theirs and theirs != mine and theirs not in BELOW[mine]:
            yield one.line, "%s may not import %s" % (mine, theirs)
        top = one.module.split(".")[0]
        if mine in SANS_IO and top in IO:
            yield one.line, "%s does no I/O: %s" % (mine, top)
        if top in OWNERS and not any((name + ".").startswith(owner + ".") for owner in OWNERS[top]):
            yield one.line, "only %s may import %s" % (" and ".join(OWNERS[top]), top)
        if mine != "net" and top == "asyncio" and one.name in STREAMS:
            yield one.line, "only net may use asyncio.%s" % one.name
    yield from _of_code(mine, path)


def _is_ours(one, modules):
    return one.module.split(".")[0] in BELOW or one.module in modules


def _of_code(mine, path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if mine in SANS_IO and isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print":
            yield node.lineno, "%s prints nothing" % mine
        if mine != "net" and isinstance(node, ast.Attribute) and node.attr in STREAMS:
            if getattr(node.value, "id", "") == "asyncio":
                yield node.lineno, "only net may use asyncio.%s" % node.attr
