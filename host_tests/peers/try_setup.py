"""The access point's page on this machine: try_setup.py PORT DNS_PORT FOLDER. It ends where a robot restarts."""

import asyncio
import sys

here = __file__.rsplit("/", 1)[0]
sys.path.insert(0, here + "/../../firmware")

from config import Preferences  # noqa: E402
from setup import Setup  # noqa: E402


async def main():
    port, dns_port, folder = sys.argv[1:]
    setup = Setup(
        Preferences(folder + "/config.json"),
        "127.0.0.1",
        ["home", "a cafe"],
        {"imu": "it does not answer"},
        sys.exit,
        print,
        int(port),
        int(dns_port),
    )
    run = asyncio.create_task(setup.run())
    while setup.server.listener is None:
        await asyncio.sleep_ms(10)
    print("listening on 127.0.0.1:" + port)
    await run


asyncio.run(main())
