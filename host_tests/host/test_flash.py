"""`make flash`: the right image for the board, whole, at the right place; what the board keeps is kept."""

import argparse
import hashlib
import http.server
import threading

import pytest

from host.images import APP, NVS, MemoryChip, firmware, program, stock_table, table
from tsumiki import flash, partitions, ports
from tsumiki.board_table import BOARDS, TABLE_OFFSET
from tsumiki.chip import Chip
from tsumiki.download import download
from tsumiki.errors import Failed
from tsumiki.firmware_file import Firmware

ONE_PORT = [("/dev/ttyUSB0", "CP2104")]


def options(*words):
    parser = argparse.ArgumentParser()
    flash.add_arguments(parser)
    return parser.parse_args(words)


@pytest.fixture
def flashing(tmp_path, monkeypatch):
    """`flashing(board, chip, *words, data=)` runs the command on a file of these bytes."""
    monkeypatch.chdir(tmp_path)

    def run(board, chip, *words, data=None):
        (tmp_path / "image.bin").write_bytes(firmware(board) if data is None else data)
        words = ["--board", board, "--firmware", "image.bin", *words]
        return flash.run(options(*words), chip=chip, usb_ports=lambda: ONE_PORT)

    return run


@pytest.mark.parametrize("name", BOARDS)
def test_the_image_is_where_the_chip_starts_it(flashing, name):
    chip = MemoryChip(BOARDS[name].chip)
    assert flashing(name, chip) == 0
    image, offset = firmware(name), BOARDS[name].offset
    assert bytes(chip.flash[offset : offset + len(image)]) == image
    assert chip.port == "/dev/ttyUSB0"
    assert "erase" not in chip.log


def test_the_table_is_that_of_the_fact_sheet():
    rows = {(b.name, b.chip, b.image, b.offset, b.psram) for b in BOARDS.values()}
    assert rows == {
        ("m5stack_core", "esp32", "ESP32_GENERIC", 0x1000, ""),
        ("m5stack_fire", "esp32", "ESP32_GENERIC-SPIRAM", 0x1000, "quad"),
        ("m5stack_core2", "esp32", "ESP32_GENERIC-SPIRAM", 0x1000, "quad"),
        ("m5stack_cores3", "esp32s3", "ESP32_GENERIC_S3", 0, "quad"),
        ("stackchan_kit", "esp32s3", "ESP32_GENERIC_S3", 0, "quad"),
        ("m5stack_atoms3r", "esp32s3", "ESP32_GENERIC_S3-SPIRAM_OCT", 0, "octal"),
    }


# --- what the board keeps


def test_nvs_is_not_written_over(flashing):
    chip = MemoryChip("esp32")
    chip.flash[NVS : NVS + 4] = b"zero"
    flashing("m5stack_core2", chip)
    assert bytes(chip.flash[NVS : NVS + 4]) == b"zero"
    assert [line for line in chip.log if line.startswith("write")] == ["write 0x1000", "write 0x10000"]


def test_an_nvs_that_the_image_fills_is_written():
    image = bytearray(firmware("m5stack_cores3"))
    image[NVS] = 0
    parts = Firmware(bytes(image), BOARDS["m5stack_cores3"]).parts()
    assert [offset for offset, _ in parts] == [0, APP]
    assert len(parts[0][1]) == 0xF000 and parts[0][1][NVS] == 0


def test_erase_is_only_done_when_asked(flashing):
    chip = MemoryChip("esp32")
    chip.flash[NVS] = 1
    flashing("m5stack_core", chip, "--erase")
    assert chip.log.count("erase") == 1
    assert chip.flash[NVS] == 0xFF


def test_the_nvs_of_a_kit_is_saved_before_anything_is_written(flashing, tmp_path):
    chip = MemoryChip("esp32s3")
    chip.flash[NVS : NVS + 4] = b"zero"
    flashing("stackchan_kit", chip)
    saved = (tmp_path / "nvs-stackchan_kit.bin").read_bytes()
    assert len(saved) == 0x6000 and saved.startswith(b"zero")
    assert chip.log.index("read 0x9000") < chip.log.index("write 0x0")


