"""The access point's page: what it tells, what it keeps, and where it leads those who ask for another."""

import asyncio
import json
import os

from ram_flash import Flash

import setup as module
from config import Preferences
from harness import eq, port
from setup import Setup

HOST = "192.168.4.1"


class Fast:
    """asyncio, for a module that waits long."""

    create_task = asyncio.create_task

    @staticmethod
    def sleep_ms(ms):
        return asyncio.sleep_ms(ms // 100)


class Running:
    """A setup on free ports, over the preferences of a RAM disk.  restarts: how often it wanted to restart."""

    async def __aenter__(self):
        flash = Flash()
        os.VfsLfs2.mkfs(flash)
        os.mount(os.VfsLfs2(flash), "/flash")
        self.preferences = Preferences("/flash/config.json")
        self.preferences.set("mcp.token", "a-token-of-the-owner")
        self.restarts = 0
        self.port = port()
        networks = ["home", "cafe"]
        self.setup = Setup(
            self.preferences,
            HOST,
            networks,
            {"imu": "it does not answer"},
            self._restart,
            lambda *said: None,
            self.port,
            port(),
        )
        self.task = asyncio.create_task(self.setup.run())
        await asyncio.sleep_ms(50)
        return self

    async def __aexit__(self, *error):
        self.task.cancel()
        await self.setup.server.close()
        os.umount("/flash")

    def _restart(self):
        self.restarts += 1

    async def ask(self, method, path, body=b"", host=HOST, **fields):
        """(status, head, body)"""
        stream, _ = await asyncio.open_connection("127.0.0.1", self.port)
        lines = "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n" % (method, path, host)
        if body:
            lines += "Content-Length: %d\r\nContent-Type: application/json\r\n" % len(body)
        for name, value in fields.items():
            lines += "%s: %s\r\n" % (name, value)
        stream.write(lines.encode() + b"\r\n" + body)
        await stream.drain()
        head, _, rest = (await stream.read(-1)).partition(b"\r\n\r\n")
        stream.close()
        return int(head[9:12]), head, rest

    async def keep(self, **asked):
        status, _, body = await self.ask("POST", "/setup", json.dumps(asked).encode())
        return status, json.loads(body)


async def test_the_page_and_what_it_needs_to_know():
    async with Running() as run:
        status, head, page = await run.ask("GET", "/")
        eq(status, 200)
        assert b"text/html" in head and b"default-src 'none'" in head and page.startswith(b"<!doctype html>")
        known = json.loads((await run.ask("GET", "/setup"))[2])
        eq(
            known,
            {
                "hostname": "tsumiki",
                "networks": ["home", "cafe"],
                "missing": {"imu": "it does not answer"},
            },
        )


async def test_a_network_is_kept_and_the_robot_restarts():
    async with Running() as run:
        eq((await run.keep(name="home", password="eight888", hostname="desk-robot"))[0], 200)
        get = Preferences("/flash/config.json").get
        eq((get("wifi.names"), get("wifi.passwords")), (["home"], ["eight888"]))
        eq((get("wifi.hostname"), get("mcp.token")), ("desk-robot", "a-token-of-the-owner"))
        for name in ("cafe", "home", "a", "b", "c"):
            await run.keep(name=name)
        get = Preferences("/flash/config.json").get
        eq((get("wifi.names"), get("wifi.passwords")), (["c", "b", "a", "home"], [""] * 4))
        eq(get("wifi.hostname"), "desk-robot")
        for _ in range(60):
            if run.restarts:
                break
            await asyncio.sleep_ms(50)
        assert run.restarts


async def test_what_is_wrong_is_told_and_changes_nothing():
    async with Running() as run:
        for asked, path in (
            ({}, "/name"),
            ({"name": ""}, "/name"),
            ({"name": "x" * 33}, "/name"),
            ({"name": "家" * 11}, "/name"),
            ({"name": "home", "password": "家" * 22}, "/password"),
            ({"name": "home", "password": "short"}, "/password"),
            ({"name": "home", "password": "x" * 64}, "/password"),
            ({"name": "home", "hostname": "Not A Name"}, "/hostname"),
            ({"name": "home", "hostname": "-"}, "/hostname"),
            ({"name": "home", "hostname": "robot-"}, "/hostname"),
            ({"name": "home", "token": "mine-from-now-on"}, "/token"),
        ):
            status, said = await run.keep(**asked)
            eq((asked, status, said["message"].split(":")[0]), (asked, 400, path))
        eq((await run.ask("POST", "/setup", b"{"))[0], 400)
        eq((await run.ask("POST", "/setup", b"{" + b" " * 600))[0], 413)
        eq((Preferences("/flash/config.json").get("wifi.names"), run.restarts), ((), 0))


async def test_a_network_whose_password_was_left_out_is_kept_too():
    async with Running() as run:
        run.preferences.update({"wifi.names": ["old", "open"], "wifi.passwords": ["old-password"]})
        eq((await run.keep(name="home", password="eight888"))[0], 200)
        get = Preferences("/flash/config.json").get
        eq(get("wifi.names"), ["home", "old", "open"])
        eq(get("wifi.passwords"), ["eight888", "old-password", ""])


async def test_the_name_that_a_robot_has_may_be_sent_back():
    async with Running() as run:
        for name in ("MyRobot", "desk--robot"):
            run.preferences.set("wifi.hostname", name)
            known = json.loads((await run.ask("GET", "/setup"))[2])
            eq((await run.keep(name="home", hostname=known["hostname"]))[0], 200)


async def test_preferences_that_are_full_are_told():
    async with Running() as run:
        hosts = ["h" * 100] * 38
        run.preferences.set("net.allowed_hosts", hosts)
        status, said = await run.keep(name="n" * 32, password="p" * 63)
        eq((status, said), (400, {"message": "the preferences may have 4096 bytes"}))


async def test_a_page_whose_listener_died_is_there_again():
    module.asyncio = Fast
    try:
        async with Running() as run:
            before = run.setup.server.listener
            before.task.cancel()
            for _ in range(100):
                if run.setup.server.listener not in (before, None):
                    break
                await asyncio.sleep_ms(20)
            eq((await run.ask("GET", "/"))[0], 200)
    finally:
        module.asyncio = asyncio


async def test_a_phone_that_asks_for_another_page_is_led_to_this_one():
    async with Running() as run:
        for path, host in (
            ("/generate_204", "connectivitycheck.example"),
            ("/x", HOST),
            ("/", "captive.example"),
        ):
            status, head, _ = await run.ask("GET", path, host=host)
            eq((path, status), (path, 302))
            assert b"\r\nLocation: http://%s/\r\n" % HOST.encode() in head, head


async def test_a_page_from_elsewhere_changes_nothing():
    async with Running() as run:
        body = b'{"name":"evil"}'
        eq((await run.ask("POST", "/setup", body, Origin="http://evil.example"))[0], 403)
        eq((await run.ask("POST", "/setup", body, host="evil.example"))[0], 403)
        eq((await run.ask("POST", "/setup", body, Origin="http://" + HOST))[0], 200)
