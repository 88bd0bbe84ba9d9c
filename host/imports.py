"""The import statements of the modules that run on the robot, read without running them."""

import ast
from typing import NamedTuple


class Import(NamedTuple):
    """One import of a module.  module: str, dotted and absolute.  name: str imported from it, or None."""

    line: int
    module: str
    name: str


def tree_modules(root):
    """{dotted name: path} of the modules under a folder that is on sys.path."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name, path):
    """Every `Import` of the module `name`, those inside functions and `__import__("...")` among them."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"), str(path))):
        if isinstance(node, ast.Import):
            found += [Import(node.lineno, alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = _absolute(package, node.level, node.module or "")
            found += [Import(node.lineno, module, alias.name) for alias in node.names]
        elif _is_import_call(node):
            found.append(Import(node.lineno, node.args[0].value, None))
    return found


def _absolute(package, level, module):
    if not level:
        return module
    parts = package.split(".")[: len(package.split(".")) - level + 1]
    return ".".join([*parts, *([module] if module else [])])


def _is_import_call(node):
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "__import__"
        and bool(node.args)
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    )


def in_order(modules):
    """The names of `modules` ({name: path}), each after those that it imports."""
    done = {}

    def visit(name):
        if name in done or name not in modules:
            return
        done[name] = None
        for one in imports(name, modules[name]):
            visit(one.module)
            visit("%s.%s" % (one.module, one.name))
        order.append(name)

    order = []
    for name in modules:
        visit(name.rpartition(".")[0])
        visit(name)
    return order