def test_a_saved_nvs_is_never_overwritten(flashing, tmp_path):
    (tmp_path / "nvs-stackchan_kit.bin").write_bytes(b"the first one")
    chip = MemoryChip("esp32s3")
    with pytest.raises(Failed, match="not overwritten: move it away, or BACKUP="):
        flashing("stackchan_kit", chip, "--erase")
    assert not [line for line in chip.log if line.startswith(("write", "erase"))]
    assert (tmp_path / "nvs-stackchan_kit.bin").read_bytes() == b"the first one"
    flashing("stackchan_kit", chip, "--backup", "second.bin")
    assert (tmp_path / "second.bin").stat().st_size == 0x6000


def test_nothing_is_written_if_the_nvs_cannot_be_saved(flashing):
    chip = MemoryChip("esp32s3")
    chip.broken = Failed("the connection is bad")
    with pytest.raises(Failed, match="the connection is bad"):
        flashing("stackchan_kit", chip, "--erase")
    chip.broken = None
    with pytest.raises(Failed, match="nothing was written"):
        flashing("stackchan_kit", chip, "--backup", "no/such/folder.bin")
    assert not [line for line in chip.log if line.startswith(("write", "erase"))]


def test_files_that_the_image_would_not_find_again_are_not_lost(flashing):
    chip = MemoryChip("esp32s3")
    chip.flash[TABLE_OFFSET : TABLE_OFFSET + 0xC00] = stock_table()
    chip.flash[0x200008:0x200010] = b"littlefs"
    moved = firmware("m5stack_cores3", parts=stock_table(app_size=0x210000))
    with pytest.raises(Failed, match=r"files at 0x220000, the board has them at 0x200000.*ERASE=1"):
        flashing("m5stack_cores3", chip, data=moved)
    assert chip.log[-1].startswith("read")
    flashing("m5stack_cores3", chip)
    flashing("m5stack_cores3", chip, "--erase", data=moved)


def test_another_firmware_on_the_board_is_no_obstacle(flashing):
    chip = MemoryChip("esp32s3")
    full = table(("nvs", 1, 2, NVS, 0x4000), ("ota_0", 0, 0x10, 0x20000, (16 << 20) - 0x20000))
    chip.flash[TABLE_OFFSET : TABLE_OFFSET + 0xC00] = full
    assert flashing("m5stack_cores3", chip) == 0


# --- mistakes


def broken(change):
    image = bytearray(firmware("m5stack_core2"))
    change(image)
    return bytes(image)


def put(at, value):
    return lambda image: image.__setitem__(at, value)


@pytest.mark.parametrize(
    "data, text",
    [
        (b"", "the image is empty"),
        (b"<!DOCTYPE html>" * 100, "bootloader cannot be read.*magic number.*get it anew"),
        (broken(put(100, 0x55)), "bootloader: its checksum is wrong"),
        (broken(put(0xF000 + 64, 0x55)), "program: its checksum is wrong"),
        (broken(put(-1, 0x55)), "program: the SHA-256 at its end is wrong"),
        (firmware("m5stack_core2")[:-100], "program cannot be read|SHA-256 at its end"),
        (firmware("m5stack_core2")[:-2000], "program cannot be read: End of file"),
        (firmware("m5stack_core2")[:0xF000], "ends before its program"),
        (firmware("m5stack_core2", app=program("esp32", digest=False)), "SHA-256 .* wrong, or there is none"),
        (firmware("m5stack_core2", boot=program("esp32", b"b", 512, digest=False)), "bootloader: the SHA-256"),
        (program("esp32", size=40000), "no partition table: take the whole image"),
        (broken(put(0x7000 + 5, 7)), "table is damaged: its MD5"),
        (firmware("m5stack_core2", parts=table(("nvs", 1, 2, NVS, 0x6000))), "no partition table"),
        (firmware("m5stack_cores3"), r"another chip \(ESP32-S3\).*takes ESP32_GENERIC-SPIRAM-"),
        (firmware("m5stack_core2", app=program("esp32s3")), r"another chip \(ESP32-S3\)"),
        (firmware("m5stack_core2") + bytes(16 << 20), "the board's flash"),
    ],
)  # fmt: skip
def test_a_wrong_image_is_refused_before_the_chip_is_touched(flashing, data, text):
    chip = MemoryChip("esp32")
    with pytest.raises(Failed, match=text):
        flashing("m5stack_core2", chip, data=data)
    assert chip.log == []


