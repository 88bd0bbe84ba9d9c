"""JSON-RPC messages: what each is, ids byte for byte, and the members of params, however they are written."""

import json

from harness import eq, raises
from umcp.errors import INVALID_REQUEST, PARSE_ERROR, RemoteError
from umcp.rpc import ARGUMENTS, CURSOR, NAME, NOTIFICATION, REQUEST, RESPONSE, Message, error, result


def read(text):
    message = Message()
    raw = text if isinstance(text, bytes) else text.encode()
    # Somewhere in a buffer, as in the server.
    return message, message.parse(bytearray(b"head" + raw + b"next"), 4, 4 + len(raw))


def kind(rest):
    return read('{"jsonrpc":"2.0",' + rest + "}")[1]


def why(text):
    e = raises(RemoteError, read, text)
    eq(e.status, 400)
    return e.code, e.message


def test_messages_are_told_apart():
    eq(kind('"id":1,"method":"m"'), REQUEST)
    eq(kind('"method":"m","params":{},"id":"x"'), REQUEST)
    eq(kind('"method":"m"'), NOTIFICATION)
    eq(kind('"method":"m","params":{}'), NOTIFICATION)
    eq(kind('"id":1,"result":{}'), RESPONSE)
    eq(kind('"id":1,"error":{"code":1,"message":""}'), RESPONSE)
    eq(read("[]")[1], None)
    eq(read(' [{"jsonrpc":"2.0","id":1,"method":"m"}] ')[1], None)


def test_an_envelope_that_is_no_message_is_refused():
    envelope = "Invalid Request: not a JSON-RPC 2.0 object"
    for text in ("{}", "1", '"a"', "null", '{"id":1,"method":"m"}', '{"jsonrpc":2.0,"id":1,"method":"m"}'):
        eq(why(text), (INVALID_REQUEST, envelope))
    eq(why('{"jsonrpc":"1.0","id":1,"method":"m"}'), (INVALID_REQUEST, envelope))
    for rest in ('"id":1', '"id":1,"result":{},"error":{}', '"result":{}', '"error":{}', '"params":{}'):
        eq(
            why('{"jsonrpc":"2.0",' + rest + "}"),
            (INVALID_REQUEST, "Invalid Request: neither a request nor a response"),
        )
    for method in ("1", "null", "{}", "[]", "true"):
        eq(
            why('{"jsonrpc":"2.0","id":1,"method":%s}' % method),
            (INVALID_REQUEST, "Invalid Request: method must be a string"),
        )
    for params in ("1", "null", '"a"', "[]", "true"):
        for id in ('"id":1,', ""):
            text = '{"jsonrpc":"2.0",%s"method":"m","params":%s}' % (id, params)
            eq(why(text), (INVALID_REQUEST, "Invalid Request: params must be an object"))


def test_an_id_is_a_string_or_an_integer():
    for id in ("null", "true", "false", "1.0", "1e2", "{}", "[]", "[1]"):
        text = '{"jsonrpc":"2.0","id":%s,"method":"m"}' % id
        eq(why(text), (INVALID_REQUEST, "Invalid Request: id must be a string or an integer"))


def test_an_id_is_kept_byte_for_byte():
    for id in (
        "0",
        "-1",
        "1",
        "123456789012345678901234567890",
        '""',
        '"0"',
        '"\\u0041"',
        '"é😀"',
        '"\\ud83d"',
    ):
        message, what = read('{"id": %s ,"jsonrpc":"2.0","method":"m"}' % id)
        eq((what, message.id), (REQUEST, id.encode()))
        eq(b"".join(result(message.id, b"")), b'{"jsonrpc":"2.0","id":' + id.encode() + b',"result":{}}')


def test_no_json_is_a_parse_error():
    for text in (
        "",
        "{",
        "[1,]",
        '{"jsonrpc":"2.0","id":01,"method":"m"}',
        b"\xff",
        '{"jsonrpc":"2.0" "id":1}',
    ):
        eq(why(text), (PARSE_ERROR, "Parse error"))


def test_members_of_params_are_found():
    message, _ = read(
        '{"jsonrpc":"2.0","id":1,"method":"tools/call",'
        '"params":{"arguments":{"name":"no","x":[1]},"name":"echo","_meta":{"cursor":"no"}}}'
    )
    eq(
        (message.method, message.text(NAME), message.object(ARGUMENTS)),
        (b"tools/call", b"echo", {"name": "no", "x": [1]}),
    )
    eq((message.has(CURSOR), message.text(CURSOR)), (False, None))


