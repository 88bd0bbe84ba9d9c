"""The `format` "uuid" of texts (RFC 9562)."""


def refusal(kind, text):
    """Why a text is refused, or None."""
    if len(text) == 36 and text[8] == text[13] == text[18] == text[23] == "-":
        digits = text.replace("-", "")
        try:
            if len(digits) == 32 and len(bytes.fromhex(digits)) == 16:
                return None
        except ValueError:
            pass
    return "must be a UUID"
