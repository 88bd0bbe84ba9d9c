"""A dialogue with a large language model, which uses the tools of this robot and of other MCP servers."""
