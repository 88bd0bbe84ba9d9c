"""Put the firmware on a board that has MicroPython: deploy --board NAME [--port PORT]

Only what changed is sent. The version that runs stays in force until all of the new one is on the board and checked
(slots.py); preferences, fixtures and tapes are the owner's, and left alone.
"""

import re
import sys

from . import client_lines
from .board_table import BOARDS, CHIP_NAMES, board
from .device import Device
from .errors import Failed
from .payload import payload
from .settings import Settings
from .slots import SLOT, Slots

OLDEST = (1, 24)
_MPY = 6  # the version of .mpy files that mpy-cross writes
_CHIP = re.compile(r"\bESP32\w*")
_ADDRESS = re.compile(rb"http://([0-9A-Za-z.-]+:\d+)[^0-9]")
_PROMPT = b"\n>>> "
_PORT = 8080


def add_arguments(parser):
    parser.epilog = "example: tsumiki deploy --board m5stack_core2"
    parser.add_argument("--board", help="which board: %s; else what it was last" % ", ".join(BOARDS))
    parser.add_argument("--port", help="its serial port; not needed if it is the only one")
    parser.add_argument(
        "--replace",
        action="store_true",
        help="replace a main.py that is not ours, or another board's firmware",
    )
    parser.add_argument("--back", action="store_true", help="go back to the version before")
    parser.add_argument("--no-reset", action="store_true", help="leave the board stopped")
    parser.add_argument(
        "--seconds", type=float, default=15, help="how long to listen for its address (%(default)s)"
    )


def run(options):
    """Returns 0, or raises `Failed`."""
    with Device(options.port) as device:
        _check_version(device.facts())
        progress = Progress()
        slots = Slots(device, progress)
        if options.back:
            _go_back(slots, device)
        else:
            _deploy(slots, device, options, progress)
        token, name = _token(device)
        if options.no_reset:
            return 0
        device.reset()
        said = device.listen(options.seconds, started)
    _tell(find_address(said) or name, token)
    return 0


def _deploy(slots, device, options, progress):
    target = board(options.board or slots.board)
    check_chip(device.facts(), target)
    new = payload(target)
    if slots.board not in (None, target.name) and not options.replace:
        raise Failed(
            "the board has the firmware of %s, and BOARD=%s. If that is meant: --replace"
            % (slots.board, target.name)
        )
    if slots.foreign_main(new) and not options.replace:
        raise Failed(
            "the board has a main.py that is not Tsumiki's. To replace it: --replace; "
            "yours is kept as main.py.before"
        )
    try:
        count, size = slots.install(new)
    finally:
        progress.end()
    if count:
        print(
            "%d of %d files sent, %.1f KB; all are as they should be" % (count, len(new.files), size / 1024)
        )
    else:
        print("nothing had to be sent: the board has all %d files" % len(new.files))
    print("tsumiki %s for %s is in force (slot %s)" % (new.version, new.board, slots.current))


def _check_version(facts):
    if facts["version"] < OLDEST or facts["mpy"] != _MPY:
        raise Failed(
            "the board runs MicroPython %d.%d.%d; %d.%d or later is needed: make flash"
            % (*facts["version"], *OLDEST)
        )


def check_chip(facts, target):
    """Raises `Failed` if a board's firmware is for another chip than the one that is there."""
    found = _CHIP.findall(facts["machine"])
    chip = found[-1].lower() if found else facts["platform"]
    if chip != target.chip:
        fit = ", ".join(name for name, one in BOARDS.items() if one.chip == chip)
        raise Failed(
            "%s has an %s, and this board says that it is: %s. %s"
            % (target.name, CHIP_NAMES[target.chip], facts["machine"], "BOARD=" + fit if fit else "Which port is it?")
        )  # fmt: skip
    if target.psram == "octal" and "Generic" in facts["machine"] and "Octal" not in facts["machine"]:
        print(
            "warning: this MicroPython does not use the octal PSRAM of %s: make flash BOARD=%s"
            % (target.name, target.name)
        )


def _go_back(slots, device):
    other = "a" if slots.current == "b" else "b"
    slots.check(other)
    device.replace(SLOT, other.encode())
    print("tsumiki %s is in force again (slot %s)" % (slots.manifests[other]["version"], other))


# The token, and the address that the robot has in its network, or None. It makes a token at its first start, too; here
# it can be told.
def _token(device):
    with Settings(device) as settings:
        token = settings.get("mcp.token")
        if not token:
            from http1.new_token import new_token  # in firmware/

            token = new_token()
            settings.set("mcp.token", token)
            settings.save()
        name = "%s.local:%d" % (settings.get("wifi.hostname"), _PORT)
        return token, name if settings.get("wifi.names") else None


def started(said):
    """Whether what a board printed after a reset tells its address, or that nothing more will come."""
    return _PROMPT in said or _ADDRESS.search(said) is not None


def find_address(said):
    """`HOST:PORT` in what a board printed as it started, or None.  Raises `Failed` if it did not start."""
    if _PROMPT in said and b"Traceback" in said:
        trace = said[said.index(b"Traceback") :].split(b"MicroPython ")[0].decode("utf-8", "replace")
        raise Failed("the robot does not start; go back with --back.\n" + trace.strip())
    found = _ADDRESS.search(said)
    return found.group(1).decode() if found else None


def _tell(address, token):
    print("token:   " + token)
    if address is None:
        print(
            "address: it has not said one: without Wi-Fi it has none (make provision). It listens on port %d;\n"
            "         what follows has ROBOT in its place." % _PORT
        )
    else:
        print("address: http://%s  (page: http://%s/#%s)" % (address, address, token))
    print(client_lines.text("http://%s/mcp" % (address or "ROBOT:%d" % _PORT), token))


class Progress:
    """Shows how far it is: on a terminal in one line, else a line for each tenth."""

    def __init__(self, out=None):
        self._out = out or sys.stdout
        self._live = self._out.isatty()
        self._last = None

    def __call__(self, done, all_, text):
        """done, all_: files; all_ is 0 where nobody can tell yet."""
        if self._live:
            self._out.write("\r\x1b[K" + _line(done, all_, text))
            self._out.flush()
            return
        step = 10 * done // all_ if all_ else text
        if step != self._last:
            self._last = step
            print(_line(done, all_, text), file=self._out, flush=True)

    def end(self):
        """Leave the line to others."""
        if self._live:
            self._out.write("\r\x1b[K")


def _line(done, all_, text):
    return "%3d %%  %d of %d  %s" % (100 * done // all_, done, all_, text) if all_ else text + " ..."
