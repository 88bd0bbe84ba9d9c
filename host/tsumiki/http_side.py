"""The HTTP end of the pipeline: an asyncio server whose requests are read, judged and answered with `http1`.

    side = HttpSide(responder, "127.0.0.1", 8081, token="test-token")
    await side.start()

Every byte of an answer goes through one place, so that a fault can cut, delay or replace it.
"""

import asyncio

from http1 import bearer
from http1.guard import Guard
from http1.router import Route, Router

from .http_connection import MAX_BODY, Connection
from .known_heads import KnownHeads

SSE = ("never", "accept", "always")
_METHODS = ("POST", "GET", "DELETE")


class HttpSide:
    """responder: `pipeline.Responder`.  host: str.  port: int, 0 for a free one.  path: str, of the endpoint.

    token: str, or None: nobody needs one.  sse: `never`: answers are JSON, and what would come before one is dropped;
    `accept`: an event stream where something comes before the answer, and the client takes one; `always`: every answer
    to a request is an event stream.
    hosts: names and addresses (str) of this server besides the loopback ones and `host`.  origins: web origins (str)
    that may call.  log: log(level, text).
    """

    def __init__(
        self, responder, host, port, path="/mcp", token=None, sse="accept", hosts=(), origins=(), log=None
    ):
        self.responder = responder
        self.sse = sse
        self.log = log or (lambda level, text: None)
        self.connections = set()
        self.host = host
        self.port = port
        self._listener = None
        if token is not None and bearer.normalize(token) is None:
            raise ValueError("the token is empty, or has characters that a header cannot")
        guard = Guard(token, (*hosts, host), origins, log=self.log)
        self.known_heads = KnownHeads(guard)
        mcp = Route(_METHODS, token is not None, Connection.serve_message)
        health = Route(("GET", "HEAD"), False, Connection.serve_health)
        path = "/" + path.strip("/")
        self.path = path
        self.router = Router({"/health": health, path: mcp, path.rstrip("/") + "/": mcp}, guard, MAX_BODY)

    @property
    def url(self):
        """Of the endpoint: str."""
        host = "[%s]" % self.host if ":" in self.host else self.host
        return "http://%s:%d%s" % (host, self.port, self.path)

    async def start(self):
        """Listen.  Raises OSError."""
        loop = asyncio.get_running_loop()
        self._listener = await loop.create_server(lambda: Connection(self), self.host, self.port)
        self.port = self._listener.sockets[0].getsockname()[1]

    async def close(self):
        """Stop listening, and close every connection."""
        if self._listener:
            self._listener.close()
        tasks = [c.task for c in self.connections if c.task]
        for connection in list(self.connections):
            connection.abort()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
