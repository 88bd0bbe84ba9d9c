"""Write the golden images anew, on purpose only: look at what has changed before it is committed.

    .venv/bin/micropython host_tests/robot/write_goldens.py [SCENE ...]
    .venv/bin/micropython host_tests/robot/write_goldens.py --ppm FOLDER [SCENE ...]

The second writes pictures to look at (PPM) and leaves the goldens alone.
"""

import sys

_HERE = __file__.rsplit("/", 1)[0]
for _folder in (_HERE + "/../../firmware", _HERE):
    sys.path.insert(0, _folder)

from goldens import packed, path  # noqa: E402
from scenes import SCENES, render  # noqa: E402


def _ppm(panel):
    out = bytearray(b"P6 %d %d 255\n" % (panel.width, panel.height))
    for i in range(0, len(panel.frame), 2):
        color = panel.frame[i] << 8 | panel.frame[i + 1]
        out.append((color >> 11) * 255 // 31)
        out.append((color >> 5 & 63) * 255 // 63)
        out.append((color & 31) * 255 // 31)
    return out


def main(arguments):
    folder = None
    if arguments[:1] == ["--ppm"]:
        folder = arguments[1]
        arguments = arguments[2:]
    for name in arguments or sorted(SCENES):
        panel = render(name)
        raw = packed(panel) if folder is None else _ppm(panel)
        with open(path(name) if folder is None else "%s/%s.ppm" % (folder, name), "wb") as file:
            file.write(raw)


main(sys.argv[1:])
