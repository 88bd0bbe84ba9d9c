"""What changes the lists of the fixture."""

from umcp.prompts import Prompt
from umcp.tool import Tool


class Changes:
    """Two tools that add something to a list, or take it away again."""

    def __init__(self, server, nothing):
        self._server = server
        self._tool = Tool("test_changing_tool", "Is there every other time.", nothing, _here)
        self._prompt = Prompt("test_changing_prompt", "Is there every other time.", _here)

    def of_tools(self):
        if not self._server.remove_tool("test_changing_tool"):
            self._server.add_tool(self._tool)
        return "changed"

    def of_prompts(self):
        if not self._server.remove_prompt("test_changing_prompt"):
            self._server.add_prompt(self._prompt)
        return "changed"


def _here(values=None):
    return "Here I am."
