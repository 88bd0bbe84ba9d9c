"""package.json and manifest.py name every file that they should, and none that is not there."""

import ast
import json

import pytest

import package
from install import ROOT

FIRMWARE = ROOT / "firmware"


PACKAGES = package.PACKAGES


@pytest.mark.parametrize("name", sorted(PACKAGES))
def test_a_package_is_up_to_date(name):
    assert json.loads((ROOT / name).read_text("utf-8")) == PACKAGES[name](), "run make package"


@pytest.mark.parametrize("name", sorted(PACKAGES))
def test_a_package_is_complete_in_itself(name):
    names = {name.removesuffix(".py").replace("/", ".") for name, _ in PACKAGES[name]()["urls"]}
    inside = {name.removesuffix(".__init__") for name in names}
    from imports import imports, tree_modules

    modules = tree_modules(FIRMWARE)
    missing = {
        "%s imports %s" % (name, one.module)
        for name in inside
        for one in imports(name, modules[name])
        if one.module in modules and one.module not in inside
    }
    assert missing == set()


# What drivers import that is neither ours nor in the firmware of a board.
_BUILT_IN = (
    "array",
    "framebuf",
    "gc",
    "machine",
    "micropython",
    "neopixel",
    "struct",
    "sys",
    "time",
    "uctypes",
)


def test_the_drivers_declare_the_packages_that_they_import():
    wanted = set()
    for path in (FIRMWARE / "drivers").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module]
            wanted |= {name.partition(".")[0] for name in names}
    assert wanted - {*_BUILT_IN, "drivers"} == {name for name, _ in package.drivers()["deps"]}


class _Manifest:
    """Stands in for MicroPython's makemanifest: records the files that a manifest freezes."""

    def __init__(self, root):
        self._root = root
        self.files = []

    def run(self, path):
        names = ("metadata", "package", "module", "freeze", "include", "require")
        exec(
            compile(path.read_text("utf-8"), str(path), "exec"), {name: getattr(self, name) for name in names}
        )

    def metadata(self, **fields):
        self.fields = fields

    def package(self, name, files=None, base_path=".", opt=None):
        folder = self._root / base_path / name
        assert folder.is_dir(), folder
        self.files += [folder / f for f in files] if files else sorted(folder.rglob("*.py"))

    def module(self, name, base_path=".", opt=None):
        self.files.append(self._root / base_path / name)

    def freeze(self, path, script=None, opt=None):
        raise AssertionError("package() and module() say more than freeze()")

    def include(self, path, **options):
        if not path.startswith("$("):
            self.run(self._root / path)

    def require(self, name, **options):
        pass


def test_the_manifest_freezes_every_module_once():
    manifest = _Manifest(ROOT)
    manifest.run(ROOT / "manifest.py")
    frozen = sorted(manifest.files)
    assert [f for f in frozen if not f.is_file()] == []
    assert frozen == sorted(FIRMWARE.rglob("*.py"))
    assert manifest.fields["version"] == package.version()


def test_the_project_has_one_version():
    assert 'version = "%s"\n' % package.version() in (ROOT / "pyproject.toml").read_text("utf-8")
