"""Speech servers: a text goes out, and sound comes back in pieces, as fast as it is taken.

    server = SpeechServer("voicevox", "http://192.168.0.2:50021", voice="3")
    await server.say("...", sink)
    server.drop()

A sink has `part(rate, left)`, called before each reply's sound: rate: int, of raw PCM, or None: a WAV file follows;
left: int, how many characters are not in it or before it; `take(data)`, a coroutine: when it has returned, more is
read; and `whole`, True when it wants no more of this reply.

VOICEVOX: POST /audio_query makes a query of a text, POST /synthesis a WAV file of the query (hardware.md 6). OpenAI's
API, which local servers speak too: POST /audio/speech, `response_format` wav, or pcm (24 kHz, 16 bits, mono).
"""

from array import array

from micropython import const

from http1.url import parse_url
from umcp import codec
from umcp.client_errors import AuthError, Busy, ConfigError, HttpError, Malformed, TooLarge, WrongContentType

from .http_post import HTTPPost

_RATE = b"16000"  # that VOICEVOX is asked for
_PCM_RATE = const(24000)
_IDLE_MS = const(30000)  # Who makes speech on a slow computer sends nothing until it is whole.
_TOTAL_MS = const(240000)
_MAX_SOUND = const(12000000)  # bytes: 2 minutes at 48 kHz
_MAX_QUERY = const(49152)
_PART = const(100)  # characters of a query, which takes about 300 bytes for each
_REFUSALS = {401: AuthError, 403: AuthError}
_BUSY = (429, 503)
_WAV = ("audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave")
_RAW = ("audio/pcm", "application/octet-stream", "")
# Where a part may end, the better first: behind a sentence, a clause, a word.
_STOPS = (
    ("\u3002", "\uff01", "\uff1f", ". ", "! ", "? ", "\n"),
    ("\u3001", ", ", "; ", ": "),
    (" ", "\u3000"),
)
# Members of VOICEVOX's query, and what they are set to; their names as `codec.scan` has them.
_MEMBERS = ((b"outputSamplingRate", _RATE), (b"outputStereo", b"false"))
_NAMES = b"\xff\x12outputSamplingRate\x0coutputStereo\0\0"
_MAX_VALUES = const(16384)
_OPEN = const(123)
_BRACE = const(125)


class SpeechServer:
    """kind: "voicevox" or "openai".  url: str, up to the server's own paths.

    voice: str, VOICEVOX's number of a style ("1"), or OpenAI's name ("alloy").  model: str ("tts-1").
    key: str, or None.  form: "wav" or "pcm", what an OpenAI server is asked for.  ca: bytes, DER, for https.
    rest: see `net.http_post`.  Raises ConfigError.
    """

    def __init__(self, kind, url, voice=None, model=None, key=None, form="wav", ca=None, rest=None):
        if kind not in ("voicevox", "openai"):
            raise ConfigError("tts.kind: none, voicevox or openai")
        if form not in ("wav", "pcm"):
            raise ConfigError("tts.format: wav or pcm")
        if key is not None and not all(["!" <= c <= "~" for c in key]):
            raise ConfigError("tts.key: visible ASCII only")
        if kind == "voicevox" and voice is not None and not voice.isdigit():
            raise ConfigError("tts.voice: the number of a style")
        try:
            path = parse_url(url or "")[3]
        except ValueError as e:
            raise ConfigError("tts." + str(e))
        if "?" in path:
            raise ConfigError("tts.url: no query")
        self._path = "" if path == "/" else path
        self._speaks = self._voicevox if kind == "voicevox" else self._openai
        self._voice = voice
        self._model = model
        self._form = form if kind == "openai" else "wav"
        headers = {"Content-Type": "application/json"}
        if key is not None:
            headers["Authorization"] = "Bearer " + key
        self._post = HTTPPost(url, headers, ca, _IDLE_MS, _TOTAL_MS, _MAX_SOUND, rest)

    async def say(self, text, sink):
        """Let a sink have the sound of a text. Raises ClientError, and what the sink raises."""
        await self._speaks(text, sink)

    def drop(self):
        """Close the connection; `say` opens a new one."""
        self._post.drop()

    # A query grows with its text, and a long text in parts is heard sooner.
    async def _voicevox(self, text, sink):
        style = self._voice or "1"
        while text:
            end = part_end(text)
            part, text = text[:end], text[end:]
            query = _Query()
            target = "%s/audio_query?text=%s&speaker=%s" % (self._path, quoted(part), style)
            await self._post.send((), query, target)
            sound = _Sound(sink, "wav", len(text))
            target = "%s/synthesis?speaker=%s" % (self._path, style)
            await self._post.send(query_pieces(query.body), sound, target)

    async def _openai(self, text, sink):
        body = codec.dumps(
            {
                "model": self._model or "tts-1",
                "voice": self._voice or "alloy",
                "input": text,
                "response_format": self._form,
            }
        )
        await self._post.send((body,), _Sound(sink, self._form, 0), self._path + "/audio/speech")


