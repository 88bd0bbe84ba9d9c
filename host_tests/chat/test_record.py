"""The decisions that are kept: what is expected, retries, secrets, and how much."""

import json
import os

from ram_files import Files
from robots import Log
from talking import Talk, Tool

from chat.record import Recorder
from harness import eq
from umcp.client_errors import ToolFailed


def lines(path):
    with open(path) as f:
        return [json.loads(line) for line in f]


async def recorded(files, *script, tools=(), text="Hello", secrets=(), **options):
    """The lines of one turn."""
    recorder = Recorder(files.path("d.ndjson"), 7, lambda: secrets, **options)
    talk = Talk(*script, tools=tools, recorder=recorder)
    await talk.post(text)
    try:
        return lines(files.path("d.ndjson"))
    except OSError:
        return []


async def test_a_decision_is_a_line():
    with Files() as files:
        calls = [("say", '{"text":"a"}'), ("look", "")]
        found = await recorded(files, calls, [("look", "{}")], "Ok.", tools=(Tool("say"), Tool("look")))
        say = {"tool": "say", "arguments": {"text": "a"}}
        look = {"tool": "look", "arguments": {}}
        eq(
            [(one["id"], one["expect"], one["got"]) for one in found[:2]],
            [("7-1-1", say, say), ("7-1-2", look, look)],
        )
        eq(found[0]["offered"], ["look", "say"])
        eq(found[0]["context"][0], {"role": "user", "content": "Hello"})
        eq(found[2]["context"][-1], {"role": "tool", "content": "done"})


async def test_without_decisions_nothing_is_written():
    with Files() as files:
        eq(await recorded(files, "Hi"), [])


async def test_arguments_that_were_refused_first():
    def once(arguments):
        return "moved" if arguments.get("yaw") else ToolFailed({}, "invalid_arguments: /yaw: is not there")

    with Files() as files:
        script = [("move", '{"jaw":1}')], [("move", '{"yaw":20}')], "Moved."
        found = await recorded(files, *script, tools=(Tool("move", once),))
        eq(len(found), 1)
        eq(found[0]["got"], {"tool": "move", "arguments": {"jaw": 1}})
        eq(found[0]["expect"], {"tool": "move", "arguments": {"yaw": 20}})
        eq(found[0]["retries"], 1)


async def test_what_came_to_nothing_was_not_to_be_called():
    refuses = Tool("move", ToolFailed({}, "invalid_arguments: /yaw: no"))
    with Files() as files:
        found = await recorded(
            files, [("move", "{}")], [("move", "{oops")], [("fly", "{}")], "No.", tools=(refuses,)
        )
        eq(
            [(one["got"]["tool"], one["expect"], one.get("retries")) for one in found],
            [("fly", None, None), ("move", None, 1)],
        )
    # A refusal by the robot's state is no fault of the choice.
    with Files() as files:
        found = await recorded(
            files, [("move", "{}")], "No.", tools=(Tool("move", ToolFailed({}, "servo_off: no")),)
        )
        eq(found[0]["expect"], {"tool": "move", "arguments": {}})


async def test_secrets_are_taken_out():
    with Files() as files:
        arguments = '{"text":"it is s3cr3t-key, really","apiKey":"abc","deep":[{"Wifi-Password":1}]}'
        say = Tool("say", "you said s3cr3t-key")
        found = await recorded(
            files,
            [("say", arguments)],
            [("say", "{}")],
            "Ok.",
            tools=(say,),
            text="My key is s3cr3t-key",
            secrets=("s3cr3t-key", "", "abc"),
        )
        assert "s3cr3t" not in json.dumps(found)
        hidden = "[redacted]"
        eq(
            found[0]["got"]["arguments"],
            {"text": "it is [redacted], really", "apiKey": hidden, "deep": [{"Wifi-Password": hidden}]},
        )
        eq(
            [one["content"] for one in found[1]["context"]],
            ["My key is [redacted]", "", "you said [redacted]"],
        )


async def test_the_files_are_bounded():
    with Files() as files:
        path = files.path("d.ndjson")
        recorder = Recorder(path, 1, max_bytes=4000)
        talk = Talk([("say", '{"text":"%s"}' % ("x" * 300))], tools=(Tool("say"),), recorder=recorder)
        for _ in range(5):
            talk.model.script = [[("say", '{"text":"%s"}' % ("x" * 300))], "Ok."]
            await talk.post("Hello")
            talk.dialogue.clear()
        sizes = [os.stat(one)[6] for one in (path, path + ".old")]
        assert 0 < sizes[0] <= 2000 and 0 < sizes[1] <= 2000, sizes
        eq([one["id"] for one in lines(path + ".old") + lines(path)][-1], "1-5-1")


async def test_a_file_that_cannot_be_written_ends_nothing():
    log = Log()
    recorder = Recorder("/no/such/folder/d.ndjson", 1, log=log)
    reply = await Talk([("say", "{}")], "Ok.", tools=(Tool("say"),), recorder=recorder).post()
    eq((reply.ok, len(log.texts("error"))), (True, 1))
