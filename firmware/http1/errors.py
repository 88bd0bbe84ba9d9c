"""What the HTTP layer raises: the message at hand cannot be served or read."""


class HTTPError(Exception):
    """The peer's message breaks HTTP/1.1, or a limit or a guard refuses it.

    status: int, what a server answers.  reason: str, one sentence for the body and the log; never a header's value.
    close: bool, True if the connection cannot be read any further.
    headers: bytes, further header lines of the answer, each with CR LF.
    """

    def __init__(self, status, reason="", close=False, headers=b""):
        super().__init__("%d %s" % (status, reason))
        self.status = status
        self.reason = reason
        self.close = close
        self.headers = headers
