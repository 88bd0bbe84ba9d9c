"""The tools that every measured server lists: fourteen, as a robot may have them. MicroPython and CPython.

Only `echo` is called; the others make the list as long as a real one.
"""

# (name, description, fields); a field is (name, JSON type, what limits it: a dict of JSON Schema keywords).
TOOLS = (
    ("echo", "Return the text.", (("text", "string", {"maxLength": 2000}),)),
    (
        "move_head",
        "Turn the head to an absolute pose.",
        (
            ("yaw", "number", {"minimum": -90, "maximum": 90}),
            ("pitch", "number", {"minimum": -30, "maximum": 30}),
        ),
    ),
    ("nod", "Nod a few times.", (("times", "integer", {"minimum": 1, "maximum": 5}),)),
    ("shake_head", "Shake the head a few times.", (("times", "integer", {"minimum": 1, "maximum": 5}),)),
    ("relax", "Release the torque of both servos.", ()),
    ("set_face", "Show a facial expression.", (("expression", "string", {"maxLength": 16}),)),
    ("set_gaze", "Look at a point of the screen.", (("x", "integer", {}), ("y", "integer", {}))),
    ("say", "Speak a sentence.", (("text", "string", {"maxLength": 200}),)),
    ("play_tone", "Play a tone.", (("hertz", "integer", {"minimum": 50}), ("duration_ms", "integer", {}))),
    ("set_volume", "Set the volume of the speaker.", (("level", "integer", {"maximum": 100}),)),
    (
        "set_light",
        "Set the colour of one light.",
        (
            ("index", "integer", {"maximum": 11}),
            ("red", "integer", {"maximum": 255}),
            ("green", "integer", {"maximum": 255}),
            ("blue", "integer", {"maximum": 255}),
        ),
    ),
    ("get_pose", "Tell the measured pose of the head.", ()),
    ("get_battery", "Tell the level and the voltage of the battery.", ()),
    ("get_system_info", "Tell versions, uptime and free memory.", ()),
)


def echo(text):
    """What `echo` does on every server."""
    return "Echo: " + text


def nothing(**arguments):
    """What the others do."""
    return "done"


def handler(name):
    """The handler of a tool by its name."""
    return echo if name == "echo" else nothing


def schema(fields):
    """The input schema of a tool, a dict."""
    properties = {}
    for name, kind, limits in fields:
        properties[name] = dict(limits, type=kind)
    made = {"type": "object", "properties": properties, "additionalProperties": False}
    if fields:
        made["required"] = [name for name, _, _ in fields]
    return made


def listed():
    """The tools as tools/list gives them: dicts."""
    return [
        {"name": name, "description": description, "inputSchema": schema(fields)}
        for name, description, fields in TOOLS
    ]
