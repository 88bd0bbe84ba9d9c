"""Preferences: one table of keys, types and defaults; one `config.json`, the same on every board.

A change is written to a temporary name and renamed over the old file: a power cut leaves the one or the other.
"""

import os

from umcp.codec import dumps, loads
from umcp.errors import RemoteError

# key: (type, default).
# The session key is hex: ids are sealed under it. It is made at the first start.
KEYS = {
    "mcp.token": (str, None),  # bearer token of the server, 16 characters or more
    "mcp.token_untold": (bool, False),  # the robot made it, and has not shown it with its address yet
    "mcp.session_key": (str, None),
    "net.allowed_hosts": (list, ()),  # names and addresses under which the server is reached
    "serial.mcp": (bool, True),  # MCP over USB serial too, without a token
    "wifi.names": (
        list,
        (),
    ),  # of networks, the best first; none: the robot opens an access point for its setup
    "wifi.passwords": (list, ()),  # of these, in their order; "" for an open one
    "wifi.hostname": (str, "tsumiki"),  # and <this>.local
    "stub.fixture": (str, None),  # a fixture's file: it is served in the place of the robot's own tools
    "tap.rows": (int, 0),  # GET /tap gives so many of the last messages, at most 200; 0: there is none
    "profile": (str, "full"),  # "core" saves RAM: no prompts, no page
    "clock.utc_offset_min": (int, 0),  # the robot's time less UTC, minutes: 540 in Japan
    # What the board is built with; each board's README.md has its own defaults and pins.
    "board.panel": (str, None),  # "gc9107" or "st7735s", of an AtomS3R
    "board.boost": (bool, False),  # 5 V out of a Core2's or CoreS3's ports
    "board.leds": (int, None),  # how many lights a strip has, 0-64
    "board.leds_pin": (int, None),
    "servo.enabled": (bool, False),  # nothing is sent to a servo before its owner has said so
    "servo.kind": (str, None),  # "none", "pwm", "scs0009", "xl330" or "rs30x"
    "servo.yaw_pin": (int, None),  # of servos by pulse
    "servo.pitch_pin": (int, None),
    "servo.tx_pin": (int, None),  # of serial servos
    "servo.rx_pin": (int, None),
    "servo.yaw_zero": (int, None),  # what the servo calls straight ahead, in its own counts
    "servo.pitch_zero": (int, None),
    # What the owner allows: robot/policy.py.
    "robot.tools": (list, None),  # names of the tools that are offered; None: all
    "robot.motion": (bool, True),
    "robot.volume_cap": (int, 100),  # 0-100
    "robot.quiet_from": (int, None),  # minute of the day, 0-1439: no sound from then
    "robot.quiet_until": (int, None),  # until then, perhaps over midnight
    # A server that speaks for the robot: speaking.py, net/tts.py.
    "tts.kind": (str, None),  # "voicevox", "openai" (and what speaks like it), or "none": beeps
    "tts.url": (str, None),  # up to the server's own paths: "http://192.168.0.2:50021"
    "tts.voice": (str, None),  # the number of a style of VOICEVOX, or a name
    "tts.model": (str, None),
    "tts.key": (str, None),
    "tts.format": (str, "wav"),  # or "pcm", 24 kHz mono, of a server that has no WAV
    "tts.ca": (str, None),  # file of the CA's certificate, DER, for https
    # The robot as a client: chat/companion.py, chat/servers.py. They hold from the next start on.
    "chat.provider": (str, "openai_chat"),  # or "openai_responses", "anthropic": chat/model.py
    "chat.url": (str, None),  # up to what is the provider's own, "http://192.168.0.2:11434/v1"
    "chat.model": (str, None),  # its name; None: no dialogue
    "chat.key": (str, None),
    "chat.ca": (str, None),  # file of the CA's certificate, DER: `tsumiki ca`
    "chat.system": (str, None),  # what the model is told about itself
    "chat.record": (bool, False),  # keep its decisions, for `tsumiki score`
    "servers.names": (list, ()),  # MCP servers that the robot uses
    "servers.urls": (list, ()),  # of these, in their order
    "servers.tokens": (list, ()),  # "" for none
    "servers.ca": (list, ()),  # files, as chat.ca; "" for http
    "servers.tools": (list, ()),  # what may be used, "say_message get_*"; "" for all
}

_MAX_BYTES = 4096  # of the file
_ENOENT = 2


class Preferences:
    """path: str, of the file; it need not exist.  log: log(level, text).

    on_change: called with each key that was set.
    A file that is none of ours is kept as `<path>.bad`, and the defaults hold. One that the file system does not give
    out is never written over: OSError.
    """

    on_change = None

    def __init__(self, path="config.json", log=None):
        self._path = path
        self._log = log or (lambda level, text: None)
        self._unread = None
        self._values = self._read()

    def get(self, key):
        """The value of a key of KEYS, or its default. Raises KeyError for an unknown key."""
        return self._values.get(key, KEYS[key][1])

    def set(self, key, value):
        """Keep a value; None goes back to the default.

        Raises KeyError, TypeError, OSError, or ValueError if the file would be too large, and changes nothing.
        """
        self.update({key: value})

    def update(self, changes):
        """Keep several values, all or none of them.  changes: dict. Raises as `set`."""
        values = dict(self._values)
        for key, value in changes.items():
            if value is not None and not _fits(key, value):
                raise TypeError("%s is a %s" % (key, KEYS[key][0].__name__))
            values.pop(key, None)
            if value is not None:
                values[key] = value
        self._write(values)
        self._values = values
        if self.on_change is not None:
            for key in changes:
                self.on_change(key)

    def _write(self, values):
        raw = dumps(values)
        if len(raw) > _MAX_BYTES:
            raise ValueError("the preferences may have %d bytes" % _MAX_BYTES)
        if self._unread is not None:
            raise self._unread
        temporary = self._path + ".new"
        with open(temporary, "wb") as f:
            f.write(raw)
        os.rename(temporary, self._path)

    def _read(self):
        try:
            with open(self._path, "rb") as f:
                raw = f.read(_MAX_BYTES)
        except OSError as e:
            if e.errno != _ENOENT:
                self._unread = e  # There is one, with all that its owner has set.
                self._log("error", "%s cannot be read: %s; nothing is kept" % (self._path, e))
            return {}
        try:
            # Some editors begin a file with a mark that is no JSON.
            return self._known(loads(raw, 3 if raw.startswith(b"\xef\xbb\xbf") else 0))
        except (RemoteError, AttributeError):
            self._log("error", "%s cannot be read: it is kept as %s.bad" % (self._path, self._path))
        try:
            os.rename(self._path, self._path + ".bad")
        except OSError as e:
            self._log("error", "%s cannot be kept: %s" % (self._path, e))
        return {}

    def _known(self, values):
        known = {}
        for key, value in values.items():
            if key in KEYS and _fits(key, value):
                known[key] = value
            else:
                self._log("warning", "preference %s is ignored: unknown, or of the wrong type" % key)
        return known


# A list is one of strings.
def _fits(key, value):
    return isinstance(value, KEYS[key][0]) and (
        not isinstance(value, list) or all([isinstance(member, str) for member in value])
    )
