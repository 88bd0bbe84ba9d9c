"""The four tools of the dummy server."""

from umcp.tool import Tool
from umcp.types import Number, Object, String


def echo(text):
    return "Echo: " + text


def add(a, b):
    return "%s + %s = %s" % (a, b, a + b)


def get_status():
    return "Server is running normally"


def fail():
    raise RuntimeError("this tool always fails")


def tools():
    return (
        Tool("echo", "Return the text.", Object((("text", String(max_length=2000)),)), echo),
        Tool("add", "Add two numbers.", Object((("a", Number()), ("b", Number()))), add),
        Tool("get_status", "Tell how the server is.", None, get_status),
        Tool("fail", "Fail, to show what a client makes of it.", None, fail),
    )
