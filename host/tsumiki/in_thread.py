"""A server of the test kit in a thread of this process, for tests: an `HttpSide` on a free port of 127.0.0.1.

with Running(responder) as server:
    client.connect(server.url)
    assert server.calls[0]["tool"] == "get_weather"
"""

import asyncio
import threading

from .call_log import Calls
from .http_side import HttpSide

_SECONDS = 10


class Running:
    """responder: `pipeline.Responder`.  token: str or None, what clients must bear.  sse: as of `HttpSide`.

    url: str, of the endpoint.  headers: dict, what a client sends with each request.  calls: list of dict, a row a
    tools/call as in the call log.
    """

    def __init__(self, responder, token=None, sse="accept"):
        self.calls = []
        self.headers = {} if token is None else {"Authorization": "Bearer " + token}
        self._responder = Calls(responder, self.calls.append)
        self._side = HttpSide(self._responder, "127.0.0.1", 0, token=token, sse=sse)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="tsumiki", daemon=True)
        self._thread.start()
        self._do(self._side.start())
        self.url = self._side.url

    def close(self):
        """Stop serving, and close the responder."""
        if self._loop.is_closed():
            return
        self._do(self._side.close())
        self._do(self._responder.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_SECONDS)
        self._loop.close()

    def _do(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(_SECONDS)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
