"""The Model Context Protocol in MicroPython, sans I/O: bytes in, bytes out.

Import the module that you need, and only it takes memory: `umcp.server`, `umcp.tool` and `umcp.types` serve tools;
`umcp.client` calls them. Nothing here knows a socket or a clock.
"""

VERSION = "0.1.0"
