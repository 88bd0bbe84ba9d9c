"""The tools of the fixture, as they are listed."""

import fixture_asks
import fixture_contents
import fixture_forms
import fixture_rounds
from fixture_changes import Changes

from umcp.schema import load
from umcp.tool import Tool
from umcp.types import Object, String


# MicroPython's dicts have no order, and JSON's objects need none.
def _schema_2020_12():
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    }


def _schema_x_mcp_header():
    return {
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
        "required": ["region"],
        "additionalProperties": False,
    }


def add(server):
    nothing = Object(())
    for module in (fixture_contents, fixture_asks, fixture_forms, fixture_rounds):
        context = module is not fixture_contents
        for handler, description in module.TOOLS:
            server.add_tool(Tool("test_" + handler.__name__, description, nothing, handler, context=context))
    changes = Changes(server, nothing)
    prompt = Object((("prompt", String(description="What to ask the model.")),))
    message = Object((("message", String(description="What to show the user.")),))
    # What this schema says with keywords that umcp.schema does not check is for the clients.
    schema = load(_schema_2020_12(), lenient=True)
    for tool in (
        Tool("test_trigger_tool_change", "Change the tools.", nothing, changes.of_tools),
        Tool("test_trigger_prompt_change", "Change the prompts.", nothing, changes.of_prompts),
        Tool("test_sampling", "Ask the client's model.", prompt, fixture_asks.sampling, context=True),
        Tool("test_elicitation", "Ask the user.", message, fixture_asks.elicitation, context=True),
        Tool("test_x_mcp_header", "Repeat.", _schema_x_mcp_header(), fixture_contents.x_mcp_header),
        Tool("json_schema_2020_12_tool", "Greet.", schema, fixture_contents.json_schema),
    ):
        server.add_tool(tool)
