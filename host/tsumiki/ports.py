"""Which serial port a board is on."""

from .errors import Failed


def usb_ports():
    """[(device, what it says it is)] of the serial ports on USB."""
    from serial.tools import list_ports

    return sorted((p.device, p.description or "") for p in list_ports.comports() if p.vid is not None)


def find(named="", ports=usb_ports):
    """The port's name: the one that is named, else the only one there is.  Raises `Failed`."""
    if named:
        return named
    found = ports()
    if not found:
        raise Failed(
            "no board is on USB: plug it in with a data cable, and look whether it is on; "
            "a board on another port: PORT=/dev/ttyUSB0"
        )
    if len(found) > 1:
        lines = ["  PORT=%s  (%s)" % pair for pair in found]
        raise Failed("there are %d serial ports; add the board's:\n%s" % (len(found), "\n".join(lines)))
    return found[0][0]
