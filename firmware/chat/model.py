"""One question to a provider's model, and its answer, over HTTP.

    model = Model("openai_chat", "qwen3", url="http://192.168.0.2:11434/v1")
    answer = await model.ask("You are a robot.", [("user", "Hello")], tools)

A provider is a module beside this one: what it sends and what it takes. A stream is asked for, because then no more
than one of its events is in memory; a reply in one piece is taken as well.
"""

from micropython import const

from http1.errors import HTTPError
from net.http_post import HTTPPost
from umcp import codec
from umcp.client_errors import ClientError, ConfigError, RequestTimeout, TooLarge
from umcp.errors import RemoteError

from .answer import Answer
from .errors import ModelError

PROVIDERS = ("openai_chat", "openai_responses", "anthropic")

_MAX_BODY = const(32768)  # of a reply that is no stream
_MAX_FAULT = const(2048)  # bytes of an error's body
_MAX_SAID = const(200)  # characters of what it says
_REASONS = {400: "bad_request", 401: "refused", 403: "refused", 404: "bad_request", 413: "too_large"}
_BUSY = (429, 503, 529)
# A model on a small machine reads a long request for a minute before it says a word.
_IDLE_MS = const(90000)
_TOTAL_MS = const(240000)


class Model:
    """provider: str, of PROVIDERS.  name: str, of the model.  url: str, up to the provider's own path, or None.

    key: str, or None.  ca: bytes, DER, for https.  idle_ms, total_ms, rest: see `net.http_post.HTTPPost`.
    has_date: function, bool, the clock is set, which TLS needs.
    Raises ConfigError.
    """

    def __init__(
        self,
        provider,
        name,
        url=None,
        key=None,
        ca=None,
        has_date=None,
        idle_ms=_IDLE_MS,
        total_ms=_TOTAL_MS,
        rest=None,
    ):
        if provider not in PROVIDERS:
            raise ConfigError("chat.provider is one of " + ", ".join(PROVIDERS))
        if key is not None and not all(["!" <= c <= "~" for c in key]):
            raise ConfigError("chat.key: visible ASCII only")
        self._wire = wire = _wire(provider)
        url = url or wire.URL
        if url.endswith("/"):
            url = url[:-1]
        self.name = name
        self._key = key
        self._has_date = has_date if url[:5].lower() == "https" else None
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream, application/json"}
        headers.update(wire.headers(key))
        self._post = HTTPPost(url + wire.PATH, headers, ca, idle_ms, total_ms, _MAX_BODY, rest)

    async def ask(self, system, messages, tools):
        """An `Answer`.  system: str.  messages: see `messages`.  tools: list of `ChatTool`.  Raises ModelError."""
        if self._has_date is not None and not self._has_date():
            raise ModelError("no_clock", "the clock is not set, and TLS needs the date")
        taker = _Taker(self._wire)
        try:
            await self._post.send(lambda: self._wire.pieces(self.name, system, messages, tools), taker)
            return taker.finished()
        except ModelError as e:
            reason, text = e.reason, e.text
        except RequestTimeout as e:
            reason, text = "timeout", str(e)
        except TooLarge as e:
            reason, text = "too_large", str(e)
        except ClientError as e:
            reason, text = "broken" if taker.status else "unreachable", str(e)
        raise ModelError(reason, self._hidden(text))

    def close(self):
        """Keep no connection: over TLS one takes 40 KB and more."""
        self._post.drop()

    # Some servers repeat the key that they do not take.
    def _hidden(self, said):
        if self._key:
            said = said.replace(self._key, "***")
        return said[:_MAX_SAID]


# Named one by one, so that a packer sees what is needed.
def _wire(provider):
    if provider == "anthropic":
        from . import anthropic as wire
    elif provider == "openai_responses":
        from . import openai_responses as wire
    else:
        from . import openai_chat as wire
    return wire


class _Taker:
    """Takes a reply into an `Answer`: see `net.http_post`."""

    status = 0
    _events = None
    _whole = False

    def __init__(self, wire):
        self._wire = wire
        self._answer = Answer()
        self._body = bytearray()

    # What comes behind the end of an answer is not waited for.
    @property
    def done(self):
        return self._whole or self._answer.ended

    def head(self, status, reason, fields):
        self.status = status
        self._reason = reason
        kind = fields.get(b"content-type") or b""
        if status == 200 and kind.lower().startswith(b"text/event-stream"):
            from .events import Events

            self._events = Events(self._wire.WANTED)
        return self._events is not None

    def feed(self, data):
        if self._events is None:
            if self.status == 200 or len(self._body) < _MAX_FAULT:
                self._body.extend(data)
            return
        try:
            for kind, document in self._events.feed(data):
                self._event(kind, document)
        except HTTPError as e:
            raise ModelError("too_large", e.reason)

    def eof(self):
        self._whole = True

    def finished(self):
        if self.status != 200:
            raise ModelError(self._why(), self._fault())
        if self._events is None:
            self._wire.whole(self._answer, _object(self._body))
        if not self._answer.ended:
            raise ModelError("broken", "the answer ended early")
        return self._answer

    def _event(self, kind, document):
        if not self._answer.ended:
            value = document if document in (b"", b"[DONE]") else _object(document)
            self._wire.event(self._answer, kind, value)

    def _why(self):
        if self.status in _BUSY:
            return "busy"
        return _REASONS.get(self.status, "server_error" if self.status >= 500 else "bad_request")

    def _fault(self):
        try:
            said = self._wire.fault(_object(self._body))
        except ModelError:
            said = ""
        return "%d %s" % (self.status, said or self._reason)


def _object(raw):
    try:
        value = codec.loads(raw)
    except RemoteError:
        value = None
    if not isinstance(value, dict):
        raise ModelError("malformed", "what came is no JSON object")
    return value
