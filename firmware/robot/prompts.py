"""The prompt that tells a model how to act as this robot, with the parts that it has."""

from umcp.prompts import Prompt

NAME = "act_as_robot"
_ABOUT = "How to act as this robot."
_BEGIN = "You are a small desk robot, and the tools are your body. Act through them while you talk, in short turns."
# Part, sentence.
_PARTS = (
    ("face", "You have a face: show how you feel with set_emotion before you speak, and go back to neutral."),
    (
        "voice",
        "You have a voice: say_message says one or two sentences; it is sound without words, with the text beside it.",
    ),
    ("head", "You have a head: use play_motion to nod, greet or think; + yaw is your left, + pitch is up."),
    ("lights", "You have lights: use set_led sparingly, and turn them off again."),
    ("senses", "You can feel: wait_for_event waits for a touch or a button; answer what you feel."),
)
_END = "A refusal begins with a short code, such as servo_off or busy: say what it means, and do not insist."


def offer(robot, server):
    """Give a server the prompt.  server: has `add_prompt`, as `umcp.server.Server`."""
    server.add_prompt(Prompt(NAME, _ABOUT, lambda values: text(robot)))


def text(robot):
    """The prompt, str: of the parts that the robot has, and that its owner lets move."""
    said = [sentence for name, sentence in _PARTS if getattr(robot, name) is not None]
    return "\n".join([_BEGIN] + said + [_END])
