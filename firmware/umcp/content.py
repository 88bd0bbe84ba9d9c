"""Content blocks: what tools answer with, and what is in the messages of prompts (MCP: tools, tool result).

    image(png, "image/png")                       # a tool may return one,
    Contents(["Seen:", image(png, "image/png")])  # or several; a str is a text block

All versions have text, image and the embedded resource; audio came with 2025-03-26, the link with 2025-06-18. For a
client of an older version such a block becomes a text that says what was left out.
"""

from binascii import b2a_base64

from .codec import dumps, dumps_text
from .errors import LocalError, ToolError

try:
    from micropython import const
except ImportError:
    const = int

_UNBOUNDED = const(0x3FFFFFFF)
_BYTES = (bytes, bytearray, memoryview)


class Block:
    """One content block as JSON; the functions below make them.

    before, after: bytes, around `data` in base64.  data: bytes-like, kept and not copied.
    since: str, the first version that has its type.  instead: str, the text for older ones.
    """

    def __init__(self, before, data=b"", after=b"", since="", instead=""):
        self.before = before
        self.data = data
        self.after = after
        self.since = since
        self.instead = instead


class Contents:
    """Several blocks.  blocks: list of `Block`s and strs. Raises LocalError for anything else."""

    def __init__(self, blocks):
        self.blocks = list(blocks)
        for block in self.blocks:
            checked(block)


def text(text, annotations=None):
    """A text block.  annotations: dict or None (`{"audience": ["user"], "priority": 0.5}`), here and below."""
    if not annotations:
        return Block(dumps_text(_str(text), b'{"type":"text","text":', b"}"))
    return Block(dumps({"type": "text", "text": _str(text), "annotations": annotations}))


def image(data, mime_type, annotations=None):
    """A picture.  data: bytes-like.  mime_type: str ("image/png")."""
    return _media("image", data, mime_type, annotations, "")


def audio(data, mime_type, annotations=None):
    """A sound, from 2025-03-26 on.  data: bytes-like.  mime_type: str ("audio/wav")."""
    return _media("audio", data, mime_type, annotations, "2025-03-26")


def embedded(uri, value, mime_type=None, annotations=None):
    """A resource with its contents.  uri: str.  value: str or bytes-like.  mime_type: str or None."""
    around = {"type": "resource"}
    if annotations:
        around["annotations"] = annotations
    return resource(uri, value, mime_type, dumps(around)[:-1] + b',"resource":', b"}")


def link(uri, name, description=None, mime_type=None, title=None, annotations=None, icons=None, size=None):
    """A resource that the client may read, from 2025-06-18 on; the members are those of a `Resource`."""
    members = {"type": "resource_link", "uri": _str(uri), "name": _str(name)}
    raw = entry(members, description, mime_type, title, annotations, icons, size)
    instead = "Resource %s: %s%s" % (name, uri, " (%s)" % mime_type if mime_type else "")
    return Block(raw, b"", b"", "2025-06-18", instead)


def entry(members, description=None, mime_type=None, title=None, annotations=None, icons=None, size=None):
    """The JSON of `members` and of those others that are given: what links are, and resources are listed as."""
    for name, value in (
        ("description", description),
        ("mimeType", mime_type),
        ("title", title),
        ("annotations", annotations),
        ("icons", icons),
        ("size", size),
    ):
        if value is not None and value != "":
            members[name] = value
    return dumps(members)


def resource(uri, value, mime_type, before=b"", after=b""):
    """The contents of a resource (MCP resources: reading) as a `Block` without a type.  value: str or bytes-like."""
    head = {"uri": uri}
    if mime_type:
        head["mimeType"] = mime_type
    before += dumps(head)[:-1]
    if type(value) is str:
        return Block(dumps_text(value, before + b',"text":', b"}" + after))
    return Block(before + b',"blob":"', _bytes(value), b'"}' + after)


def checked(block):
    """The block, if it is a Block or a str; else raises LocalError."""
    if type(block) is str or isinstance(block, Block):
        return block
    raise LocalError("a content block is a str or made by umcp.content, not %s" % type(block).__name__)


def render(blocks, version, limit=_UNBOUNDED):
    """The JSON array of blocks, as bytes, for a client of a version.

    blocks: Contents, a block or a str, or a list of those.  version: str.
    limit: int, bytes; past it a ToolError `result_too_large` is raised before anything is encoded.
    """
    if isinstance(blocks, Contents):
        blocks = blocks.blocks
    elif not isinstance(blocks, (list, tuple)):
        blocks = (blocks,)
    parts = [b"["]
    size = 1
    for block in blocks:
        # Each has a comma behind it, or the bracket.
        size = put(parts, block, version, size + 1, limit)
        parts.append(b",")
    if len(parts) > 1:
        parts.pop()
    parts.append(b"]")
    return b"".join(parts)


def result(value, version, limit):
    """The members of a CallToolResult for a block or `Contents` that a handler returned.  Raises LocalError for others.

    version, limit: as of `render`.
    """
    if not isinstance(value, (Block, Contents)):
        raise LocalError("not a JSON value, nor content: %s" % type(value).__name__)
    return b'"content":' + render(value, version, limit)


def put(parts, block, version, size, limit):
    """Append the JSON of a block to a list of bytes; returns the size that makes. See `render`."""
    if type(checked(block)) is str:
        if size + len(block) > limit:
            raise too_large(size + len(block), limit)
        block = text(block)
    if version < block.since:
        block = text(block.instead)
    size += len(block.before) + (len(block.data) + 2) // 3 * 4 + len(block.after)
    if size > limit:
        raise too_large(size, limit)
    parts.append(block.before)
    if block.data:
        parts.append(b2a_base64(block.data, newline=False))
    parts.append(block.after)
    return size


def too_large(size, limit):
    """The refusal of a result of `size` bytes."""
    return ToolError("result_too_large", "%d bytes, the limit is %d; ask for less" % (size, limit))


def _media(kind, data, mime_type, annotations, since):
    if not mime_type:
        raise LocalError("content of type %s needs its mime type" % kind)
    members = {"type": kind, "mimeType": _str(mime_type)}
    if annotations:
        members["annotations"] = annotations
    before = dumps(members)[:-1] + b',"data":"'
    instead = "[%s left out: %s, %d bytes]" % (kind, mime_type, len(_bytes(data)))
    return Block(before, data, b'"}', since, instead)


def _str(value):
    if type(value) is not str:
        raise LocalError("a content block wants a str here, not %s" % type(value).__name__)
    return value


def _bytes(value):
    if not isinstance(value, _BYTES):
        raise LocalError("contents are str or bytes, not %s" % type(value).__name__)
    return value
