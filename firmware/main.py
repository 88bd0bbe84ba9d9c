"""Boot: finds the version in force, where `tsumiki deploy` keeps two, starts the device, and nothing else."""

import sys

try:
    with open("/tsumiki/slot") as f:
        sys.path.insert(0, "/tsumiki/" + f.read(1))
except OSError:
    pass  # There is one, in the image or beside this file.

import device

device.main()
