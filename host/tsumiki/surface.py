"""What a server says that it has: tools, resources, templates, prompts and its identity, from wherever that is known.

    fixture | cassette | report or tools/list as JSON | live server

A list that the source does not tell (a cassette in which nobody asked for prompts) is None, which is not the same as
an empty one.
"""

import asyncio
import json
from dataclasses import dataclass, field

from . import cassette, json_file, recording, server_options
from .errors import Unreadable
from .exchanges import Answer

FIXTURES = ("mcpstub/v1", "tsumiki/fixture-v1")

# attribute, method, its key in the result, the member that tells two items apart, other keys in files
LISTS = (
    ("tools", "tools/list", "tools", "name", ()),
    ("resources", "resources/list", "resources", "uri", ()),
    ("templates", "resources/templates/list", "resourceTemplates", "uriTemplate", ("templates",)),
    ("prompts", "prompts/list", "prompts", "name", ()),
)
LIST_METHODS = tuple(row[1] for row in LISTS)
# The capability without which a list is not asked for. Tools always are: not every server says that it has some.
_CAPABILITIES = {"resources": "resources", "templates": "resources", "prompts": "prompts"}
_IDENTITY = "io.modelcontextprotocol/serverInfo"


@dataclass
class Surface:
    """tools, resources, templates, prompts: dict of name (uri, uriTemplate) -> entry as listed, or None: not known.

    label: str, for people.  identity: dict.  instructions: str or None.  fixture: dict, or None for other sources.
    recording: a `recording.Recording`, or None.  notes: list of str, what to tell people.
    """

    label: str
    identity: dict = field(default_factory=dict)
    instructions: str = None
    tools: dict = None
    resources: dict = None
    templates: dict = None
    prompts: dict = None
    fixture: dict = None
    recording: object = None
    notes: list = field(default_factory=list)

    def put(self, attribute, items):
        """Set a list from its entries.  Raises Unreadable for an entry without a name, and for a name twice."""
        key = next(row[3] for row in LISTS if row[0] == attribute)
        found = {}
        for i, item in enumerate(items):
            name = item.get(key) if isinstance(item, dict) else None
            if not isinstance(name, str):
                raise Unreadable("%s: %s/%d has no %s" % (self.label, attribute, i, key))
            if name in found:
                raise Unreadable("%s: %s has %s twice" % (self.label, attribute, name))
            found[name] = item
        setattr(self, attribute, found)

    def answer(self, tool, arguments):
        """The Answer of a fixture to a call: `error_class` and `result` as a client would see them."""
        from stub.fixture import Fixture
        from umcp.errors import LocalError, RemoteError

        try:
            served = next((one for one in Fixture(self.fixture).tools if one.key == tool), None)
        except LocalError as e:
            raise Unreadable("%s: %s" % (self.label, e)) from None
        message = {"jsonrpc": "2.0", "id": 0}
        try:
            if served is None:
                raise RemoteError(-32602, "Unknown tool")
            message["result"] = json.loads(b"{%s}" % served.run(arguments, None, "2025-11-25"))
        except RemoteError as e:
            message["error"] = {"code": e.code, "message": e.message}
        return Answer("tools/call", {"name": tool, "arguments": arguments}, message)


def add_source(parser, option="--from"):
    """Add the options of one source: a file, or a live server."""
    parser.add_argument(
        option, dest="source", metavar="F", help="a fixture, a cassette, or a tools/list as JSON"
    )
    server_options.add_arguments(parser)


def of_options(options, what="a source"):
    """The Surface of the source that `add_source` has taken.  Raises Unreadable if there is none, or two."""
    live = server_options.is_given(options)
    if live == (options.source is not None):
        raise Unreadable("%s, please: --from FILE, --url URL or a command behind --" % what)
    return asyncio.run(_of_server(options)) if live else read(options.source)


def read(path):
    """The Surface that a file tells.  path: str or Path.  Raises Unreadable."""
    if cassette.is_cassette(path):
        return of_recording(recording.read(path))
    return of_value(json_file.read(path), str(path))


