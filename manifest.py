# Freezes the whole firmware into an image: make -C .../ports/esp32 FROZEN_MANIFEST=.../manifest.py BOARD_DIR=...
# A board's own manifest includes this one, and the port's, and its folder of modules.

metadata(version="0.1.0", description="MCP on a Stack-chan style robot")

package("umcp", base_path="firmware")
package("http1", base_path="firmware")
package("net", base_path="firmware")
package("stub", base_path="firmware")
package("robot", base_path="firmware")
package("chat", base_path="firmware")
package("drivers", base_path="firmware")
package("m5stack", base_path="firmware")

module("mcpserver.py", base_path="firmware")
module("config.py", base_path="firmware")
module("app.py", base_path="firmware")
module("device.py", base_path="firmware")
module("soc.py", base_path="firmware")
module("speaking.py", base_path="firmware")
module("setup.py", base_path="firmware")
module("setup_page.py", base_path="firmware")
module("webpage.py", base_path="firmware")
module("main.py", base_path="firmware")
