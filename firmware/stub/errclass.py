"""What kind of answer an answer is, so that two servers can be compared without comparing words.

`ok`, `tool_error` or `tool_error:CODE` (a result with isError), `rpc_error:CODE` (a JSON-RPC error), `malformed` (no
response); a transport adds `http:STATUS`, `timeout` and `disconnect`.
"""

OK = "ok"
TOOL_ERROR = "tool_error"
RPC_ERROR = "rpc_error"
MALFORMED = "malformed"
TIMEOUT = "timeout"
DISCONNECT = "disconnect"

_MAX_CODE = 64
_CODE = "abcdefghijklmnopqrstuvwxyz0123456789_"


def of_response(message):
    """The class (str) of a response, a parsed message."""
    if type(message) is not dict:
        return MALFORMED
    error = message.get("error")
    result = message.get("result")
    if (error is None) == (result is None):
        return MALFORMED
    if error is None:
        return of_result(result)
    code = error.get("code") if type(error) is dict else None
    return "%s:%d" % (RPC_ERROR, code) if type(code) is int else MALFORMED


def of_result(result):
    """The class (str) of a result: a dict, or anything else."""
    if type(result) is not dict:
        return MALFORMED
    if result.get("isError") is not True:
        return OK
    code = error_code(result)
    return TOOL_ERROR + ":" + code if code else TOOL_ERROR


def error_code(result):
    """The short code (str) of a refusal, or None: of its _meta `.../error`, or the first word of its first text.

    That is one if it is all of the first line, or all before its colon, and of a-z, 0-9 and _: "servo_off: the servo
    is off".
    """
    meta = result.get("_meta")
    for name in sorted(meta) if type(meta) is dict else ():
        told = meta[name]
        if name.endswith("/error") and type(told) is dict and type(told.get("code")) is str:
            return told["code"]
    content = result.get("content")
    for block in content if type(content) is list else ():
        if type(block) is dict and type(block.get("text")) is str:
            word = block["text"].split("\n")[0].split(":")[0]
            return word if _is_code(word) else None
    return None


# What is left of it begins with a character that no code has.
def _is_code(word):
    return 0 < len(word) <= _MAX_CODE and not word.strip(_CODE)
