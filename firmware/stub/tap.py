"""What a robot and its clients say, as the rows of a cassette: a bounded ring in memory, without secrets.

    tap = Tap(64)
    tap.add("c2s", b'{"jsonrpc":"2.0",...}')
    tap.text()                       # NDJSON, bytes

A row is `{"direction":"c2s","raw":"<the message>"}`; one that something was taken out of is written anew, and has
`"redacted"`: the JSON pointers of it, so that a replay does not compare them (facts of the cassette: docs/testkit.md).
"""

from umcp.codec import dumps, loads
from umcp.errors import RemoteError

try:
    from micropython import const
except ImportError:
    const = int

_MOST = const(8192)  # bytes of all rows
_LARGEST = const(4096)  # of one: a larger one is left out, and counted
_HIDDEN = "<redacted>"
# What a member's name has in it whose value is nobody's business, in lower case and without - and _.
_NAMES = (
    "token",
    "secret",
    "password",
    "passphrase",
    "apikey",
    "privatekey",
    "credential",
    "authorization",
    "cookie",
)
_HARMLESS = ("progresstoken", "maxtokens")
_WORDS = ("bearer ", "password=", "token=", "secret=")


class Tap:
    """rows: int, how many are kept at most.  left_out: int, how many were too large.

    secrets: texts that are hidden wherever they are, as the robot's own token.
    """

    def __init__(self, rows, secrets=()):
        self._most = rows
        self._secrets = [secret for secret in secrets if secret]
        self._rows = []
        self._size = 0
        self.left_out = 0

    def add(self, direction, raw):
        """Keep a message.  direction: "c2s" or "s2c".  raw: bytes."""
        if not self._most:
            return
        if len(raw) > _LARGEST:
            self.left_out += 1
            return
        row = self._row(direction, raw)
        self._rows.append(row)
        self._size += len(row)
        while len(self._rows) > self._most or self._size > _MOST:
            self._size -= len(self._rows.pop(0))

    def text(self):
        """The rows as NDJSON: bytes."""
        return b"".join(self._rows)

    def _row(self, direction, raw):
        try:
            value = loads(raw, 0, len(raw))
        except RemoteError:
            return dumps({"direction": direction, "raw": "", "left_out": "it is no JSON"}) + b"\n"
        pointers = []
        value = self._cleaned(value, "", pointers, False)
        if not pointers:
            return dumps({"direction": direction, "raw": bytes(raw).decode()}) + b"\n"
        return dumps({"direction": direction, "raw": dumps(value).decode(), "redacted": pointers}) + b"\n"

    # As deep as the codec lets anything be.
    def _cleaned(self, value, pointer, pointers, secret):
        if type(value) is dict:
            found = {}
            for name, member in value.items():
                place = "%s/%s" % (pointer, name.replace("~", "~0").replace("/", "~1"))
                # The names inside a schema are those of arguments, not of secrets.
                hide = _is_secret(name) and not pointer.endswith("/properties")
                found[name] = self._cleaned(member, place, pointers, secret or hide)
            return found
        if type(value) is list:
            return [
                self._cleaned(member, "%s/%d" % (pointer, i), pointers, secret)
                for i, member in enumerate(value)
            ]
        if value is None or type(value) is bool or (not secret and type(value) is not str):
            return value
        if secret or self._tells(value):
            pointers.append(pointer)
            return _HIDDEN
        return value

    def _tells(self, text):
        lower = text.lower()
        return any([word in lower for word in _WORDS]) or any([secret in text for secret in self._secrets])


def _is_secret(name):
    name = name.lower().replace("-", "").replace("_", "")
    return name not in _HARMLESS and any([part in name for part in _NAMES])
