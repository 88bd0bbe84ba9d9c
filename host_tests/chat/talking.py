"""A model and tools of the tests' own, in this process."""

from chat.answer import Answer
from chat.dialogue import Dialogue
from chat.tools import ChatTool


class Model:
    """script: list of steps: a str, the answer; a list of (name, arguments), calls; an exception; or a function of the
    request that gives one of these, or an awaitable of it. The last one again and again.

    asked: list of (system, messages, names of tools).  closed: int.
    """

    def __init__(self, *script):
        self.script = list(script)
        self.asked = []
        self.closed = 0

    async def ask(self, system, messages, tools):
        self.asked.append((system, list(messages), [tool.name for tool in tools]))
        step = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if not isinstance(step, (str, list, Exception)):
            step = step(messages)
            if hasattr(step, "send"):
                step = await step
        if isinstance(step, Exception):
            raise step
        found = Answer()
        found.ended = True
        if isinstance(step, str):
            found.add(step)
        else:
            for i, (name, arguments) in enumerate(step):
                found.whole_call("id%d" % i, name, arguments)
        return found

    def close(self):
        self.closed += 1

    def results(self, i=-1):
        """What the tools said, of one request: list of str."""
        return [one[2] for one in self.asked[i][1] if one[0] == "tool"]


class Tool(ChatTool):
    """says: str, an exception, or a function of the arguments that gives one of these, or an awaitable of it."""

    def __init__(self, name, says="done", schema=b'{"type":"object"}'):
        super().__init__(name, "Does it.", schema)
        self.says = says
        self.calls = []

    async def execute(self, arguments):
        self.calls.append(arguments)
        says = self.says if isinstance(self.says, (str, Exception)) else self.says(arguments)
        if hasattr(says, "send"):
            says = await says
        if isinstance(says, Exception):
            raise says
        return says


class Talk:
    """A dialogue with these: .dialogue, .model, .told (what the watcher was told), .logged."""

    def __init__(self, *script, tools=(), **options):
        self.model = Model(*script)
        self.told = []
        self.logged = []
        self.dialogue = Dialogue(
            self.model,
            {tool.name: tool for tool in tools},
            "Be brief.",
            watch=lambda *told: self.told.append(told),
            log=lambda *line: self.logged.append(line),
            **options,
        )

    def post(self, text="Hello"):
        return self.dialogue.post(text)
