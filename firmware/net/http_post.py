"""A request that is no MCP: the body of its reply goes to the `answer` of the client, piece by piece as it comes.

client = HTTPClient(*parse_url(url), answer, max_body=...)
post = Post("/v1/audio/speech", {"Content-Type": "application/json"}, body)
await client.exchange(post)     # awaits `answer(piece)` before it reads on: nothing piles up here
post.outcome()
"""

from umcp.client_errors import AuthError, Busy, HttpError

_REFUSALS = {401: AuthError, 403: AuthError}
_BUSY = (429, 503)


class Post:
    """What `HTTPClient.exchange` wants of a request.

    target: str, in place of the client's own, with its query.  headers: dict of str, an object for this request only.
    body: bytes.  idempotent: bool, may be sent again where an old connection broke before anything came back.
    status: int, 0 before the head.  content_type: str, in lower case without parameters, "" if there is none.
    error: of a status that is no success; then no piece of the body goes to `answer`.
    """

    http_method = "POST"
    fields = b""
    streams = done = False
    error = None
    status = 0
    content_type = ""

    def __init__(self, target, headers, body=b"", idempotent=False):
        self.target = target
        self.headers = headers
        self.body = body
        self.idempotent = idempotent

    def outcome(self):
        """Raises HttpError, AuthError or Busy if the status was no success."""
        if self.error is not None:
            raise self.error

    def head(self, status, reason, headers):
        """For the client: the head has come."""
        self.status = status
        kind = headers.get(b"content-type") or b""
        self.content_type = "".join([chr(c) for c in kind.split(b";")[0].strip().lower() if 32 < c < 127])
        if not 200 <= status < 300:
            if status in _BUSY:
                self.error = Busy(status, reason, None)
            else:
                self.error = _REFUSALS.get(status, HttpError)(status, reason)
            self.done = True

    def feed(self, data):
        """For the client: a piece of the body."""
        return () if self.error is not None else (data,)

    def eof(self):
        """For the client: the reply is whole."""
        self.done = True

    def cut(self):
        """For the client: the connection ended inside the reply. Whether the reply was whole all the same: never."""
        return False

    def lost(self, error):
        """For the client: the connection failed. Whether that is for somebody else to judge: never."""
        return False