def test_the_wrong_chip_is_refused(flashing):
    chip = MemoryChip("esp32s3")
    with pytest.raises(Failed, match=r"is an ESP32-S3, but m5stack_core2 has an ESP32: another PORT="):
        flashing("m5stack_core2", chip)
    assert chip.log == ["identify"]


def test_an_image_too_big_for_the_chip_that_is_there(flashing):
    big = firmware("m5stack_core", parts=stock_table(app_size=0x400000))
    with pytest.raises(Failed, match="more than the 4194304 bytes"):
        flashing("m5stack_core", MemoryChip("esp32", flash=4 << 20), data=big)


def test_the_sha256_is_printed_and_compared(flashing, capsys):
    sha = hashlib.sha256(firmware("m5stack_core")).hexdigest()
    flashing("m5stack_core", MemoryChip("esp32"), "--sha256", sha.upper())
    assert sha in capsys.readouterr().out
    chip = MemoryChip("esp32")
    with pytest.raises(Failed, match="is %s, not 00.*nothing was written" % sha):
        flashing("m5stack_core", chip, "--sha256", "00")
    assert chip.log == []


@pytest.mark.parametrize(
    "words, found, text",
    [
        ([], ONE_PORT, r"which board\? BOARD=m5stack_core\|"),
        (["--board", "core3"], ONE_PORT, "no board is called core3: BOARD="),
        (["--board", "m5stack_core"], [], "no board is on USB: plug it in"),
        (
            ["--board", "m5stack_core"],
            [("/dev/ttyUSB0", "CP2104"), ("/dev/ttyACM0", "JTAG")],
            r"(?s)2 serial ports.*PORT=/dev/ttyUSB0  \(CP2104\).*PORT=/dev/ttyACM0",
        ),
        (["--board", "m5stack_core", "--firmware", "missing.bin"], ONE_PORT, "FIRMWARE=missing.bin: No such file"),
    ],
)  # fmt: skip
def test_what_is_not_said_is_asked_for(words, found, text):
    with pytest.raises(Failed, match=text):
        flash.run(options(*words), chip=MemoryChip("esp32"), usb_ports=lambda: found)


def test_a_named_port_is_taken_unseen():
    assert ports.find("COM7", ports=lambda: []) == "COM7"


# --- what esptool says


def test_no_such_port():
    with pytest.raises(Failed, match=r"no port /dev/ttyNONE: plug.*\n\(esptool: Could not open"):
        Chip("/dev/ttyNONE").identify()


SAID = "Chip type:          %s (revision v3.1)\nDetected flash size: %s\n"


@pytest.mark.parametrize(
    "kind, flash, found",
    [
        ("ESP32-S3 (QFN56)", "16MB", ("esp32s3", 16 << 20)),
        ("ESP32-D0WDQ6-V3", "4MB", ("esp32", 4 << 20)),
        ("ESP32-PICO-D4", "4MB", ("esp32", 4 << 20)),
        ("ESP32-C3 (QFN32)", "512KB", ("ESP32-C3", 512 << 10)),
    ],
)
def test_the_chip_and_its_flash_are_read(kind, flash, found):
    assert Chip("x", run=lambda words, show: (0, SAID % (kind, flash))).identify() == found


@pytest.mark.parametrize(
    "said, text",
    [
        (
            "Could not open /dev/x, the port is busy. ([Errno 16] Device or resource busy)",
            "port /dev/x is busy: close",
        ),
        ("Could not open /dev/x. ([Errno 11] Could not exclusively lock port)", "port /dev/x is busy"),
        ("Could not open /dev/x. ([Errno 13] Permission denied)", "dialout"),
        ("Failed to connect to ESP32: No serial data received.", "does not answer: put the board"),
        ("MD5 of file does not match data in flash!", "connection to /dev/x is bad"),
        ("Something new.", "esptool failed on /dev/x: Something new."),
    ],
)
def test_what_esptool_says_comes_with_advice(said, text):
    chip = Chip("/dev/x", run=lambda words, show: (2, "noise\nA fatal error occurred: " + said))
    with pytest.raises(Failed, match=text):
        chip.identify()


