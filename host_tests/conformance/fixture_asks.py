"""Tools of the fixture that talk to their client: progress, logs, questions.  None of them knows the era."""

import asyncio

from umcp.codec import dumps

_PAUSE_MS = 50


def form(*names, type="string", description=None):
    """The schema of a form whose fields, all of one type, are required."""
    field = {"type": type, "description": description} if description else {"type": type}
    return {"type": "object", "properties": {name: field for name in names}, "required": list(names)}


def user(text):
    return [{"role": "user", "content": {"type": "text", "text": text}}]


def told(answer):
    content = dumps(answer.get("content") or {}).decode()
    return "Elicitation completed: action=%s, content=%s" % (answer["action"], content)


async def tool_with_progress(context):
    for done in (0, 50, 100):
        await context.progress(done, 100)
        await asyncio.sleep_ms(_PAUSE_MS)
    return "Tool with progress completed"


async def tool_with_logging(context):
    for line in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await context.log("info", line)
        await asyncio.sleep_ms(_PAUSE_MS)
    return "Tool with logging completed"


async def logging_tool(context):
    return await tool_with_logging(context)


async def reconnection(context):
    await context.close_stream(_PAUSE_MS)
    await asyncio.sleep_ms(2 * _PAUSE_MS)
    return "Reconnection test completed"


async def sampling(context, prompt):
    reply = await context.sample(user(prompt), max_tokens=100)
    return "LLM response: " + reply["content"]["text"]


async def missing_capability(context):
    return await sampling(context, "Hello")


async def elicitation(context, message):
    schema = form("username", "email", description="User's response")
    return "User response: " + told(await context.elicit(message, schema))


async def streaming_elicitation(context):
    await context.log("info", "about to ask")
    return told(await context.elicit("Please confirm", form("ok", type="boolean")))


TOOLS = (
    (tool_with_progress, "Report progress."),
    (tool_with_logging, "Log three lines."),
    (logging_tool, "Log three lines."),
    (reconnection, "Close the stream, and answer on the next one."),
    (missing_capability, "Ask the client's model."),
    (streaming_elicitation, "Log, then ask the user."),
)
