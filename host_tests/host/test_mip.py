"""mip installs the library, the drivers or the whole robot: MicroPython's own, and mpremote's."""

import http.server
import io
import json
import threading
import urllib.error

import pytest
from mpremote import mip

import interpreter
import package
from install import ROOT
from processes import run_limited

# What the index of micropython-lib has, in the form that it has it.
INDEX = {
    "/pi/package/6/bmi270/latest.json": {"urls": [["bmi270.py", "%s/pi/bmi270.py"]], "version": "1.0"},
    "/pi/package/py/bmi270/latest.json": {"urls": [["bmi270.py", "%s/pi/bmi270.py"]], "version": "1.0"},
}
BMI270 = b"class BMI270:\n    pass\n"
INSTALL = """
import sys, mip
mip.install(sys.argv[1], index=sys.argv[2], target=sys.argv[3])
sys.path[:] = [sys.argv[3], ".frozen"]
__import__(sys.argv[4])
print("imported", sys.modules[sys.argv[4]].__file__)
"""


def listed(name):
    """{path on the board: bytes} that a package promises."""
    content = json.loads((ROOT / name).read_text("utf-8"))
    found = {path: (ROOT / url).read_bytes() for path, url in content["urls"]}
    assert len(found) == len(content["urls"]), "a file is listed twice"
    return found | ({"bmi270.py": BMI270} if ["bmi270", "latest"] in content["deps"] else {})


@pytest.fixture
def index():
    """Address of a server of this repository, and of an index of micropython-lib at /pi."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            data = answer(self.path, "http://127.0.0.1:%d" % server.server_port)
            self.send_response(404 if data is None else 200)
            self.send_header("Content-Length", str(len(data or b"")))
            self.end_headers()
            self.wfile.write(data or b"")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield "http://127.0.0.1:%d" % server.server_port
    server.shutdown()
    server.server_close()


def answer(path, address):
    """What is at a path: bytes or None."""
    if path == "/pi/bmi270.py":
        return BMI270
    if path in INDEX:
        return json.dumps(INDEX[path]).replace("%s", address).encode()
    file = ROOT / path.lstrip("/")
    return file.read_bytes() if ".." not in path and file.is_file() else None


@pytest.mark.parametrize(
    "name, module",
    [("package.json", "mcpserver"), ("drivers.json", "drivers.scs0009"), ("robot.json", "app")],
)
def test_micropython_installs_it(index, tmp_path, name, module):
    wanted = listed(name)
    script = tmp_path / "install.py"
    script.write_text(INSTALL)
    target = tmp_path / "lib"
    command = [interpreter.need(), script, "%s/%s" % (index, name), index + "/pi", target, module]
    status, said = run_limited(command, cwd=tmp_path)
    assert status == "", said
    assert said.splitlines()[-1] == "imported %s/%s.py" % (target, module.replace(".", "/"))
    assert {
        p.relative_to(target).as_posix(): p.read_bytes() for p in target.rglob("*") if p.is_file()
    } == wanted


class Board:
    """Stands in for mpremote's transport: a board's files."""

    def __init__(self):
        self.files = {}
        self.folders = set()

    def exec(self, code):
        pass

    def eval(self, code):
        return 6

    def fs_exists(self, path):
        return path in self.folders

    def fs_mkdir(self, path):
        self.folders.add(path)

    def fs_writefile(self, path, data, progress_callback=None):
        assert path not in self.files, "written twice: " + path
        assert path.rpartition("/")[0] in self.folders, "no folder for " + path
        self.files[path] = data


@pytest.fixture
def github(monkeypatch):
    """Where mpremote looks for github:someone/tsumiki and for the index, this repository answers."""
    asked = []

    def urlopen(url):
        asked.append(url)
        path = url.replace("https://raw.githubusercontent.com/someone/tsumiki/v0.1.0/", "/").replace(
            "https://index", ""
        )
        data = answer(path, "https://index")
        if data is None:
            raise urllib.error.HTTPError(url, 404, "Not Found", {}, None)
        return io.BytesIO(data)

    monkeypatch.setattr(mip.urllib.request, "urlopen", urlopen)
    return asked


def from_github(path):
    board = Board()
    mip._install_package(board, "github:someone/tsumiki" + path, "https://index/pi", "/lib", "v0.1.0", True)
    return {path.removeprefix("/lib/"): data for path, data in board.files.items()}


@pytest.mark.parametrize(
    "path, name", [("", "package.json"), ("/drivers.json", "drivers.json"), ("/robot.json", "robot.json")]
)
def test_mpremote_installs_it_from_github(github, path, name):
    assert from_github(path) == listed(name)
    assert github[0] == "https://raw.githubusercontent.com/someone/tsumiki/v0.1.0/" + name


def test_mpremote_installs_the_module_of_a_board(github):
    for board in ROOT.glob("boards/*/board.py"):
        name = board.relative_to(ROOT).as_posix()
        assert from_github("/" + name) == {"board.py": board.read_bytes()}


def test_a_file_that_is_listed_and_is_not_there_is_noticed(github, monkeypatch):
    monkeypatch.setitem(INDEX, "/robot.json", {"urls": [["a.py", "firmware/gone.py"]]})
    with pytest.raises(mip.CommandError, match=r"File not found.*gone\.py"):
        from_github("/robot.json")


def test_the_robot_is_all_of_the_firmware_each_file_once():
    paths = [path for path, _ in package.robot()["urls"]]
    assert paths == sorted(
        p.relative_to(ROOT / "firmware").as_posix() for p in (ROOT / "firmware").rglob("*.py")
    )
    library = [path for path, _ in package.package()["urls"]]
    assert len(set(library)) == len(library)
    assert {path.split("/")[0] for path in library} == {"umcp", "http1", "net", "mcpserver.py"}
    assert "net/wifi.py" not in library
