"""The client that the conformance suite's client scenarios run, under MicroPython: client_under_test.py URL

MCP_CONFORMANCE_SCENARIO names the scenario, MCP_CONFORMANCE_CONTEXT (JSON) holds what it gives the client. The era is
found by asking the server.
"""

import asyncio
import os
import sys

sys.path.insert(0, __file__.rsplit("/", 1)[0] + "/../../firmware")

from net.mcpclient import McpClient
from umcp import codec


def context():
    return codec.loads((os.getenv("MCP_CONFORMANCE_CONTEXT") or "{}").encode())


async def call_all(client):
    """Call each tool that is listed, without arguments but the numbers that it wants."""
    for tool in await client.list_tools():
        await client.call_tool(tool["name"], sample(tool.get("inputSchema", {})))


def sample(schema):
    values = {"number": 5, "integer": 3, "string": "us-west1", "boolean": True}
    fields = schema.get("properties", {})
    return {name: values[field["type"]] for name, field in fields.items() if field.get("type") in values}


async def standard_headers(client):
    await call_all(client)
    for resource in await client.list_resources():
        await client.read_resource(resource["uri"])
    for prompt in await client.list_prompts():
        await client.get_prompt(prompt["name"])


async def custom_headers(client):
    await client.list_tools()
    for call in context()["toolCalls"]:
        await client.call_tool(call["name"], call["arguments"])


# Its server asks on the stream of a GET.
async def elicitation(client):
    opened = asyncio.Event()
    task = asyncio.create_task(client.listen(opened=opened.set))
    await asyncio.wait_for(opened.wait(), 5)
    await call_all(client)
    task.cancel()


async def list_only(client):
    await client.list_tools()


async def echo_schema(client):
    for tool in await client.list_tools():
        if tool["name"] != "json_schema_echo":
            await client.call_tool("json_schema_echo", {"schema": tool["inputSchema"]})


SCENARIOS = {
    "elicitation-sep1034-client-defaults": elicitation,
    "http-standard-headers": standard_headers,
    "http-custom-headers": custom_headers,
    "json-schema-ref-no-deref": list_only,
    "json-schema-2020-12-preservation": echo_schema,
}


def on_elicit(params):
    return {
        name: True for name in params.get("requestedSchema", {}).get("properties", {}) if name == "confirmed"
    }


def on_sample(params):
    return {"role": "assistant", "content": {"type": "text", "text": "sampled"}, "model": "none"}


def on_roots():
    return []


async def main(url):
    client = McpClient(url, timeout_ms=10000, on_elicit=on_elicit, on_sample=on_sample, on_roots=on_roots)
    await client.initialize()
    await SCENARIOS.get(os.getenv("MCP_CONFORMANCE_SCENARIO"), call_all)(client)
    await client.close()


asyncio.run(main(sys.argv[1]))
