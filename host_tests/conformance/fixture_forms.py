"""Tools of the fixture that ask the user with the fields that a form can have."""

from fixture_asks import told


async def elicitation_sep1034_defaults(context):
    properties = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    }
    return told(await context.elicit("Please check", {"type": "object", "properties": properties}))


async def elicitation_sep1330_enums(context):
    plain = ["option1", "option2", "option3"]
    titled = [
        {"const": "value1", "title": "First Option"},
        {"const": "value2", "title": "Second Option"},
        {"const": "value3", "title": "Third Option"},
    ]
    names = ["Option One", "Option Two", "Option Three"]
    properties = {
        "untitledSingle": {"type": "string", "enum": plain},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": names},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    }
    return told(await context.elicit("Please choose", {"type": "object", "properties": properties}))


TOOLS = (
    (elicitation_sep1034_defaults, "Ask the user, with defaults."),
    (elicitation_sep1330_enums, "Ask the user to choose."),
)