class _Query:
    """Takes VOICEVOX's query, which is passed on as it is but for a few members.  body: bytearray."""

    done = False

    def __init__(self):
        self.body = bytearray()

    def head(self, status, reason, fields):
        _check(status, reason)
        return False

    def feed(self, data):
        if len(self.body) + len(data) > _MAX_QUERY:
            raise TooLarge("the query has more than %d bytes" % _MAX_QUERY)
        self.body.extend(data)

    def eof(self):
        self.done = True


class _Sound:
    """Takes a reply's sound for a sink."""

    _comes = _over = False

    def __init__(self, sink, form, left):
        self._sink = sink
        self._form = form
        self._left = left
        self.take = sink.take

    # What comes behind the sound is not waited for.
    @property
    def done(self):
        return self._over or (self._comes and self._sink.whole)

    def head(self, status, reason, fields):
        _check(status, reason)
        kind = fields.get(b"content-type") or b""
        self._sink.part(raw_rate(kind.lower()) if self._form == "pcm" else None, self._left)
        self._comes = True
        return False

    def feed(self, data):
        return (data,)

    def eof(self):
        self._over = True


def _check(status, reason):
    if status in _BUSY:
        raise Busy(status, reason, None)
    if status != 200:
        raise _REFUSALS.get(status, HttpError)(status, reason)


def raw_rate(kind):
    """Samples a second of raw PCM by its content type (bytes, lower case); None for a WAV file.

    Raises WrongContentType for what is neither.
    """
    name, _, rest = "".join([chr(c) if c < 127 else "?" for c in kind if c > 32]).partition(";")
    if name in _WAV:
        return None
    if name not in _RAW:
        raise WrongContentType(name)
    for parameter in rest.split(";"):
        if parameter[:5] == "rate=" and parameter[5:].isdigit() and len(parameter) < 12:
            return int(parameter[5:])
    return _PCM_RATE


def part_end(text):
    """int: how many characters of a text are said in one: 100 at most, up to the end of a sentence if that can be."""
    if len(text) <= _PART:
        return len(text)
    for stops in _STOPS:
        end = max(
            [text.rfind(stop, 0, _PART - 1) + len(stop) for stop in stops if stop in text[: _PART - 1]]
            or (0,)
        )
        if end:
            return end
    return _PART


def quoted(text):
    """A text as it stands in a URL's query: UTF-8, all but letters, digits and `-._~` as %XX."""
    found = bytearray()
    for c in text.encode():
        if 48 <= c <= 57 or 65 <= c <= 90 or 97 <= c <= 122 or c in b"-._~":
            found.append(c)
        else:
            found.extend(b"%%%02X" % c)
    return found.decode()


def query_pieces(query):
    """VOICEVOX's query with our rate, and mono: list of pieces, none of them a copy.

    query: bytearray, a JSON object; it is scanned, and not built.  Raises Malformed if it is something else.
    """
    size = len(query)
    spans = array("H", bytes(6 * len(_MEMBERS)))
    if codec.scan(query, 0, size, codec.MAX_DEPTH | _MAX_VALUES << 8, _NAMES, spans):
        raise Malformed("the query is no JSON")
    cuts = []
    more = b""
    for i, (name, value) in enumerate(_MEMBERS):
        if spans[3 * i + 2]:
            cuts.append((spans[3 * i], spans[3 * i + 1], value))
        else:
            more += b',"%s":%s' % (name, value)
    end = _last(query, size)
    if query[end] != _BRACE or (more and query[_last(query, end)] == _OPEN):
        raise Malformed("the query has no members")
    cuts.append((end, size, more + b"}"))
    view = memoryview(query)
    pieces = []
    at = 0
    for start, stop, value in sorted(cuts):
        pieces.append(view[at:start])
        pieces.append(value)
        at = stop
    return pieces


# The place of the last byte before one that is no white space.
def _last(query, at):
    at -= 1
    while query[at] in b" \t\r\n":
        at -= 1
    return at
