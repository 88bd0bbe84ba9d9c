"""Set a robot's preferences over USB: provision [--port PORT] [--wifi NAME] [--token new] [--set KEY=VALUE] ...

Without options it asks. A secret is read without echo or from the environment (TSUMIKI_WIFI_PASSWORD, TSUMIKI_TOKEN),
never from the command line, and never printed. The robot's config.json changes in one step, or not at all.
"""

import getpass
import os
import re
import sys

from . import client_lines
from .device import Device
from .errors import Failed
from .settings import Settings, is_secret, parsed, shown

_PORT = 8080
_LISTEN_SECONDS = 0.5  # The port is closed when the reset has begun.
_HOSTNAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,30}[A-Za-z0-9])?")
_TOKEN = re.compile(r"[!-~]{16,128}")


def add_arguments(parser):
    parser.epilog = "example: tsumiki provision --wifi HomeNet --token new"
    parser.add_argument("--port", help="the board's serial port; not needed if it is the only one")
    parser.add_argument(
        "--wifi", metavar="NAME", help="a network to join, before those known; asks for its password"
    )
    parser.add_argument("--open", action="store_true", help="the network has no password")
    parser.add_argument("--forget", metavar="NAME", help="a network not to join any more")
    parser.add_argument("--hostname", help="the robot's name on the network: NAME.local")
    parser.add_argument(
        "--token", choices=("new", "ask"), help="another token: a random one, or one you are asked for"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY[=VALUE]",
        help="another preference; asks without VALUE",
    )
    parser.add_argument("--unset", action="append", default=[], metavar="KEY", help="back to its default")
    parser.add_argument("--show", action="store_true", help="print the preferences, secrets left out")
    parser.add_argument(
        "--show-token", action="store_true", help="print the token, and the lines for clients"
    )
    parser.add_argument("--yes", action="store_true", help="write without asking first")
    parser.add_argument("--no-reset", action="store_true", help="leave the board stopped")


class Person:
    """Who answers questions.  Raises `Failed` if nobody is there."""

    def __init__(self):
        self.there = sys.stdin.isatty()

    def ask(self, question):
        self._need(question)
        return input(question + ": ").strip()

    def ask_secret(self, question, name):
        """A secret: from the environment, else without echo."""
        value = os.environ.get(name)
        if value is not None:
            return value
        self._need("%s (or %s in the environment)" % (question, name))
        return getpass.getpass(question + " (not shown): ")

    def _need(self, question):
        if not self.there:
            raise Failed("nobody is there to ask: " + question)


def run(options, person=None):
    """Returns 0, or raises `Failed`."""
    person = person or Person()
    with Device(options.port) as device, Settings(device) as settings:
        for warning in settings.warnings:
            print("warning: " + warning)
        if not options.show and not options.show_token:
            _change(settings, options, person)
            _write(settings, options, person)
        if options.show:
            for key in sorted(settings.keys):
                print("%s = %s" % (key, shown(key, settings.get(key))))
        if options.show_token:
            _show_token(settings)
        if not options.no_reset:
            device.reset()
            device.listen(_LISTEN_SECONDS, lambda said: False)
    return 0


def _change(settings, options, person):
    given = (options.wifi, options.forget, options.hostname, options.token, options.set, options.unset)
    if not any(given):
        _interview(settings, person)
    if options.forget:
        forget(settings, options.forget)
    if options.wifi:
        secret = (
            ""
            if options.open
            else person.ask_secret("Password of %s" % options.wifi, "TSUMIKI_WIFI_PASSWORD")
        )
        join(settings, options.wifi, secret)
    if options.hostname:
        name_it(settings, options.hostname)
    if options.token == "new":
        from http1.new_token import new_token  # in firmware/

        settings.set("mcp.token", new_token())
    elif options.token:
        _set_token(settings, person.ask_secret("Token, 16 characters or more", "TSUMIKI_TOKEN"))
    for word in options.set:
        _set(settings, word, person)
    for key in options.unset:
        settings.set(key, None)


def _interview(settings, person):
    known = settings.get("wifi.names")
    name = person.ask("Wi-Fi name" + (" (Enter: leave %s)" % ", ".join(known) if known else " (Enter: none)"))
    if name:
        secret = person.ask_secret("Password of %s, Enter if it is open" % name, "TSUMIKI_WIFI_PASSWORD")
        join(settings, name, secret)
    name = person.ask("The robot's name on the network (Enter: %s)" % settings.get("wifi.hostname"))
    if name:
        name_it(settings, name)


def join(settings, name, secret):
    """Put a network before those that are known.  secret: str, "" for an open one."""
    if not 0 < len(name.encode()) <= 32:
        raise Failed("a Wi-Fi name has 1 to 32 bytes")
    if secret and not 8 <= len(secret.encode()) <= 63:
        raise Failed("a Wi-Fi password has 8 to 63 characters; an open network: --open")
    _keep_networks(settings, [(name, secret)] + [pair for pair in _networks(settings) if pair[0] != name])


def forget(settings, name):
    """Leave a network out.  Raises `Failed` if it is not known."""
    networks = _networks(settings)
    if name not in [known for known, _ in networks]:
        raise Failed(
            "the robot does not know %s; it knows: %s" % (name, ", ".join(n for n, _ in networks) or "none")
        )
    _keep_networks(settings, [pair for pair in networks if pair[0] != name])


# A password may be missing at the end of the list: such a network is open.
def _networks(settings):
    names = list(settings.get("wifi.names"))
    secrets = list(settings.get("wifi.passwords"))[: len(names)]
    return list(zip(names, secrets + [""] * (len(names) - len(secrets))))


def _keep_networks(settings, networks):
    settings.set("wifi.names", [name for name, _ in networks] or None)
    settings.set("wifi.passwords", [secret for _, secret in networks] or None)


def name_it(settings, name):
    """The robot's name on the network."""
    if not _HOSTNAME.fullmatch(name):
        raise Failed(
            "a host name has 1 to 32 letters, digits and hyphens, and none of these at its ends but letters and digits"
        )
    settings.set("wifi.hostname", name)


def _set_token(settings, token):
    if not _TOKEN.fullmatch(token):
        raise Failed("a token has 16 to 128 visible ASCII characters")
    settings.set("mcp.token", token)


def _set(settings, word, person):
    key, equals, text = word.partition("=")
    settings.get(key)
    if is_secret(key) and equals:
        raise Failed(
            "%s is a secret, and the command line is no place for it: --set %s asks for it" % (key, key)
        )
    if not equals:
        name = "TSUMIKI_" + key.upper().replace(".", "_")
        text = person.ask_secret(key, name) if is_secret(key) else person.ask(key)
    if key == "mcp.token":
        _set_token(settings, text)
    else:
        settings.set(key, parsed(key, text, settings.keys))


def _write(settings, options, person):
    changes = settings.changes()
    if not changes:
        print("nothing changes")
        return
    print("\n".join(changes))
    if (
        person.there
        and not options.yes
        and person.ask("Write this? (Enter: yes, n: no)").lower().startswith("n")
    ):
        raise Failed("nothing was written")
    settings.save()
    print("written")


def _show_token(settings):
    token = settings.get("mcp.token")
    if not token:
        raise Failed("the robot has no token yet: it makes one at its first start, or --token new does")
    print("token: " + token)
    print(client_lines.text("http://%s.local:%d/mcp" % (settings.get("wifi.hostname"), _PORT), token))
