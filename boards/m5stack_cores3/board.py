"""M5Stack CoreS3, also SE and Lite. Not yet run on hardware. What is inside: m5stack/cores3.py."""

from micropython import const

from m5stack.cores3 import CoreS3

# Port C: serial servos. Servos by pulse have no usual pins here.
_SERVO_TX = const(17)
_SERVO_RX = const(18)


class Board(CoreS3):
    """The ports; those of missing parts are None."""

    def __init__(self, preferences):
        super().__init__(preferences)
        if preferences.get("board.boost"):
            self.boost(self.expander)
        self.neck(_SERVO_TX, _SERVO_RX)
        self.sound()
        # Sources disagree about the pin of an M5GO Bottom3's lights: the preferences name it.
        self.lights(None, 0)
        self.listen()
