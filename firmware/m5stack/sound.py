"""A speaker behind I2S, as Core2 and CoreS3 have one."""

from machine import I2S, Pin
from micropython import const

from drivers.i2s_speaker import I2SSpeaker

_BYTES = const(2048)  # of DMA: 64 ms at 16 kHz


def speaker(sck, ws, sd, amplifier):
    """A speaker port.  sck, ws, sd: pins.  amplifier: function of a rate, or 0: off."""

    def open_i2s(rate):
        return I2S(
            0,
            sck=Pin(sck),
            ws=Pin(ws),
            sd=Pin(sd),
            mode=I2S.TX,
            bits=16,
            format=I2S.MONO,
            rate=rate,
            ibuf=_BYTES,
        )

    return I2SSpeaker(open_i2s, amplifier)
