"""The host command: simulator, virtual hardware, and what else runs on CPython."""
