"""Numbers in their range."""


def clamp(value, low, high):
    """`value`, or the end of low..high that is nearer."""
    return low if value < low else high if value > high else value
