"""The tool of examples/quote.py, through the server: its types written in code, and read from a JSON Schema."""
# interpreters: micropython cpython

import json
import sys

from serving import call, make, refused

from harness import eq

HERE = __file__.rsplit("/", 1)[0]
sys.path.insert(0, HERE + "/../../examples")

ACCOUNT = "3fa85f64-5717-4562-b3fc-2c963f66afa6"


def schemas():
    from umcp.codec import loads

    with open(HERE + "/../samples/quote_schema.json", "rb") as f:
        return loads(f.read())


def written_in_code(quotes):
    import quote

    return quote.tool(quotes)


def read_from_json(quotes):
    from umcp.schema import load
    from umcp.tool import Tool

    given = schemas()
    return Tool("request_quote", "Price.", load(given["request"]), quotes.quote, output=load(given["result"]))


def servers():
    """(server, repository) for each way to write the types."""
    import quote

    for way in (written_in_code, read_from_json):
        quotes = quote.Quotes({ACCOUNT: 100000})
        yield make([way(quotes)]), quotes


def order(**changes):
    line = {"sku": "ABC-1234", "quantity": 2, "unitPriceMinor": 1999}
    given = {"accountId": ACCOUNT, "currency": "USD", "lines": [line]}
    for key, value in changes.items():
        (line if key in line else given)[key] = value
    return given


def test_a_quote_is_priced_and_written_once():
    for server, quotes in servers():
        result = call(server, "request_quote", order())
        wanted = {"quoteId": "00000000-0000-4000-8000-000000000001", "totalMinor": 3998, "flags": []}
        eq(result["structuredContent"], wanted)
        eq(json.loads(result["content"][0]["text"]), wanted)
        eq(quotes.written, [(ACCOUNT, "USD", 3998)])
        eq(
            call(server, "request_quote", order(quantity=10000))["structuredContent"]["flags"],
            ["credit_hold"],
        )


def test_a_bad_order_names_its_path_and_writes_nothing():
    for server, quotes in servers():
        for changes, reason in (
            ({"sku": "abc"}, r"/lines/0/sku: does not match ^[A-Z]{3}-\d{4}$"),
            ({"sku": "ABC-1234\n"}, r"/lines/0/sku: does not match ^[A-Z]{3}-\d{4}$"),
            ({"quantity": 0}, "/lines/0/quantity: must be > 0"),
            ({"quantity": 10001}, "/lines/0/quantity: must be <= 10000"),
            ({"unitPriceMinor": -1}, "/lines/0/unitPriceMinor: must be >= 0"),
            ({"currency": "GBP"}, "/currency: must be one of USD, EUR, CNY"),
            ({"accountId": "me"}, "/accountId: must be a UUID"),
            ({"lines": []}, "/lines: must have at least 1 item"),
            ({"note": "x"}, "/note: is not a known field"),
        ):
            eq(refused(server, "request_quote", order(**changes)), "invalid_arguments: " + reason)
        eq(refused(server, "request_quote", {}), "invalid_arguments: /accountId: is required")
        eq(len(quotes.written), 0)


def test_an_unknown_account_is_a_refusal_and_writes_nothing():
    for server, quotes in servers():
        other = "00000000-0000-4000-8000-000000000000"
        eq(refused(server, "request_quote", order(accountId=other)), "unknown_account: no account " + other)
        eq(len(quotes.written), 0)


def test_the_types_list_the_schemas_they_were_written_from():
    import quote

    given = schemas()
    for kind, schema in ((quote.REQUEST, given["request"]), (quote.RESULT, given["result"])):
        eq(json.loads(json.dumps(kind.schema())), schema)
    listed = json.loads(quote.tool(quote.Quotes({})).listed())
    eq((listed["inputSchema"], listed["outputSchema"]), (given["request"], given["result"]))


def test_the_handler_is_tested_without_a_server():
    import quote

    quotes = quote.Quotes({ACCOUNT: 10})
    eq(quotes.quote(**order())["flags"], ["credit_hold"])
