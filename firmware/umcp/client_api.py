"""The methods that every client has, whatever carries its messages."""

from .client import ClientSession


class Client:
    """Over `_run(flow, timeout_ms)`, which a subclass has, and which makes the result of each method awaitable or not.

    Each method raises ClientError (client_errors); after any of them the next call works.
    """

    def _begin(self, *args, **kwargs):
        self._session = ClientSession(*args, **kwargs)

    @property
    def era(self):
        """ "legacy", "modern" or None: what is known of the server, to be given to another client of it as `era`."""
        return self._session.era

    @property
    def protocol_version(self):
        """str, or None before `initialize`."""
        return self._session.protocol_version

    def is_initialized(self):
        return self._session.initialized

    def reset(self):
        """Forget the session without a word to the server."""
        self._session.reset()

    # These are awaitable without being coroutines: one frame less per call.

    def initialize(self, timeout_ms=None):
        """Open the session; the server's result (dict), of `initialize` or of `server/discover`.

        Raises AlreadyInitialized, UnsupportedVersion.
        """
        return self._run(self._session.initialize(), timeout_ms)

    def list_tools(self, timeout_ms=None):
        """A list of dicts, of all pages.  Raises LimitError."""
        return self._run(self._session.list_tools(), timeout_ms)

    def call_tool(self, name, arguments=None, timeout_ms=None, raise_errors=True):
        """The result (dict).

        arguments: dict or None.  Raises ToolFailed for `isError: true`, or returns it with raise_errors=False.
        SessionLost: the session is new, and the tool was not called.
        """
        return self._run(self._session.call_tool(name, arguments, raise_errors), timeout_ms)

    def list_resources(self, timeout_ms=None):
        """A list of dicts, of all pages.  Raises LimitError."""
        return self._feature("list_resources", timeout_ms)

    def list_resource_templates(self, timeout_ms=None):
        """A list of dicts, of all pages.  Raises LimitError."""
        return self._feature("list_resource_templates", timeout_ms)

    def read_resource(self, uri, timeout_ms=None):
        """A list of contents (dicts with `uri`, and `text` or `blob`).  Raises NotFound."""
        return self._feature("read_resource", timeout_ms, uri)

    def subscribe(self, uri, timeout_ms=None):
        """Have on_change called when the resource changes; in the modern era from the next `listen` on."""
        return self._feature("subscribe", timeout_ms, uri)

    def unsubscribe(self, uri, timeout_ms=None):
        return self._feature("unsubscribe", timeout_ms, uri)

    def list_prompts(self, timeout_ms=None):
        """A list of dicts, of all pages.  Raises LimitError."""
        return self._feature("list_prompts", timeout_ms)

    def get_prompt(self, name, arguments=None, timeout_ms=None):
        """The result (dict with `messages`).  arguments: dict of str to str, or None."""
        return self._feature("get_prompt", timeout_ms, name, arguments)

    def complete(self, ref, name, value, context=None, timeout_ms=None):
        """The completion (dict with `values`, a list of str).

        ref: dict, {"type": "ref/prompt", "name": N} or {"type": "ref/resource", "uri": U}.  name, value: str, of the
        argument to complete.  context: dict of str to str, the arguments that are known, or None.
        """
        return self._feature("complete", timeout_ms, ref, name, value, context)

    def set_log_level(self, level, timeout_ms=None):
        """From which level on the server's messages come to on_log: str, "debug" to "emergency"."""
        return self._feature("set_log_level", timeout_ms, level)

    def _feature(self, name, timeout_ms, *args):
        from . import client_methods  # late (RAM): most clients only call tools

        return self._run(getattr(client_methods, name)(self._session, *args), timeout_ms)