def of_value(value, label):
    """The Surface in a JSON value: a fixture, or whatever has a list of tools in it, `tools/list` or a report."""
    if isinstance(value, dict) and value.get("schema") in FIXTURES:
        found = Surface(label, fixture=value)
        return _filled(found, [value], fixture=True)
    if isinstance(value, list):
        value = {"tools": value}
    candidates = _candidates(value)
    if not candidates:
        raise Unreadable("%s: no fixture, no cassette, and no list of tools in it" % label)
    if len(candidates) > 1:
        paths = ", ".join(path or "/" for path, _ in candidates)
        raise Unreadable("%s: more than one list of tools: at %s" % (label, paths))
    return _filled(Surface(label), candidates[0][1])


def of_recording(tape):
    """The Surface that a `recording.Recording` shows: of each list, the last that was read to its end."""
    found = Surface(tape.label, recording=tape, notes=list(tape.notes))
    for attribute, method, key, _, _ in LISTS:
        items = _last_list(tape, method, key, found)
        if items is not None:
            found.put(attribute, items)
    for exchange in tape.exchanges:
        if exchange.method == "initialize" and exchange.result:
            _identify(found, exchange.result, exchange.result.get("serverInfo"))
        elif exchange.method == "server/discover" and exchange.result:
            _identify(found, exchange.result, _meta(exchange.result).get(_IDENTITY))
    return found


async def of_live(live, label):
    """The Surface of an open `live.Live`. Nothing is called.  Raises Failed as `Live.listing`."""
    found = Surface(label, dict(live.identity), live.instructions)
    for attribute, method, key, _, _ in LISTS:
        needed = _CAPABILITIES.get(attribute)
        if needed is not None and needed not in live.capabilities:
            found.put(attribute, [])
            continue
        if needed == "resources" or attribute == "tools":
            first = await live.request(method)
            if first.error_class == "rpc_error:-32601":
                found.put(attribute, [])
                continue
        found.put(attribute, await live.listing(method, key))
    return found


async def _of_server(options):
    async with server_options.live(options) as live:
        return await of_live(live, server_options.label(options))


# Breadth first: (path, the object and those around it, innermost first) of each object with a list of tools.
def _candidates(value):
    found = []
    level = [("", [value])]
    while level:
        below = []
        for path, chain in level:
            here = chain[0]
            if isinstance(here, dict) and _is_tools(here.get("tools")):
                found.append((path, chain))
                continue
            items = (
                here.items() if isinstance(here, dict) else enumerate(here) if isinstance(here, list) else ()
            )
            below += [("%s/%s" % (path, key), [item, *chain]) for key, item in items]
        level = below
    return found


def _is_tools(value):
    return isinstance(value, list) and all(
        isinstance(t, dict) and isinstance(t.get("name"), str) for t in value
    )


# chain: the object that has the tools, and those around it, which may have the rest.
def _filled(surface, chain, fixture=False):
    for attribute, _, key, _, others in LISTS:
        for name in (key, *others):
            items = next(
                (o[name] for o in chain if isinstance(o, dict) and isinstance(o.get(name), list)), None
            )
            if items is not None:
                surface.put(attribute, items)
        if fixture and getattr(surface, attribute) is None:
            surface.put(attribute, [])
    for place in chain:
        if not isinstance(place, dict) or surface.identity:
            continue
        for identity in (place.get("serverInfo"), place.get("server"), _meta(place).get(_IDENTITY)):
            if isinstance(identity, dict) and isinstance(identity.get("name"), str):
                _identify(surface, place, identity)
                break
    return surface


def _identify(surface, result, identity):
    if isinstance(identity, dict):
        surface.identity = {k: v for k, v in identity.items() if isinstance(v, str)}
    if isinstance(result.get("instructions"), str):
        surface.instructions = result["instructions"]


def _meta(value):
    return value["_meta"] if isinstance(value.get("_meta"), dict) else {}


def _last_list(tape, method, key, surface):
    found = items = None
    cursors = []
    for exchange in tape.exchanges:
        page = exchange.result.get(key) if exchange.method == method else None
        if not isinstance(page, list):
            continue
        cursor = (exchange.params or {}).get("cursor")
        if cursor is None:
            items, cursors = [], []
        elif items is None or cursor in cursors:
            surface.notes.append(
                "%s: the cursor %r of %s comes twice, or from nowhere" % (tape.label, cursor, method)
            )
            continue
        cursors.append(cursor)
        items.extend(page)
        if exchange.result.get("nextCursor") is None:
            found = items
    if found is None and items is not None:
        surface.notes.append("%s: %s was not read to its end" % (tape.label, method))
    return found if found is not None else items
