"""Protocol versions, told apart by date (MCP basic: lifecycle, version negotiation)."""

V2024_11_05 = "2024-11-05"
V2025_03_26 = "2025-03-26"
V2025_06_18 = "2025-06-18"
V2025_11_25 = "2025-11-25"

# The versions that open with `initialize`, oldest first: a sealed session id holds an index into this table.
LEGACY = (V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25)

# The same by the bytes of a header or a message.
BY_NAME = {version.encode(): version for version in LEGACY}

# What a request without MCP-Protocol-Version and without a session speaks (2025-06-18, transports).
ASSUMED = V2025_03_26


def negotiate(requested):
    """The version to answer to `initialize`: the requested one (bytes) if we speak it, else our latest."""
    return BY_NAME.get(requested, LEGACY[-1])
