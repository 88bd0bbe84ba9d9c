"""The types of a quote: what the tests of types share."""

from umcp.types import Array, Integer, Object, String

LINE = Object(
    (
        ("sku", String(pattern=r"^[A-Z]{3}-\d{4}$")),
        ("quantity", Integer(above=0, max=10000)),
        ("unitPriceMinor", Integer(min=0)),
    )
)
QUOTE = Object(
    (
        ("accountId", String(format="uuid")),
        ("currency", String(enum=("USD", "EUR", "CNY"))),
        ("lines", Array(LINE, min_items=1, max_items=200)),
    )
)
