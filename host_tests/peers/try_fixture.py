"""Use all that the conformance suite's server of ours offers, under MicroPython: try_fixture.py URL TOKEN ERA

ERA is legacy or modern. Prints a line of JSON: a list of what each step gave, an exception as its class.
"""

import asyncio
import json
import sys

from net.mcpclient import McpClient

TOLD = []
ROOTS = [{"uri": "file:///x"}]
SAMPLE = {"role": "assistant", "content": {"type": "text", "text": "sampled"}, "model": "none"}


async def on_elicit(params):
    await asyncio.sleep_ms(1)
    return {"name": "Jane", "username": "jane", "email": "j@x"}


def client_of(url, token, era):
    return McpClient(
        url, token, only=era, on_elicit=on_elicit, on_sample=lambda params: SAMPLE, on_roots=lambda: ROOTS,
        on_progress=lambda params: TOLD.append(params["progress"]), on_log=lambda params: TOLD.append(params["data"]),
        on_change=lambda method, params: TOLD.append(method),
    )  # fmt: skip


async def text_of(client, name, arguments=None):
    return (await client.call_tool(name, arguments))["content"][0]["text"]


async def change(client):
    opened = asyncio.Event()
    task = asyncio.create_task(client.listen(opened=opened.set))
    await asyncio.wait_for(opened.wait(), 5)
    await client.call_tool("test_trigger_tool_change")
    for _ in range(500):
        if TOLD:
            break
        await asyncio.sleep_ms(10)
    task.cancel()


def steps(client):
    """Functions, each of which makes something to await."""
    return (
        lambda: client.set_log_level("info"),
        lambda: text_of(client, "test_tool_with_progress"),
        lambda: text_of(client, "test_tool_with_logging"),
        lambda: text_of(client, "test_input_required_result_elicitation"),
        lambda: text_of(client, "test_input_required_result_sampling"),
        lambda: text_of(client, "test_input_required_result_list_roots"),
        lambda: text_of(client, "test_input_required_result_multiple_inputs"),
        lambda: text_of(client, "test_elicitation", {"message": "?"}),
        lambda: text_of(client, "test_elicitation_sep1034_defaults"),
        lambda: text_of(client, "test_x_mcp_header", {"region": "h\u00e9re"}),
        lambda: text_of(client, "test_error_handling"),
        lambda: client.read_resource("test://template/7/data"),
        lambda: client.read_resource("test://nowhere"),
        lambda: client.complete({"type": "ref/prompt", "name": "test_prompt_with_arguments"}, "arg1", "t"),
        lambda: change(client),
    )


async def main(url, token, era):
    client = client_of(url, token, era)
    await client.initialize()
    seen = [
        [tool["name"] for tool in await client.list_tools()],
        [r["uri"] for r in await client.list_resources()],
    ]
    for step in steps(client):
        try:
            value = await step()
        except Exception as e:
            value = type(e).__name__
        seen.append([value, list(TOLD)])
        TOLD.clear()
    await client.close()
    print(json.dumps(seen))


asyncio.run(main(*sys.argv[1:]))
