"""What the reader makes of bytes: wire/*.txt, each whole, byte by byte, and cut in two at every offset.

`> TEXT` is sent, with CR LF behind it unless it ends with a backslash; `\\r`, `\\n`, `\\t`, `\\0`, `\\\\` and `\\xHH`
stand for bytes. `< METHOD PATH BODY` is a request that is served, `< STATUS METHOD` one that is refused and skipped,
`< STATUS` what closes the connection, `<` alone that nothing is answered yet. `#` is a comment.
"""

import os

from served import outcomes, reader

from harness import eq, splits

FOLDER = __file__.rsplit("/", 1)[0] + "/wire"
ESCAPES = {"r": b"\r", "n": b"\n", "t": b"\t", "0": b"\0", "\\": b"\\", " ": b" "}


def unescaped(text):
    """The bytes that a line stands for."""
    out = b""
    at = text.find("\\")
    while 0 <= at < len(text) - 1:
        out += text[:at].encode()
        if text[at + 1] == "x":
            out += bytes((int(text[at + 2 : at + 4], 16),))
            text = text[at + 4 :]
        else:
            out += ESCAPES[text[at + 1]]
            text = text[at + 2 :]
        at = text.find("\\")
    return out + (text[:-1].encode() if at >= 0 else text.encode() + b"\r\n")


def outcome(text):
    """What a line of an answer stands for."""
    words = text.split(" ", 2)
    if not words[0].isdigit():
        body = words[2] if len(words) > 2 else "\\"
        return words[0], words[1], unescaped(body if body.endswith("\\") else body + "\\")
    return int(words[0]) if len(words) == 1 else (int(words[0]), words[1])


def read(name):
    """(bytes sent, outcomes) of a transcript."""
    sent = b""
    wanted = []
    with open(FOLDER + "/" + name, "rb") as f:
        lines = f.read().decode().split("\n")
    for line in lines:
        if line[:1] == ">":
            sent += unescaped(line[2:])
        elif line[:1] == "<":
            wanted += [outcome(line[2:])] if line[2:] else []
        else:
            assert line[:1] in ("", "#"), line
    assert sent, name
    return sent, wanted


def test_transcripts_go_as_they_are_written():
    names = sorted([name for name in os.listdir(FOLDER) if name.endswith(".txt")])
    assert len(names) > 20, names
    for name in names:
        sent, wanted = read(name)
        for pieces in splits(sent):
            eq(
                (name, [len(p) for p in pieces][:2], outcomes(reader(), pieces)),
                (name, [len(p) for p in pieces][:2], wanted),
            )


def test_the_notation():
    eq(unescaped("a\\r\\n\\x00\\\\b\\"), b"a\r\n\0\\b")
    eq(unescaped("a"), b"a\r\n")
    eq(unescaped("\\"), b"")
    eq(
        (outcome("GET / "), outcome("POST /mcp {}"), outcome("400"), outcome("401 POST")),
        (("GET", "/", b""), ("POST", "/mcp", b"{}"), 400, (401, "POST")),
    )
