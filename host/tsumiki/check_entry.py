"""The findings of one tool, resource, template or prompt of a fixture."""

from stub.generate import example
from stub.match import first
from umcp.errors import LocalError, RemoteError, Violation
from umcp.schema import load
from umcp.uri_template import UriTemplate

from .check_result import of_contents, of_messages, of_tool
from .finding import ERROR, WARNING, Finding, pointer

_ANSWERS = ("cases", "sequence", "result", "error", "times", "delayMs", "note")
_CASE = ("when", "result", "error", "sequence", "times", "delayMs", "note")
_LISTED = ("name", "title", "description", "icons", "_meta", "annotations")
_NAME = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_KNOWN = {
    "tools": (*_LISTED, *_ANSWERS, "inputSchema", "outputSchema", "execution", "validate"),
    "resources": (*_LISTED, *_ANSWERS, "uri", "mimeType", "size", "text", "blob", "contents"),
    "resourceTemplates": (*_LISTED, *_ANSWERS, "uriTemplate", "mimeType", "contents"),
    "prompts": (*_LISTED, *_ANSWERS, "arguments", "messages"),
}
_KNOWN["templates"] = _KNOWN["resourceTemplates"]
_CHECK = {"tools": of_tool, "prompts": of_messages}
# What JSON-RPC reserves: -32768 to -32000. Its own five, and MCP's two of before 2026-07-28.
_JSON_RPC = (-32700, -32600, -32601, -32602, -32603)
# An argument that takes anything: so does the tool.
_FREE = (
    "instruction",
    "instructions",
    "prompt",
    "query",
    "command",
    "input",
    "text",
    "message",
    "request",
    "task",
)
_BOUNDS = ("enum", "const", "pattern", "format", "maxLength")


def findings(entry, kind, path, strict):
    """The findings of an entry (dict).  kind: str, the list that it is in.  strict: bool, see `FX016`."""
    severity = ERROR if strict else WARNING
    for name in entry:
        if name not in _KNOWN[kind] and not name.startswith("x-"):
            # It is listed as it is: MCP may have a new one.
            yield Finding(
                "FX016", WARNING, pointer(path, name), "is no member known here; it is listed as it is"
            )
    yield from _outcomes(entry, kind, path, severity)
    if kind == "tools":
        yield from _tool(entry, path)
    elif kind in ("resourceTemplates", "templates"):
        yield from _template(entry, path)


def _outcomes(entry, kind, path, severity):
    schema = entry.get("outputSchema") if kind == "tools" else None
    if any(name in entry for name in ("result", "error", "sequence")):
        yield from _outcome(entry, kind, path, schema)
    yield from _counts(entry, path)
    cases = entry.get("cases", [])
    if not isinstance(cases, list):
        yield Finding("FX007", ERROR, path + "/cases", "must be an array")
        return
    whens = []
    for i, case in enumerate(cases):
        at = pointer(path, "cases", i)
        if not isinstance(case, dict) or not isinstance(case.get("when"), dict):
            yield Finding("FX007", ERROR, at, "a case is an object with an object `when`")
            continue
        for name in case:
            if name not in _CASE and not name.startswith("x-"):
                yield Finding("FX016", severity, pointer(at, name), "is no member of a case")
        yield from _outcome(case, kind, at, schema)
        yield from _counts(case, at)
        if kind == "tools":
            yield from _possible(case["when"], entry.get("inputSchema"), at + "/when")
        whens.append((i, case))
    yield from _unreachable(whens, path)


# A case that ends leaves its calls to the later ones.
def _unreachable(whens, path):
    lasting = []
    for i, case in whens:
        by = first([when for _, when in lasting], case["when"])
        if by >= 0:
            text = "is never reached: case %d takes all of its calls" % lasting[by][0]
            yield Finding("FX010", WARNING, pointer(path, "cases", i), text)
        if "times" not in case:
            lasting.append((i, case["when"]))


def _counts(case, path):
    for name in ("times", "delayMs"):
        value = case.get(name, 0)
        if type(value) is not int or value < 0:
            yield Finding("FX020", ERROR, pointer(path, name), "must be an integer of 0 or more")


def _outcome(case, kind, path, schema):
    if "sequence" in case:
        sequence = case["sequence"]
        if not isinstance(sequence, list) or not sequence or "result" in case or "error" in case:
            yield Finding(
                "FX008", ERROR, path, "a sequence is an array, and takes the place of result and error"
            )
            return
        for i, one in enumerate(sequence):
            at = pointer(path, "sequence", i)
            if isinstance(one, dict):
                yield from _one(one, kind, at, schema)
            else:
                yield Finding("FX008", ERROR, at, "must be an object with a result or an error")
        return
    yield from _one(case, kind, path, schema)


