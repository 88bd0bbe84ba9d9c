"""Is a result in a fixture one that clients take?"""

from umcp.errors import LocalError, Violation
from umcp.schema import load

from .finding import ERROR, WARNING, Finding, pointer

# type of a content block -> what it must have, each a string
_BLOCKS = {
    "text": ("text",),
    "image": ("data", "mimeType"),
    "audio": ("data", "mimeType"),
    "resource_link": ("uri", "name"),
    "resource": (),
}


def of_tool(result, path, schema):
    """Findings of a CallToolResult.  schema: the tool's outputSchema, or None."""
    if not isinstance(result, dict):
        yield Finding("FX011", ERROR, path, "must be an object")
        return
    content = result.get("content")
    if not isinstance(content, list):
        severity = WARNING if content is None and "structuredContent" in result else ERROR
        yield Finding("FX011", severity, path + "/content", "must be an array")
    else:
        for i, block in enumerate(content):
            yield from _block(block, pointer(path, "content", i))
    if not isinstance(result.get("isError", False), bool):
        yield Finding("FX011", ERROR, path + "/isError", "must be true or false")
    if "structuredContent" in result and not isinstance(result["structuredContent"], dict):
        yield Finding("FX011", ERROR, path + "/structuredContent", "must be an object")
    elif isinstance(schema, dict) and result.get("isError") is not True:
        yield from _structured(result, path, schema)
    yield from _meta(result, path)


def _structured(result, path, schema):
    if "structuredContent" not in result:
        yield Finding("FX012", ERROR, path, "has no structuredContent, which the outputSchema asks for")
        return
    try:
        load(schema, True).check(result["structuredContent"], "", False)
    except Violation as e:
        place = path + "/structuredContent" + e.path
        yield Finding("FX012", ERROR, place, "does not fit the outputSchema: %s" % e.reason)
    except LocalError:
        pass  # Told of the schema.


def of_messages(result, path, schema=None):
    """Findings of a GetPromptResult."""
    if not isinstance(result, dict) or not isinstance(result.get("messages"), list):
        yield Finding("FX011", ERROR, path, "must be an object with an array of messages")
        return
    for i, message in enumerate(result["messages"]):
        at = pointer(path, "messages", i)
        if not isinstance(message, dict) or message.get("role") not in ("user", "assistant"):
            yield Finding(
                "FX011", ERROR, at, "must be an object with a role, user or assistant, and a content"
            )
        else:
            yield from _block(message.get("content"), at + "/content")
    yield from _meta(result, path)


def of_contents(result, path, schema=None):
    """Findings of a ReadResourceResult."""
    if not isinstance(result, dict) or not isinstance(result.get("contents"), list):
        yield Finding("FX011", ERROR, path, "must be an object with an array of contents")
        return
    for i, one in enumerate(result["contents"]):
        yield from _contents(one, pointer(path, "contents", i))
    yield from _meta(result, path)


def _contents(one, path):
    if not isinstance(one, dict) or not isinstance(one.get("uri"), str):
        yield Finding("FX011", ERROR, path, "must be an object with a uri")
    elif not isinstance(one.get("text"), str) and not isinstance(one.get("blob"), str):
        yield Finding("FX011", ERROR, path, "must have a text, or a blob in base64")


def _block(block, path):
    kind = block.get("type") if isinstance(block, dict) else None
    if kind not in _BLOCKS:
        yield Finding("FX011", ERROR, path, "must be an object of type %s" % ", ".join(_BLOCKS))
        return
    for name in _BLOCKS[kind]:
        if not isinstance(block.get(name), str):
            yield Finding("FX011", ERROR, pointer(path, name), "must be a string")
    if kind == "resource":
        yield from _contents(block.get("resource"), path + "/resource")


def _meta(result, path):
    for name in ("_meta", "resultType"):
        if name in result:
            yield Finding(
                "FX022", WARNING, pointer(path, name), "is not sent in 2026-07-28: the server tells its own"
            )
