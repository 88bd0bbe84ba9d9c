"""A session of the official Python SDK with a reference server: everything that the server has, as plain values."""

import asyncio
import contextlib
import json

SECONDS = 60


def stdio(command, work, log, mode="legacy", env=None):
    """What `async work(client)` returns, with a client that starts the command (list)."""
    from mcp.client.stdio import StdioServerParameters, stdio_client

    command = [str(word) for word in command]
    server = StdioServerParameters(command=command[0], args=command[1:], env=env)
    return asyncio.run(_with(stdio_client(server, log), work, mode))


def http(url, work, mode="legacy"):
    """The same over HTTP."""
    return asyncio.run(_with(url, work, mode))


async def _with(server, work, mode):
    import anyio
    import mcp
    import mcp_types as types

    async def sample(context, params):
        text = types.TextContent(type="text", text="sampled")
        return types.CreateMessageResult(role="assistant", content=text, model="none")

    async def roots(context):
        return types.ListRootsResult(roots=[])

    async def elicit(context, params):
        return types.ElicitResult(action="decline")

    told = []

    async def log(params):
        told.append(str(params.data))

    client = mcp.Client(
        server,
        mode=mode,
        sampling_callback=sample,
        list_roots_callback=roots,
        elicitation_callback=elicit,
        logging_callback=log,
        cache=None,
    )
    with anyio.fail_after(SECONDS):
        async with client:
            return await work(client)


async def lists(client):
    """All that is listed: dict of lists, page by page."""
    found = {}
    asked = (
        ("tools", client.list_tools),
        ("prompts", client.list_prompts),
        ("resources", client.list_resources),
        ("resource_templates", client.list_resource_templates),
    )
    for name, ask in asked:
        items = []
        cursor = None
        with contextlib.suppress(_error()):
            while True:
                page = await ask(cursor=cursor)
                items += [plain(one) for one in getattr(page, name)]
                cursor = page.next_cursor
                if cursor is None:
                    break
        found[name] = items
    return found


async def call(client, name, arguments, progress=None):
    """The result of a call, or the error's code and message."""
    try:
        return plain(await client.call_tool(name, arguments, progress_callback=progress))
    except _error() as e:
        return [e.error.code, e.error.message]


async def everything(client):
    """A session with server-everything."""
    steps = []

    async def progress(done, total, message):
        steps.append([done, total])

    found = {"server": plain(client.server_info), "lists": await lists(client)}
    for name, arguments in (
        ("echo", {"message": "hello"}),
        ("echo", {}),
        ("get-sum", {"a": 1, "b": 2.5}),
        ("get-sum", {"a": 20, "b": 22}),
        ("get-structured-content", {"location": "Chicago"}),
        ("get-tiny-image", {}),
        ("get-annotated-message", {"messageType": "error"}),
        ("trigger-sampling-request", {"prompt": "say it", "maxTokens": 10}),
        ("no-such-tool", {}),
    ):
        found["%s %s" % (name, json.dumps(arguments))] = await call(client, name, arguments)
    slow = {"duration": 1, "steps": 3}
    found["slow"] = await call(client, "trigger-long-running-operation", slow, progress)
    found["progress"] = steps
    found["prompt"] = plain(await client.get_prompt("simple-prompt"))
    resource = found["lists"]["resources"][0]["uri"]
    found["resource"] = plain(await client.read_resource(resource))
    return found


def files(folder):
    """A session with server-filesystem, whose files are in a folder (Path): `async work(client)`."""

    async def work(client):
        found = {"lists": await lists(client)}
        for name, arguments in (
            ("list_directory", {"path": str(folder)}),
            ("read_text_file", {"path": str(folder / "a.txt")}),
            ("read_text_file", {"path": str(folder / "none.txt")}),
            ("write_file", {"path": str(folder / "new.txt"), "content": "new"}),
            ("read_text_file", {"path": str(folder / "new.txt")}),
            ("read_text_file", {"path": "/etc/passwd"}),
            ("list_directory", {"path": str(folder)}),
        ):
            key = "%d %s %s" % (len(found), name, json.dumps(arguments))
            found[key] = await call(client, name, arguments)
        return found

    return work


def plain(value):
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


def _error():
    from mcp import MCPError

    return MCPError