def _one(outcome, kind, path, schema):
    if ("result" in outcome) == ("error" in outcome):
        which = "both result and error" if "result" in outcome else "neither result nor error"
        yield Finding("FX008", ERROR, path, "there is %s" % which)
        return
    if "result" in outcome:
        yield from _CHECK.get(kind, of_contents)(outcome["result"], path + "/result", schema)
        return
    error = outcome["error"]
    is_error = isinstance(error, dict)
    if not is_error or type(error.get("code")) is not int or not isinstance(error.get("message"), str):
        yield Finding("FX009", ERROR, path + "/error", "is an object with an integer code and a message")
    elif -32768 <= error["code"] <= -32000 and error["code"] not in _JSON_RPC:
        text = "%d is reserved by JSON-RPC and MCP: a server's own codes lie outside -32768 to -32000"
        yield Finding("FX014", WARNING, path + "/error/code", text % error["code"])


# A `when` that no valid call has.
def _possible(when, schema, path):
    if not isinstance(schema, dict):
        return
    properties = schema.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    for name, value in when.items():
        if name not in properties:
            if schema.get("additionalProperties") is False:
                yield Finding("FX013", WARNING, pointer(path, name), "is no property of the inputSchema")
            continue
        if isinstance(value, (dict, list)) or not isinstance(properties[name], dict):
            continue
        try:
            load(properties[name], True).check(value, "", False)
        except Violation as e:
            yield Finding("FX013", WARNING, pointer(path, name), "no valid call has that: %s" % e.reason)
        except LocalError:
            pass  # Told of the schema.


def _tool(tool, path):
    name = tool.get("name")
    if isinstance(name, str) and name and (len(name) > 128 or any(c not in _NAME for c in name)):
        yield Finding(
            "FX015", WARNING, path + "/name", "is not of 1 to 128 of A-Z a-z 0-9 _ . -: clients may refuse it"
        )
    if not isinstance(tool.get("validate", True), bool):
        yield Finding("FX020", ERROR, path + "/validate", "must be true or false")
    schema = tool.get("inputSchema")
    if not isinstance(schema, dict) or schema.get("type") != "object":
        yield Finding("FX006", ERROR, path + "/inputSchema", 'must be a schema with "type": "object"')
    else:
        yield from _schema(schema, path + "/inputSchema")
        yield from _free_text(schema, path)
    output = tool.get("outputSchema")
    if output is not None:
        if not isinstance(output, dict) or output.get("type") != "object":
            yield Finding("FX006", ERROR, path + "/outputSchema", 'must be a schema with "type": "object"')
        else:
            yield from _schema(output, path + "/outputSchema")
            yield from _generated(tool, output, path)


def _schema(schema, path):
    try:
        load(schema, True)
    except (LocalError, RemoteError) as e:
        yield Finding("FX006", ERROR, path, str(e))


# Where no result is written, one is made.
def _generated(tool, schema, path):
    if "result" in tool or "error" in tool or "sequence" in tool:
        return
    try:
        load(schema, True).check(example(schema), "", False)
    except Violation as e:
        yield Finding(
            "FX012", WARNING, path + "/outputSchema", "a generated result would not fit: %s; write one" % e
        )
    except LocalError:
        pass  # Told above.


def _free_text(schema, path):
    required = schema.get("required")
    properties = schema.get("properties")
    if not isinstance(required, list) or len(required) != 1 or not isinstance(properties, dict):
        return
    name = required[0]
    kind = properties.get(name) if isinstance(name, str) else None
    is_free = isinstance(kind, dict) and kind.get("type") == "string" and not any(b in kind for b in _BOUNDS)
    if is_free and name.lower() in _FREE:
        text = (
            "%s takes any text and is all that the tool needs: what it does cannot be tested by its schema"
            % name
        )
        yield Finding("FX019", WARNING, pointer(path, "inputSchema", "properties", name), text)


def _template(entry, path):
    template = entry.get("uriTemplate")
    if not isinstance(template, str):
        return
    try:
        UriTemplate(template)
    except LocalError as e:
        text = "matches by what is before its first {, without variables: %s" % e
        yield Finding("FX021", WARNING, path + "/uriTemplate", text)
