"""What both Python kits have besides tools that only compute: questions, resources, prompts, completion."""

from typing import Annotated

from mcp.types import Completion, SamplingMessage, TextContent
from pydantic import BaseModel


class Name(BaseModel):
    name: str
    age: int = 30


def add_resources(server):
    @server.resource("test://text")
    def text() -> str:
        return "some text"

    @server.resource("test://item/{id}")
    def item(id: str) -> str:
        return "item " + id


def add_prompts(server):
    @server.prompt()
    def greet(name: str) -> str:
        return "Greet " + name


def add_sdk_questions(server):
    """Tools whose arguments come from the client, in either era."""
    from mcp.server.mcpserver import Context, Elicit, ListRoots, Resolve, Sample
    from mcp.types import CreateMessageResult, ListRootsResult

    def ask_name() -> Elicit[Name]:
        return Elicit("Who?", Name)

    def ask_model() -> Sample:
        message = SamplingMessage(role="user", content=TextContent(type="text", text="Say it"))
        return Sample([message], max_tokens=10)

    def ask_roots() -> ListRoots:
        return ListRoots()

    @server.tool()
    def elicit(name: Annotated[Name, Resolve(ask_name)]) -> str:
        return "%s is %d" % (name.name, name.age)

    @server.tool()
    def sample(answer: Annotated[CreateMessageResult, Resolve(ask_model)]) -> str:
        return answer.content.text

    @server.tool()
    def roots(found: Annotated[ListRootsResult, Resolve(ask_roots)]) -> str:
        return " ".join(str(root.uri) for root in found.roots)

    @server.tool()
    async def change(ctx: Context) -> str:
        await ctx.notify_tools_changed()
        return "changed"

    @server.completion()
    async def complete(ref, argument, context):
        return Completion(values=[argument.value + c for c in "ab"])


def add_fastmcp_questions(server, context):
    async def elicit(ctx: context) -> str:
        answer = await ctx.elicit("Who?", Name)
        return "%s is %d" % (answer.data.name, answer.data.age)

    server.tool()(elicit)
