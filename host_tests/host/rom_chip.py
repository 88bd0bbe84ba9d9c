"""A virtual ESP32 or ESP32-S3 in download mode behind a TCP port, for the real esptool: `PORT=socket://127.0.0.1:N`.

It knows the serial protocol of the ROM and of esptool's stub (esptool's docs, advanced-topics/serial-protocol): frames
of SLIP; a command has direction 0, number, length of its data, checksum; its answer has direction 1.
"""

import hashlib
import socketserver
import struct
import threading
import zlib

SECTOR = 4096
_SYNC, _WRITE_REG, _READ_REG, _SECURITY_INFO = 0x08, 0x09, 0x0A, 0x14
_MEM_END, _DEFL_BEGIN, _DEFL_DATA, _MD5 = 0x06, 0x10, 0x11, 0x13
_ERASE_FLASH, _READ_FLASH = 0xD0, 0xD2
_UNKNOWN = b"\x01\x05"
_OK = b"\0\0"
_MAGIC_REGISTER = 0x40001000
# chip: (value of the magic register, register where the flash's number is read, chip number or None)
_CHIPS = {"esp32": (0x00F01D83, 0x3FF42080, None), "esp32s3": (0x9, 0x60002058, 9)}


class RomChip(socketserver.ThreadingTCPServer):
    """chip: "esp32" or "esp32s3".  size: of its flash, a power of two.

    flash: bytearray.  faults: list of str, what a real flash would not have done.  deaf: it answers nothing.
    flips: how many bits it gets wrong when it writes.
    """

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, chip, size=4 << 20):
        super().__init__(("127.0.0.1", 0), _Line)
        self.chip = chip
        self.flash = bytearray(b"\xff" * size)
        self.faults = []
        self.deaf = False
        self.flips = 0
        self.url = "socket://127.0.0.1:%d" % self.server_address[1]
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()

    def register(self, address):
        magic, flash_id, _ = _CHIPS[self.chip]
        if address == _MAGIC_REGISTER:
            return magic
        if address == flash_id:
            return (len(self.flash).bit_length() - 1) << 16 | 0x4000 | 0xEF
        return 0

    def erase(self, offset, size):
        """Whole sectors, those that are touched."""
        if offset % SECTOR:
            self.faults.append("erase at 0x%x" % offset)
        for at in range(offset, offset + size, SECTOR):
            self.flash[at : at + SECTOR] = b"\xff" * SECTOR

    def program(self, offset, data):
        """Bits can only be cleared."""
        if offset + len(data) > len(self.flash):
            self.faults.append("write beyond the end")
            return
        for at, byte in enumerate(data, offset):
            if byte & ~self.flash[at]:
                self.faults.append("write over what is not erased at 0x%x" % at)
                return
            self.flash[at] &= byte
        if self.flips and data:
            self.flips -= 1
            self.flash[offset] ^= 0x80


class _Line(socketserver.BaseRequestHandler):
    def handle(self):
        self._stub = False
        self._writing = None
        buffer = b""
        while part := self._receive():
            buffer += part
            *frames, buffer = buffer.split(b"\xc0")
            for raw in frames:
                frame = raw.replace(b"\xdb\xdc", b"\xc0").replace(b"\xdb\xdd", b"\xdb")
                if len(frame) >= 8 and frame[0] == 0 and not self.server.deaf:
                    self._answer(frame[1], frame[8:])

    def _receive(self):
        try:
            return self.request.recv(65536)
        except OSError:
            return b""

    def _send(self, data):
        data = data.replace(b"\xdb", b"\xdb\xdd").replace(b"\xc0", b"\xdb\xdc")
        try:
            self.request.sendall(b"\xc0" + data + b"\xc0")
        except OSError:
            pass  # It has gone.

    def _reply(self, command, value=0, data=b"", status=_OK):
        data += status if self._stub else status + b"\0\0"
        self._send(struct.pack("<BBHI", 1, command, len(data), value) + data)

    def _answer(self, command, data):
        chip = self.server
        words = struct.unpack("<%dI" % (len(data) // 4), data[: len(data) // 4 * 4])
        if command == _SYNC:
            for _ in range(8):
                self._reply(command, value=0 if self._stub else 0x20120707)
        elif command == _READ_REG:
            self._reply(command, value=chip.register(words[0]))
        elif command == _SECURITY_INFO:
            self._security_info(command)
        elif command == _MEM_END:
            self._reply(command)
            self._stub = True
            self._send(b"OHAI")
        elif command == _MD5:
            found = hashlib.md5(chip.flash[words[0] : words[0] + words[1]])
            self._reply(command, data=found.digest() if self._stub else found.hexdigest().encode())
        elif command == _ERASE_FLASH:
            chip.erase(0, len(chip.flash))
            self._reply(command)
        elif command == _DEFL_BEGIN:
            chip.erase(words[3], words[0])
            self._writing = words[3], zlib.decompressobj()
            self._reply(command)
        elif command == _DEFL_DATA:
            at, unpacker = self._writing
            piece = unpacker.decompress(data[16 : 16 + words[0]])
            chip.program(at, piece)
            self._writing = at + len(piece), unpacker
            self._reply(command)
        elif command == _READ_FLASH:
            self._reply(command)
            self._read_flash(words[0], words[1])
        else:
            self._reply(command)

    def _security_info(self, command):
        number = _CHIPS[self.server.chip][2]
        if number is None:
            self._reply(command, status=_UNKNOWN)
        else:
            self._reply(command, data=struct.pack("<IB7sII", 0, 0, bytes(7), number, 0))

    # The acknowledgements that come back are no commands, and are not looked at.
    def _read_flash(self, offset, size):
        data = bytes(self.server.flash[offset : offset + size])
        for at in range(0, size, SECTOR):
            self._send(data[at : at + SECTOR])
        self._send(hashlib.md5(data).digest())
