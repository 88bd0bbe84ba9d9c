"""Put the compiled firmware into a ROMFS image, which a board keeps in flash: bytecode runs there, and takes no RAM.

    python3 host/romfs.py [xtensawin|x64]

The default is for an ESP32 with a `romfs` partition: `mpremote romfs deploy build/tsumiki-xtensawin.romfs`, and the
modules can be imported. x64 is for unix MicroPython, where tests use it.
"""

import sys

import mpy
from install import ROOT, Failed


def image(march=mpy.HOST, more=()):
    """The image of firmware/ as compiled for an architecture: bytes.

    more: paths of further .mpy files, which get a place beside the firmware's packages.
    """
    from mpremote.romfs import VfsRomWriter  # in .venv, which the command may have to make first

    writer = VfsRomWriter()
    _add(writer, mpy.build(march) / "firmware")
    for path in more:
        writer.mkfile(path.name, path.read_bytes())
    return writer.finalise()


def _add(writer, folder):
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            writer.opendir(path.name)
            _add(writer, path)
            writer.closedir()
        elif path.suffix == ".mpy":
            writer.mkfile(path.name, path.read_bytes())


def main(arguments):
    march = arguments[0] if arguments else mpy.ESP32
    if march not in (mpy.ESP32, mpy.HOST) or len(arguments) > 1:
        raise Failed(__doc__)
    path = ROOT / "build" / ("tsumiki-%s.romfs" % march)
    path.write_bytes(image(march))
    print("%s: %d bytes" % (path.relative_to(ROOT), path.stat().st_size))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Failed as e:
        sys.exit("error: %s" % e)
