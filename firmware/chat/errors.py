"""What ends a turn of the dialogue."""


class ModelError(Exception):
    """The model has not answered.  reason: str, short and lower case.  text: str, more of it, for people.

    `unreachable`, `timeout`, `refused` (the key), `busy` (too many requests), `bad_request`, `server_error`,
    `malformed`, `broken` (the stream ended early), `too_large`, `no_clock` (TLS needs the date).
    """

    def __init__(self, reason, text=""):
        super().__init__("%s: %s" % (reason, text) if text else reason)
        self.reason = reason
        self.text = text
