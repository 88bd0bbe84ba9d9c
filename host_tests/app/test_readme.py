"""The handler that the README shows does what the page says, for clients of both eras."""

from streaming import Streamed, call, modern

from harness import eq
from umcp.errors import ToolError
from umcp.tool import Tool
from umcp.types import Boolean, Object, String


def tidy():
    """The tool of the README's block."""
    with open(__file__.rsplit("/", 1)[0] + "/../../README.md") as f:
        page = f.read()
    block = next(block for block in page.split("```python\n") if block.startswith("async def tidy"))
    names = {"ToolError": ToolError, "Tool": Tool, "Boolean": Boolean, "Object": Object, "String": String}
    exec(block.split("```")[0], names)
    return names["tool"]


async def test_the_handler_of_the_readme():
    async with Streamed() as served:
        served.server.add_tool(tidy())
        arguments = call("tidy", room="kitchen")
        capabilities = {"elicitation": {}}
        asked = await served.result(modern("tools/call", arguments, capabilities))
        eq((asked["resultType"], asked["inputRequests"]["answer"]["params"]["message"]),
           ("input_required", "Throw the paper away?"))  # fmt: skip
        for sure, wanted in ((True, "tidy"), (False, "kept: nothing was thrown away")):
            answer = {"action": "accept", "content": {"sure": sure}}
            again = dict(arguments, inputResponses={"answer": answer}, requestState=asked["requestState"])
            result = await served.result(modern("tools/call", again, capabilities))
            eq((result["content"][0]["text"], result.get("isError", False)), (wanted, not sure))
        # Told, too, if the client wants to be.
        reply = await served.modern(
            modern("tools/call", again, capabilities, progressToken=1, x_logLevel="info")
        )
        eq([note["method"] for note in (await reply.messages())[:-1]], ["notifications/progress"])
        _, session = await served.legacy()
        result = (await served.answer(session, "tools/call", arguments))["result"]
        eq(result["content"][0]["text"], "cannot_ask: the client does not offer elicitation")
