"""Drivers, one chip a file: the bus is injected, and nothing of ours is imported."""
