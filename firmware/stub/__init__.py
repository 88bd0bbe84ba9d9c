"""MCP servers out of a file: fixtures, what matches an argument, generated answers and classes of errors.

The host command and the robot serve the same fixture with this code; it needs `umcp` and nothing else.
"""
