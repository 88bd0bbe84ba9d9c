"""What the robot is: face, head, voice, lights and senses, and the MCP tools over them."""
