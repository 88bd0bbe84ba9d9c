"""What kind of answer an answer is."""

from harness import eq
from stub.errclass import error_code, of_response, of_result


def refusal(text, **more):
    return dict({"isError": True, "content": [{"type": "text", "text": text}]}, **more)


def test_a_response_is_ok_an_error_of_the_tool_or_of_the_protocol():
    eq(of_response({"id": 1, "result": {}}), "ok")
    eq(of_response({"id": 1, "result": {"isError": False, "content": []}}), "ok")
    eq(of_response({"id": 1, "error": {"code": -32602, "message": "x"}}), "rpc_error:-32602")
    eq(of_response({"id": 1, "result": refusal("servo_off: no power")}), "tool_error:servo_off")


def test_what_is_no_response_is_malformed():
    for message in (
        None,
        [],
        {"id": 1},
        {"result": {}, "error": {"code": 1}},
        {"error": {"code": True}},
        {"error": 1},
    ):
        eq((message, of_response(message)), (message, "malformed"))
    eq(of_result(None), "malformed")
    eq(of_result([]), "malformed")


def test_the_code_of_a_refusal_is_its_first_word():
    eq(error_code(refusal("unknown_account")), "unknown_account")
    eq(error_code(refusal("invalid_arguments: /a: is required")), "invalid_arguments")
    eq(error_code(refusal("busy\nsecond line")), "busy")
    for text in ("text is required", "Tool execution failed: x", "", ": x", "a.b", "x" * 65):
        eq((text, error_code(refusal(text))), (text, None))
    eq(of_result(refusal("text is required")), "tool_error")


def test_the_meta_of_a_refusal_comes_first():
    meta = {"com.example/error": {"class": "domain", "code": "low_stock"}}
    eq(error_code(refusal("something else", _meta=meta)), "low_stock")
    eq(error_code(refusal("busy", _meta={"com.example/error": {"code": 5}, "x": 1})), "busy")
    eq(
        error_code({"isError": True, "content": [{"type": "image"}, {"type": "text", "text": "busy"}]}),
        "busy",
    )
    eq(error_code({"isError": True, "content": "busy"}), None)