def test_a_chip_that_says_nothing_of_itself():
    with pytest.raises(Failed, match="does not say what it is"):
        Chip("x", run=lambda words, show: (0, SAID % ("ESP32", "Unknown"))).identify()


def test_what_esptool_is_told():
    told = []

    def run(words, show):
        told.append([word if "/" not in word else "FILE" for word in words])
        if "read-flash" in words:
            with open(words[-1], "wb") as file:
                file.write(b"12345")
        return 0, ""

    chip = Chip("p", 115200, run=run)
    assert chip.read(0x9000, 5) == b"12345"
    chip.write([(0x1000, b"a"), (0x10000, b"b")])
    chip.write([(0, b"a")], erase=True)
    start = ["--port", "p", "--baud", "115200"]
    assert told == [
        [*start, "read-flash", "0x9000", "0x5", "FILE"],
        [*start, "write-flash", "0x1000", "FILE", "0x10000", "FILE"],
        [*start, "write-flash", "--erase-all", "0x0", "FILE"],
    ]
    with pytest.raises(Failed, match="read 5 of 6 bytes"):
        chip.read(0, 6)


# --- the partition table


def test_a_broken_table_is_told_from_none():
    rows = stock_table()
    assert [p.label for p in partitions.parse(rows)] == ["nvs", "phy_init", "factory"]
    assert partitions.parse(b"\xff" * 0xC00) == partitions.parse(bytes(0xC00)) == []
    with pytest.raises(Failed, match="entry 1 is none"):
        partitions.parse(rows[:32] + bytes(32) + rows[64:])


@pytest.mark.parametrize(
    "rows, flash, place",
    [
        (stock_table(), 16 << 20, (0x200000, 0xE00000)),
        (stock_table(), 4 << 20, (0x200000, 0x200000)),
        (stock_table(more=[("vfs", 1, 0x81, 0x300000, 0x80000)]), 16 << 20, (0x300000, 0x80000)),
        (stock_table(), 2 << 20, None),
        (b"", 4 << 20, None),
    ],
)
def test_where_the_files_are(rows, flash, place):
    assert partitions.vfs(partitions.parse(rows), flash) == place


# --- the network


class Images(http.server.BaseHTTPRequestHandler):
    images = {}

    def do_GET(self):
        length, data = self.images.get(self.path, (None, None))
        self.send_response(404 if data is None else 200)
        if length:
            self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(data or b"")

    def log_message(self, *_):
        pass


@pytest.fixture
def images():
    """(address, {path: (length told or None, bytes)}) of a web server."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Images)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    Images.images = {}
    yield "http://127.0.0.1:%d" % server.server_port, Images.images
    server.shutdown()
    server.server_close()


def test_the_stock_image_is_fetched(images, monkeypatch, capsys):
    base, files = images
    monkeypatch.setenv("TSUMIKI_FIRMWARE_URL", base + "/pub/")
    data = firmware("m5stack_atoms3r")
    files["/pub/ESP32_GENERIC_S3-SPIRAM_OCT-20991231-v9.9.bin"] = len(data), data
    chip = MemoryChip("esp32s3", flash=8 << 20)
    words = ["--board", "m5stack_atoms3r", "--release", "20991231-v9.9"]
    assert flash.run(options(*words), chip=chip, usb_ports=lambda: ONE_PORT) == 0
    assert bytes(chip.flash[: len(data)]) == data
    assert "100 %" in capsys.readouterr().out


@pytest.mark.parametrize(
    "length, data, text",
    [
        (None, None, "server says 404"),
        (2000, b"x" * 2000, "has 2000 bytes, more than the 1000"),
        (None, b"x" * 2000, "is longer than the 1000 bytes"),
        (500, b"x" * 400, "broke off after 400 of 500"),
    ],
)
def test_a_download_that_goes_wrong(images, length, data, text):
    base, files = images
    if data:
        files["/a.bin"] = length, data
    with pytest.raises(Failed, match=text):
        download(base + "/a.bin", limit=1000)


def test_no_network(free_port):
    with pytest.raises(Failed, match="refused; without a network, fetch it elsewhere and name it: FIRMWARE="):
        download("http://127.0.0.1:%d/a.bin" % free_port)
    with pytest.raises(Failed, match="FIRMWARE="):
        download("no address")
