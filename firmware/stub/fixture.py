"""A fixture: what a server offers and answers, as one JSON document (mcpstub/v1, tsumiki/fixture-v1).

    fixture = Fixture(load(raw))
    server = StubServer(fixture)               # stub.server

`tsumiki check` finds more than is refused here: only what cannot be served.
"""

from umcp.codec import loads

from .answers import FixtureError
from .offered import StubPrompt, StubResource, StubTemplate, StubTool

MCPSTUB = "mcpstub/v1"
FIXTURE = "tsumiki/fixture-v1"
MARKERS = (MCPSTUB, FIXTURE)

_MAX_VALUES = 65535


def load(raw):
    """The document in bytes.  Raises RemoteError for what is no JSON, or nested too deep."""
    return loads(raw, 0, len(raw), _MAX_VALUES)


def lists(document):
    """The four lists of a document: dict of MCP's names.  `templates` is another name of `resourceTemplates`."""
    templates = document.get("resourceTemplates", document.get("templates", []))
    return {
        "tools": document.get("tools", []),
        "resources": document.get("resources", []),
        "resourceTemplates": templates,
        "prompts": document.get("prompts", []),
    }


class Fixture:
    """document: dict.  validate: bool, check arguments by the announced schemas; a tool may say otherwise.

    sleep_ms: function(ms) that gives an awaitable, for answers with a delay, or None: they come at once.

    name, version, instructions: str or None.  about: dict, the rest of the identity.  tools, resources, templates,
    prompts: lists of `stub.offered`.  protocol, http, cache: dicts, as in the document.  origin: of the last answer:
    the index of a case, "default", "generated" or "invalid" (its arguments).  fixed: bool, so it will be next time.
    Raises FixtureError.
    """

    def __init__(self, document, validate=False, sleep_ms=None):
        if type(document) is not dict or document.get("schema") not in MARKERS:
            raise FixtureError("/schema", "must be one of " + ", ".join(MARKERS))
        self.sleep_ms = sleep_ms
        self.validate = validate
        self.origin = None
        self.fixed = True
        identity = _object(document, "server")
        self.name = identity.get("name") or "stub"
        self.version = identity.get("version") or "0"
        if type(self.name) is not str or type(self.version) is not str:
            raise FixtureError("/server", "name and version are strings")
        self.about = {k: v for k, v in identity.items() if not k.startswith("x-")}
        self.instructions = document.get("instructions")
        self.protocol = _object(document, "protocol")
        self.http = _object(document, "http")
        self.cache = _object(document, "cache")
        found = lists(document)
        self.tools = _all(found, "tools", lambda one, path: StubTool(self, one, path, validate))
        self.resources = _all(found, "resources", lambda one, path: StubResource(self, one, path))
        self.templates = _all(found, "resourceTemplates", lambda one, path: StubTemplate(self, one, path))
        self.prompts = _all(found, "prompts", lambda one, path: StubPrompt(self, one, path))


def _object(document, name):
    value = document.get(name, {})
    if type(value) is not dict:
        raise FixtureError("/" + name, "must be an object")
    return value


def _all(found, name, make):
    entries = found[name]
    if type(entries) is not list:
        raise FixtureError("/" + name, "must be an array")
    made = []
    keys = set()
    for i, entry in enumerate(entries):
        path = "/%s/%d" % (name, i)
        one = make(entry, path)
        if one.key in keys:
            raise FixtureError(path, "%s is there already" % one.key)
        keys.add(one.key)
        made.append(one)
    return made
