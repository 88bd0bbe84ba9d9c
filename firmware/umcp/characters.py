"""The characters of a text that a peer sent.

On MicroPython `for c in text` makes each character a name, and names stay for ever: a peer that sends other
characters every time would fill the heap. A slice is no name.
"""


def is_ascii(text):
    """Whether all its characters are ASCII."""
    return len(text.encode("utf-8", "surrogatepass")) == len(text)


def each(text):
    """What gives the characters in turn."""
    # ASCII has few enough to become names.
    return text if is_ascii(text) else _slices(text)


def _slices(text):
    for i in range(len(text)):
        yield text[i : i + 1]
