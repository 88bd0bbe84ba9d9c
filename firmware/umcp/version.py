"""Protocol versions, told apart by date (MCP basic: lifecycle, version negotiation)."""

# The versions that open with `initialize`, oldest first: a sealed session id holds an index into this table.
LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")

# The same by the bytes of a header or a message.
BY_NAME = {version.encode(): version for version in LEGACY}

# What a request without MCP-Protocol-Version and without a session speaks (2025-06-18, transports), and the only one
# that has batches.
ASSUMED = LEGACY[1]

# The version without sessions, whose every request says its version in params._meta (2026-07-28).
MODERN = "2026-07-28"
