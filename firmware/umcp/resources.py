"""Resources: what a client may read, by its URI (MCP: server features, resources).

    resources = Resources(server)
    resources.add(Resource("robot://log", "log", read_log, "What happened last.", "text/plain"))
    resources.add_template(ResourceTemplate("robot://servo/{id}", "servo", lambda values: state(values["id"])))

`read` returns text or bytes, or None if there is no such resource after all.
"""

from .content import entry, put, resource, too_large
from .errors import INVALID_PARAMS, LocalError, RemoteError
from .handlers import MAX_NAME, call, check_calls, check_text
from .pages import Pages
from .rpc import URI

try:
    from micropython import const
except ImportError:
    const = int

MAX_URI = 2048  # bytes; also of what a client asks for
MAX_TEMPLATE = 512  # bytes
_NOT_FOUND = const(-32002)  # before 2026-07-28, which forbids it (resources: error handling)


class Resource:
    """uri: str, 1 to 2,048 bytes, with a scheme.  name: str, 1 to 128 bytes.  read: called without arguments.

    description: str.  mime_type, title: str or None.  annotations: dict or None.  icons: list of dicts or None.
    size: int, bytes, or None.  context: bool; True for a coroutine that talks to its client: its first argument is
    a `umcp.context.Context`.
    Raises LocalError for what clients would refuse.
    """

    variables = ()

    def __init__(
        self,
        uri,
        name,
        read,
        description="",
        mime_type=None,
        title=None,
        annotations=None,
        icons=None,
        size=None,
        context=False,
    ):
        _check(uri, MAX_URI, name, read)
        self.uri = uri
        self.name = name
        self.read = read
        self.mime_type = mime_type
        self.context = context
        self._more = (description, mime_type, title, annotations, icons, size)

    def listed(self):
        """The entry of resources/list, as JSON bytes."""
        return entry({"uri": self.uri, "name": self.name}, *self._more)


class ResourceTemplate:
    """uri_template: str, 1 to 512 bytes, of RFC 6570 level 1: see `umcp.uri_template`.  name: str, 1 to 128 bytes.

    read: called with one dict of str, the variables of the URI. Each is what the client wrote, percent-decoded: it may
    hold any character, so look at it before it names a file.
    complete: dict of a variable's name -> a function as of `umcp.prompts.Argument`, or None.
    The others are those of `Resource`. Raises LocalError.
    """

    def __init__(
        self,
        uri_template,
        name,
        read,
        description="",
        mime_type=None,
        title=None,
        annotations=None,
        icons=None,
        complete=None,
        context=False,
    ):
        from .uri_template import UriTemplate  # late (RAM): few servers have templates

        _check(uri_template, MAX_TEMPLATE, name, read)
        template = UriTemplate(uri_template)
        self.complete = complete or {}
        check_calls("a template completes with", *self.complete.values())
        if not all([variable in template.names for variable in self.complete]):
            raise LocalError("complete has a name that is no variable of " + uri_template)
        self.uri_template = uri_template
        self.name = name
        self.read = read
        self.match = template.match
        self.variables = template.names
        self.mime_type = mime_type
        self.context = context
        self._more = (description, mime_type, title, annotations, icons)

    def listed(self):
        """The entry of resources/templates/list, as JSON bytes."""
        return entry({"uriTemplate": self.uri_template, "name": self.name}, *self._more)


class Resources:
    """The resources of a server.  server: `umcp.server.Server`.

    methods: dict of bytes -> function(message, session, peer): see `umcp.server`.
    """

    def __init__(self, server):
        self._server = server
        self._resources = Pages("resources", server.max_result)
        self._templates = Pages("resourceTemplates", server.max_result)
        self.methods = {
            b"resources/list": self._resources.list,
            b"resources/templates/list": self._templates.list,
            b"resources/read": self._read,
        }

    def add(self, resource):
        """Offer a `Resource`; it takes the place of one of its URI. Raises LocalError if its entry is too large."""
        self._add(self._resources, resource.uri, resource)

    def add_template(self, template):
        """The same for a `ResourceTemplate`. Of several that fit a URI, the one that was added first is read."""
        self._add(self._templates, template.uri_template, template)

    def _add(self, pages, key, one):
        pages.add(key.encode(), one)
        if one.context:
            self._server.use("levels")
        self._server.changed("resources")

    def remove(self, uri):
        """Withdraw the resource of that URI, or the template written like that; True if there was one."""
        key = uri.encode()
        if not self._resources.remove(key) and not self._templates.remove(key):
            return False
        self._server.changed("resources")
        return True

    def get(self, uri):
        """The `Resource` of that URI, or the `ResourceTemplate` written like that, or None."""
        return self._resources.get(uri.encode()) or self._templates.get(uri.encode())

    def find(self, uri):
        """(Resource or ResourceTemplate, its `read`'s arguments) for a URI in bytes, or None if there is none."""
        if len(uri) > MAX_URI:
            return None
        found = self._resources.get(uri)
        if found is not None:
            return found, ()
        for template in self._templates.all():
            values = template.match(uri)
            if values is not None:
                return template, (values,)
        return None

    def _read(self, message, session, peer):
        uri = message.text(URI)
        if uri is None or len(uri) > MAX_URI:
            raise RemoteError(INVALID_PARAMS, "resources/read needs a uri of at most %d bytes" % MAX_URI)
        one, arguments = self.find(uri) or (None, None)
        if one is None:
            raise _unknown(uri, session)
        return call(
            self._server,
            "resource " + one.name,
            one.read,
            arguments,
            lambda value: _contents(uri, value, one.mime_type, session, self._server.max_result),
            self._server.context(message, session, peer) if one.context else None,
        )


def _contents(uri, value, mime_type, session, limit):
    if value is None:
        raise _unknown(uri, session)
    if type(value) is str and len(value) > limit:
        raise too_large(len(value), limit)
    parts = [b'"contents":[']
    put(parts, resource(uri.decode(), value, mime_type), session.version, len(parts[0]) + 1, limit)
    parts.append(b"]")
    return b"".join(parts)


def _unknown(uri, session):
    code = INVALID_PARAMS if session.modern else _NOT_FOUND
    return RemoteError(code, "Resource not found", {"uri": uri.decode()})


def _check(uri, most, name, read):
    check_text("a resource's URI", uri, most)
    check_text("a resource's name", name, MAX_NAME)
    check_calls("a resource reads with", read)
    scheme = uri.find(":")
    if scheme < 1 or " " in uri or "/" in uri[:scheme]:
        raise LocalError("a URI begins with a scheme, and has no spaces: %r" % uri)
