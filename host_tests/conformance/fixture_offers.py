"""The resources and prompts of the fixture."""

from fixture_data import png
from fixture_rounds import answered, form

from umcp.content import embedded, image
from umcp.prompts import Argument, Prompt
from umcp.resources import Resource, ResourceTemplate

_WORDS = ("paris", "park", "party", "test", "testing")


def simple_prompt(values):
    return "This is a simple prompt for testing."


def static_text():
    return "This is the content of the static text resource."


def watched():
    return "Watched resource content"


def templated(values):
    return '{"id":"%s","templateTest":true,"data":"Data for ID: %s"}' % (values["id"], values["id"])


def with_arguments(values):
    return "Prompt with arguments: arg1='%s', arg2='%s'" % (values["arg1"], values["arg2"])


def with_resource(values):
    resource = embedded(values["resourceUri"], "Embedded resource content for testing.", "text/plain")
    return [("user", resource), ("user", "Please process the embedded resource above.")]


def with_image(values):
    return [("user", image(png(), "image/png")), ("user", "Please analyze the image above.")]


async def with_context(context, values):
    answer = await context.elicit("What context should the prompt use?", form("context"), key="user_context")
    return "Use this context: " + answered(answer, "context")


def complete(value, others):
    return [word for word in _WORDS if word.startswith(value)]


def add(server):
    for uri, name, read, description, mime_type in (
        ("test://static-text", "static-text", static_text, "A text that stays as it is.", "text/plain"),
        ("test://static-binary", "static-binary", png, "A picture that stays as it is.", "image/png"),
        ("test://watched-resource", "watched-resource", watched, "A text to subscribe to.", "text/plain"),
    ):
        server.add_resource(Resource(uri, name, read, description, mime_type))
    server.add_template(
        ResourceTemplate(
            "test://template/{id}/data", "template", templated, "Data of an id.", mime_type="application/json"
        )
    )
    arguments = (
        Argument("arg1", "First test argument", True, complete),
        Argument("arg2", "Second test argument", True),
    )
    uri = Argument("resourceUri", "The resource to embed", True)
    for prompt in (
        Prompt("test_simple_prompt", "A text.", simple_prompt),
        Prompt("test_prompt_with_arguments", "A text with arguments.", with_arguments, arguments),
        Prompt("test_prompt_with_embedded_resource", "A resource and a text.", with_resource, (uri,)),
        Prompt("test_prompt_with_image", "A picture and a text.", with_image),
        Prompt("test_input_required_result_prompt", "Ask the user first.", with_context, context=True),
    ):
        server.add_prompt(prompt)
