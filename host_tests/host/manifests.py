"""Stands in for MicroPython's makemanifest: runs a manifest, and records what it freezes."""

from pathlib import Path


class Recorder:
    """frozen: [(name in the image, Path)].  variables: {"PORT_DIR": Path, ...}.  required: [name of a library]."""

    def __init__(self, variables=()):
        self.frozen = []
        self.required = []
        self.fields = []
        self._variables = dict(variables)
        self._folder = None

    def run(self, path):
        """Runs a manifest; what it names is beside it."""
        outer, self._folder = self._folder, Path(path).parent
        names = ("metadata", "package", "module", "freeze", "include", "require", "add_library")
        code = compile(Path(path).read_text("utf-8"), str(path), "exec")
        exec(code, {name: getattr(self, name) for name in names})
        self._folder = outer
        return self

    def _path(self, name):
        for variable, value in self._variables.items():
            name = name.replace("$(%s)" % variable, str(value))
        assert "$(" not in name, "no such variable: " + name
        return self._folder / name

    def _add(self, base, name):
        assert (base / name).is_file(), "%s is missing" % (base / name)
        self.frozen.append((Path(name).as_posix(), (base / name).resolve()))

    def metadata(self, **fields):
        self.fields.append(fields)

    def package(self, name, files=None, base_path=".", opt=None):
        base = self._path(base_path)
        assert (base / name).is_dir(), "%s is missing" % (base / name)
        for file in files or sorted(p.relative_to(base / name) for p in (base / name).rglob("*.py")):
            self._add(base, Path(name) / file)

    def module(self, name, base_path=".", opt=None):
        self._add(self._path(base_path), name)

    def freeze(self, path, script=None, opt=None):
        base = self._path(path)
        scripts = [script] if isinstance(script, str) else script
        for name in scripts or sorted(p.relative_to(base) for p in base.rglob("*.py")):
            self._add(base, name)

    def include(self, path, **options):
        found = self._path(path)
        self.run(found / "manifest.py" if found.is_dir() else found)

    def require(self, name, **options):
        self.required.append(name)

    def add_library(self, name, path, **options):
        pass