def test_members_of_a_wrong_kind():
    for value in ("1", "null", "true", "[]", "{}"):
        eq(read('{"jsonrpc":"2.0","id":1,"method":"m","params":{"name":%s}}' % value)[0].text(NAME), None)
    for value in ("1", '"a"', "true", "[]", '"{}"'):
        eq(
            read('{"jsonrpc":"2.0","id":1,"method":"m","params":{"arguments":%s}}' % value)[0].object(
                ARGUMENTS
            ),
            None,
        )
    for params in ("{}", '{"arguments":null}', '{"arguments":{}}'):
        eq(read('{"jsonrpc":"2.0","id":1,"method":"m","params":%s}' % params)[0].object(ARGUMENTS), {})
    message, _ = read('{"jsonrpc":"2.0","id":1,"method":"m","params":{"cursor":null}}')
    eq(message.has(CURSOR), False)
    message, _ = read('{"jsonrpc":"2.0","id":1,"method":"m","params":{"cursor":""}}')
    eq((message.has(CURSOR), message.text(CURSOR)), (True, b""))


def test_names_and_values_may_be_written_with_escapes():
    message, what = read(
        '{"jsonrpc":"2.0","id":"\\u0041","m\\u0065thod":"tools\\/c\\u0061ll","par\\u0061ms":'
        '{"n\\u0061me":"\\ud83d\\ude00","arguments":{"\\u0078":"\\n"}}}'
    )
    eq((what, message.id, message.method), (REQUEST, b'"A"', b"tools/call"))
    eq((message.text(NAME), message.object(ARGUMENTS)), ("😀".encode(), {"x": "\n"}))
    message, what = read('{"jsonrpc":"2.0","id":1,"method":"p\\u0069ng"}')
    eq((what, message.method), (REQUEST, b"ping"))
    # An object whose rewritten form is shorter is still no array.
    eq(why('{"\\u006a":["[[[[[[["]}'), (INVALID_REQUEST, "Invalid Request: not a JSON-RPC 2.0 object"))


def test_another_member_may_have_a_name_that_needs_an_escape():
    message, what = read('{"jsonrpc":"2.0","id":1,"method":"m","a\\n":1,"params":{"name":"x","\\"":2}}')
    eq((what, message.method, message.text(NAME)), (REQUEST, b"m", b"x"))


def test_of_a_repeated_member_the_last_counts():
    for name in ("method", "meth\\u006fd"):
        message, what = read('{"jsonrpc":"2.0","id":1,"id":"b","method":"a","%s":"c"}' % name)
        eq((what, message.id, message.method), (REQUEST, b'"b"', b"c"))
    message, _ = read('{"jsonrpc":"2.0","id":1,"method":"m","params":{"name":"a"},"params":{"cursor":"c"}}')
    eq((message.text(NAME), message.text(CURSOR)), (None, b"c"))


def test_a_number_out_of_range_among_escaped_names_is_refused():
    text = '{"jsonrpc":"2.0","id":1,"method":"m","\\u0061":1e999}'
    eq(why(text), (INVALID_REQUEST, "Invalid Request: a number is out of range"))


def test_a_message_past_what_a_place_can_tell_is_refused():
    head = '{"jsonrpc":"2.0","id":1,"method":"m","x":"'
    fits = head + "a" * (65535 - 4 - len(head) - 2) + '"}'
    eq(read(fits)[1], REQUEST)
    eq(why(fits[:-2] + 'a"}'), (INVALID_REQUEST, "Invalid Request: too long"))
    # What is written anew without escapes may be longer: numbers under CPython, texts under MicroPython.
    text = '{"jsonrpc":"2.0","id":1,"method":"m","\\u0061":[%s"%s"]}' % ("1e15," * 4000, "\\b" * 12000)
    assert len(text) < 50000
    eq(why(text), (INVALID_REQUEST, "Invalid Request: too long"))


def test_one_message_follows_another():
    message = Message()
    first = b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"name":"n","arguments":{"a":1}}}'
    eq(message.parse(first, 0, len(first)), REQUEST)
    second = b'{"jsonrpc":"2.0","method":"n"}'
    eq(message.parse(second, 0, len(second)), NOTIFICATION)
    eq((message.id, message.method, message.text(NAME), message.object(ARGUMENTS)), (None, b"n", None, {}))


def test_error_responses():
    eq(
        json.loads(error(None, -32700, "Parse error")),
        {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}},
    )
    answer = json.loads(error(b'"a"', -1, 'say "é"', {"x": [1]}))
    eq(answer, {"jsonrpc": "2.0", "id": "a", "error": {"code": -1, "message": 'say "é"', "data": {"x": [1]}}})
