"""Run a module out of a ROMFS image, as a board does that keeps the firmware in flash: from_rom.py IMAGE MODULE ...

The module has `async def main()`. Unix MicroPython must hold the image itself in its heap, so whoever bounds the heap
adds the size of the image. Garbage is collected often, as a device should that is short of memory: what stays is close
together, and a long request still finds a piece for it.
"""

import asyncio
import gc
import sys

import vfs

gc.threshold(4096)
with open(sys.argv[1], "rb") as f:
    vfs.mount(vfs.VfsRom(f.read()), "/rom")
del f
sys.path.insert(0, "/rom")
sys.argv[:2] = []
asyncio.run(__import__(sys.argv[0]).main())
