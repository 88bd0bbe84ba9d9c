"""A new bearer token, for a server that has none."""

import os
from binascii import b2a_base64


def new_token():
    """A token of 128 random bits: str, 22 characters of A-Z a-z 0-9 - _."""
    raw = b2a_base64(os.urandom(16)).rstrip(b"=\n")
    return raw.replace(b"+", b"-").replace(b"/", b"_").decode()
