"""A serial port as lines of bytes, written no faster than a board reads."""

import time

import serial

BAUD = 115200

# A board's UART fills a ring of 260 bytes (MicroPython, ports/esp32/mphalport.c) and drops the rest unseen. It is
# emptied when the robot's loop comes round, which drawing may delay by some 50 ms.
_BURST = 128  # bytes
_RATE = 2500  # bytes a second after that
_PIECE = 64
_READ_S = 0.1
_WRITE_S = 5
_MAX_LINE = 1 << 20

ERRORS = (OSError, serial.SerialException, ValueError)


class Pace:
    """How long to wait before so many bytes more: a bucket of _BURST bytes that fills at _RATE."""

    def __init__(self, now=time.monotonic):
        self._now = now
        self._since = now()
        self._room = _BURST

    def wait_s(self, count):
        """Seconds to wait before `count` bytes are written; they count as written."""
        now = self._now()
        self._room = min(_BURST, self._room + (now - self._since) * _RATE) - count
        self._since = now
        return max(0, -self._room / _RATE)


class Port:
    """url: the port's name, or a URL of pyserial's.  Raises one of ERRORS if it cannot be opened."""

    def __init__(self, url, baud=BAUD):
        self._pace = Pace()
        self._rest = b""
        self._port = serial.serial_for_url(
            url, baudrate=baud, timeout=_READ_S, write_timeout=_WRITE_S, exclusive=True
        )

    @property
    def begun(self):
        """bytes: the line that has not ended yet."""
        return self._rest

    def lines(self):
        """The lines that have ended since, without their ends: perhaps none, after a moment. Raises one of ERRORS."""
        data = self._port.read(max(1, self._port.in_waiting))
        *found, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _MAX_LINE:
            self._rest = b""
        return [line.rstrip(b"\r") for line in found]

    def write(self, data):
        """Write it all, at a board's pace. Raises one of ERRORS."""
        for i in range(0, len(data), _PIECE):
            piece = data[i : i + _PIECE]
            time.sleep(self._pace.wait_s(len(piece)))
            self._port.write(piece)

    def close(self):
        try:
            self._port.close()
        except ERRORS:
            pass
