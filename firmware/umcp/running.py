"""The calls that are running and can be cancelled by their ids (MCP 2025-11-25, cancellation)."""

from .codec import dumps, loads


class Call:
    """owner: whose request it is, see `umcp.peer`.  id: bytes, of the request, as it came.  cancelled: bool."""

    def __init__(self, owner, id_, task):
        self.key = (owner, id_)
        self.task = task
        self.cancelled = False


class Running:
    """server: `umcp.server.Server`, whose runtime tells the task to cancel."""

    def __init__(self, server):
        self._runtime = server.runtime
        self._calls = {}

    def enter(self, owner, id_):
        """The current task answers this request from now on: a `Call`."""
        if b"\\" in id_:
            id_ = dumps(loads(id_))  # The cancellation may write it without the escape.
        call = self._calls[owner, id_] = Call(owner, id_, self._runtime.current_task())
        return call

    def leave(self, call):
        """The request is answered."""
        if self._calls.get(call.key) is call:
            del self._calls[call.key]

    def cancel(self, owner, id_):
        """Cancel the owner's request; id_: JSON value. One that is unknown, or that is over, is ignored."""
        if type(id_) not in (int, str):
            return
        call = self._calls.get((owner, dumps(id_)))
        if call is not None and not call.cancelled:
            call.cancelled = True
            call.task.cancel()
