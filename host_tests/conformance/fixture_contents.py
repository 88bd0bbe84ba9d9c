"""What the tools of the fixture do that only answer: each kind of content, and an error."""

from fixture_data import png, wav

from umcp.content import Contents, audio, embedded, image, text
from umcp.errors import ToolError


def simple_text():
    return "This is a simple text response for testing."


def image_content():
    return image(png(), "image/png")


def audio_content():
    return audio(wav(), "audio/wav")


def embedded_resource():
    return embedded("test://embedded-resource", "This is an embedded resource content.", "text/plain")


def multiple_content_types():
    return Contents(
        [
            text("Multiple content types test:"),
            image(png(), "image/png"),
            embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
        ]
    )


def error_handling():
    raise ToolError("intended", "This tool intentionally returns an error for testing")


def json_schema(name=None, address=None, contactMethod=None, phone=None, email=None):
    return "JSON Schema 2020-12 tool called by " + (name or "nobody")


def x_mcp_header(region):
    return "region: " + region


TOOLS = (
    # The first one is called without arguments by the scenario http-header-validation.
    (simple_text, "Return a text."),
    (image_content, "Return a picture."),
    (audio_content, "Return a sound."),
    (embedded_resource, "Return an embedded resource."),
    (multiple_content_types, "Return a text, a picture and a resource."),
    (error_handling, "Fail."),
)
