"""URI templates (RFC 6570, level 1): "test://template/{id}/data".

A variable stands for one or more characters other than "/", percent-encoded or not. Matching takes one pass: a template
is literals with one variable between each two, and since no variable reaches over a "/", the leftmost place of
each literal is as good as any other.
"""

from .codec import dumps, loads
from .errors import LocalError

_NAME = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
_HEX = b"0123456789abcdefABCDEF"


class UriTemplate:
    """template: str. Raises LocalError for what is no level 1 template, or has two variables side by side.

    names: list of str, the variables in their order.
    """

    def __init__(self, template):
        self._literals = [b""]
        self.names = []
        rest = template
        while rest:
            literal, brace, rest = rest.partition("{")
            if "}" in literal:
                raise LocalError("a } without its { in the URI template " + template)
            self._literals[-1] = literal.encode()
            if brace:
                name, end, rest = rest.partition("}")
                self._add(name if end else "", template)
        if not self.names:
            raise LocalError("no variable in the URI template " + template)

    def _add(self, name, template):
        if not name or any([c not in _NAME for c in name]) or name in self.names:
            raise LocalError("a variable is {name}, each of A-Z a-z 0-9 _, and once, in " + template)
        if self.names and not self._literals[-1]:
            raise LocalError("two variables side by side in the URI template " + template)
        self.names.append(name)
        self._literals.append(b"")

    def match(self, uri):
        """The variables' values, percent-decoded, as a dict of str; None if the URI is none of the template's.

        uri: bytes. A value may hold any character, also a "/" that came as %2F.
        """
        literals = self._literals
        last = len(literals) - 1
        if not uri.startswith(literals[0]) or not uri.endswith(literals[last]):
            return None
        values = {}
        start = len(literals[0])
        for i in range(1, last + 1):
            end = uri.find(literals[i], start + 1) if i < last else len(uri) - len(literals[last])
            if end <= start or uri.find(b"/", start, end) >= 0:
                return None
            value = decoded(uri[start:end])
            if value is None:
                return None
            values[self.names[i - 1]] = value
            start = end + len(literals[i])
        return values


def decoded(raw):
    """The percent-decoded text of bytes, or None where an escape is broken or the result is no UTF-8."""
    at = raw.find(b"%")
    if at >= 0:
        parts = [raw[:at]]
        while at >= 0:
            digits = raw[at + 1 : at + 3]
            if len(digits) < 2 or digits[0] not in _HEX or digits[1] not in _HEX:
                return None
            end = raw.find(b"%", at + 3)
            parts.append(bytes((int(digits, 16),)))
            parts.append(raw[at + 3 : end] if end >= 0 else raw[at + 3 :])
            at = end
        raw = b"".join(parts)
    try:
        text = raw.decode()
        # MicroPython decodes what is no UTF-8 (overlong: %C0%AF for "/"); the JSON scanner does not take it.
        return text if len(text) == len(raw) or loads(dumps(text)) == text else None
    except (ValueError, LocalError):  # CPython's UnicodeDecodeError is a ValueError
        return None
