from harness import eq
from umcp.errors import RemoteError, ToolError, Violation


def test_a_tool_error_reads_code_then_message():
    eq(str(ToolError("servo_off", "torque is off")), "servo_off: torque is off")
    eq(str(ToolError("busy")), "busy")


def test_a_violation_names_its_path():
    eq(str(Violation("/lines/0/sku", "is required")), "/lines/0/sku: is required")
    eq(str(Violation("", "must be an object")), "/: must be an object")


def test_a_remote_error_carries_its_code_and_status():
    e = RemoteError(-32700, "Parse error", status=400)
    eq((e.code, e.message, e.data, e.status), (-32700, "Parse error", None, 400))
