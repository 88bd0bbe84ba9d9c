"""Talk with the simulated robot through a language model: the virtual chips here, the firmware beside them.

python3 host/chat.py [options of examples/chat.py]
"""

import subprocess
import sys

import interpreter
import sim
from install import ROOT, Failed


def main(arguments):
    path = interpreter.need()
    env = sim.start(sim.chips())
    firmware = subprocess.Popen([path, ROOT / "examples" / "chat.py", *arguments], env=env)
    while True:
        try:
            return firmware.wait()
        except KeyboardInterrupt:
            pass  # The firmware has had it too.


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failed as e:
        sys.exit(str(e))
