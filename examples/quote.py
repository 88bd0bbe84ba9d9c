"""A typed tool: it prices a list of goods, or says what is wrong with it.

Start it: micropython examples/quote.py [PORT]
"""

import sys

sys.path.insert(0, __file__.rsplit("/", 1)[0] + "/../firmware")

from umcp.errors import ToolError
from umcp.tool import Tool
from umcp.types import Array, Integer, Object, String

LINE = Object(
    (
        ("sku", String(pattern=r"^[A-Z]{3}-\d{4}$")),
        ("quantity", Integer(above=0, max=10000)),
        ("unitPriceMinor", Integer(min=0, description="Price of one, in cents.")),
    )
)
REQUEST = Object(
    (
        ("accountId", String(format="uuid", description="Account that asks for the quote.")),
        ("currency", String(enum=("USD", "EUR", "CNY"))),
        ("lines", Array(LINE, min_items=1, max_items=200)),
    )
)
RESULT = Object(
    (
        ("quoteId", String(format="uuid")),
        ("totalMinor", Integer(min=0)),
        ("flags", Array(String(enum=("credit_hold", "below_floor", "manual_review")))),
    )
)


class Quotes:
    """The accounts that may ask, and the quotes they got.  accounts: dict of account -> greatest total, in cents."""

    def __init__(self, accounts):
        self.accounts = accounts
        self.written = []

    def quote(self, accountId, currency, lines):
        """The handler: checked values in, a value of RESULT out. It knows nothing of MCP."""
        if accountId not in self.accounts:
            raise ToolError("unknown_account", "no account %s" % accountId)
        total = sum([line["quantity"] * line["unitPriceMinor"] for line in lines])
        flags = ["credit_hold"] if total > self.accounts[accountId] else []
        self.written.append((accountId, currency, total))
        return {
            "quoteId": "00000000-0000-4000-8000-%012x" % len(self.written),
            "totalMinor": total,
            "flags": flags,
        }


def tool(quotes):
    return Tool(
        "request_quote", "Price a list of goods for an account.", REQUEST, quotes.quote, output=RESULT
    )


async def main(port):
    import asyncio

    from mcpserver import McpServer

    quotes = Quotes({"3fa85f64-5717-4562-b3fc-2c963f66afa6": 100000})
    server = McpServer(
        "quotes", "1.0", (tool(quotes),), token="a-token-of-16-or-more", host="127.0.0.1", port=port
    )
    if not await server.start():
        sys.exit(server.error)
    print("listening on 127.0.0.1:%d" % port)
    while True:
        await asyncio.sleep(3600)


if __name__ == "__main__":
    import asyncio

    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 8082))
