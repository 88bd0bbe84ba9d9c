"""The example server as a device should start it when memory is short: small_heap.py ARGUMENTS of the example.

Garbage that is collected often leaves what stays close together, so that a long request still finds a piece for it.
"""

import asyncio
import gc

gc.threshold(4096)

import dummy_server  # noqa: E402

asyncio.run(dummy_server.main())
