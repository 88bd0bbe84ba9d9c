"""The tools, resources, templates and prompts of a fixture, as a server offers them.

Each entry is listed as the fixture has it, without what is the fixture's own: cases, results, notes and `x-*`.
"""

from umcp.codec import dumps, dumps_text
from umcp.errors import INVALID_PARAMS, RemoteError, Violation
from umcp.rpc import ARGUMENTS, NAME, URI
from umcp.version import MODERN

from .answers import Answers, FixtureError
from .canon import canon

# What an entry has beside what is listed.
OWN = (
    "cases",
    "sequence",
    "result",
    "error",
    "times",
    "delayMs",
    "validate",
    "note",
    "messages",
    "contents",
    "text",
    "blob",
)
_NOT_FOUND = -32002  # before 2026-07-28, which forbids it (resources: error handling)


class Entry:
    """One of them.  fixture: its `Fixture`.  entry: dict.  path: str, its JSON pointer.  answers: its `Answers`.

    headers: see `Tool`.  Raises FixtureError.
    """

    headers = ()

    def __init__(self, fixture, entry, path, key, needs):
        if type(entry) is not dict or type(entry.get(key)) is not str or not entry[key]:
            raise FixtureError(path, "is an object with a %s" % key)
        self._fixture = fixture
        self._entry = entry
        self.key = entry[key]
        self.answers = Answers(entry, path, needs, self.generated)

    def listed(self):
        """Its place in the list, as JSON bytes."""
        return dumps({k: v for k, v in self._entry.items() if k not in OWN and not k.startswith("x-")})

    def answered(self, arguments, version):
        """The members of a result as bytes, or an awaitable of them.  Raises RemoteError."""
        answers = self.answers
        try:
            raw = answers.find(arguments, version)
        except RemoteError as e:
            if answers.delay_ms and self._fixture.sleep_ms:
                return self._later(answers.delay_ms, e)
            raise
        finally:
            self._fixture.origin = answers.origin
            self._fixture.fixed = answers.fixed and not self.headers
        return self._later(answers.delay_ms, raw) if answers.delay_ms and self._fixture.sleep_ms else raw

    async def _later(self, ms, outcome):
        await self._fixture.sleep_ms(ms)
        if type(outcome) is not bytes:
            raise outcome
        return outcome

    def _words(self, arguments):
        return "stub %s %s" % (self.key, canon(arguments).decode())


class StubTool(Entry):
    """A tool: see `umcp.tool.Tool`, which it stands for."""

    title = annotations = time_ms = None
    context = False

    def __init__(self, fixture, entry, path, validate):
        super().__init__(fixture, entry, path, "name", "content")
        self.name = self.key
        self.input = self  # whose `schema` x-mcp-header is read from
        self._type = None
        self._validate = entry.get("validate", validate)

    def schema(self):
        """Its inputSchema: dict."""
        schema = self._entry.get("inputSchema")
        return schema if type(schema) is dict else {"type": "object"}

    def run(self, arguments, host, version=MODERN, context=None):
        """See `Tool`."""
        if self._validate:
            refused = self._refused(arguments)
            if refused is not None:
                self._fixture.origin = "invalid"
                return refused
        return self.answered(arguments, version)

    def _refused(self, arguments):
        if self._type is None:
            from umcp.schema import load  # late (RAM): most fixtures do not validate

            self._type = load(self.schema(), True)
        try:
            self._type.check(arguments, "", False)
        except Violation as e:
            return dumps_text(
                "invalid_arguments: %s" % e, b'"content":[{"type":"text","text":', b'}],"isError":true'
            )
        return None

    def generated(self, arguments):
        """The result without a case: it tells the name and the arguments, and conforms to the outputSchema."""
        result = {"content": [{"type": "text", "text": self._words(arguments)}]}
        if type(self._entry.get("outputSchema")) is dict:
            from .generate import example  # late (RAM): most tools have none

            result["structuredContent"] = example(self._entry["outputSchema"])
        return result


class StubPrompt(Entry):
    """A prompt; `messages` is short for a result of those."""

    def __init__(self, fixture, entry, path):
        super().__init__(fixture, _short(entry, "messages", "messages"), path, "name", "messages")

    def generated(self, arguments):
        """One message of the user's, which tells the name and the arguments."""
        content = {"type": "text", "text": self._words(arguments)}
        result = {"messages": [{"role": "user", "content": content}]}
        if type(self._entry.get("description")) is str:
            result["description"] = self._entry["description"]
        return result

    def missing(self, arguments):
        """The name of a required argument that is not there, or None."""
        listed = self._entry.get("arguments")
        for one in listed if type(listed) is list else ():
            if type(one) is dict and one.get("required") is True and one.get("name") not in arguments:
                return one.get("name")
        return None


class StubResource(Entry):
    """A resource; `text`, `blob` and `contents` are short for a result of those."""

    def __init__(self, fixture, entry, path, key="uri"):
        super().__init__(fixture, _contents(entry, key), path, key, "contents")
        self._uri = self.key

    def generated(self, arguments):
        """One text, which tells the URI."""
        content = {"uri": self._uri, "text": "stub " + self._uri}
        if type(self._entry.get("mimeType")) is str:
            content["mimeType"] = self._entry["mimeType"]
        return {"contents": [content]}


class StubTemplate(StubResource):
    """A template of resources: its cases match the variables of the URI, where it is of level 1 of RFC 6570."""

    def __init__(self, fixture, entry, path):
        super().__init__(fixture, entry, path, "uriTemplate")
        from .templates import matcher  # late (RAM): few fixtures have templates

        self._match = matcher(self.key)

    def match(self, uri):
        """The variables (dict) of a URI in bytes, or None if it is none of the template's."""
        values = self._match(uri)
        if values is not None:
            self._uri = uri.decode()
        return values


def _short(entry, name, member):
    if type(entry) is not dict or name not in entry:
        return entry
    long = entry.copy()
    long["result"] = {member: long.pop(name)}
    return long


def _contents(entry, key):
    for name in ("text", "blob") if type(entry) is dict and key == "uri" else ():
        if name in entry:
            content = {"uri": entry.get("uri"), name: entry[name]}
            if "mimeType" in entry:
                content["mimeType"] = entry["mimeType"]
            return _short(dict(entry, contents=[content]), "contents", "contents")
    return _short(entry, "contents", "contents")


def read(resources, templates, message, session):
    """`resources/read`: see `umcp.server`.  resources, templates: `Pages`."""
    uri = message.text(URI)
    if uri is None:
        raise RemoteError(INVALID_PARAMS, "resources/read needs a uri")
    found = resources.get(uri)
    if found is not None:
        return found.answered({}, session.version)
    for template in templates.all():
        values = template.match(uri)
        if values is not None:
            return template.answered(values, session.version)
    code = INVALID_PARAMS if session.modern else _NOT_FOUND
    raise RemoteError(code, "Resource not found", {"uri": uri.decode()})


def get(prompts, validate, message, session):
    """`prompts/get`: see `umcp.server`.  prompts: `Pages`.  validate: bool, a required argument must be there."""
    name = message.text(NAME)
    arguments = message.object(ARGUMENTS)
    if name is None or arguments is None:
        raise RemoteError(INVALID_PARAMS, "prompts/get needs a name and an object of arguments")
    prompt = prompts.get(name)
    if prompt is None:
        raise RemoteError(INVALID_PARAMS, "Unknown prompt: %s" % name.decode()[:64])
    missing = prompt.missing(arguments) if validate else None
    if missing:
        raise RemoteError(INVALID_PARAMS, "Missing required argument: " + missing)
    return prompt.answered(arguments, session.version)
