"""The root certificate that a robot is to trust, as DER: ca HOST[:PORT], or ca --bundle NAME

MicroPython verifies a server only with its authority's certificate in this form, which the preferences name (`chat.ca`,
`servers.ca`, `tts.ca`). With HOST the server is connected to, verified against this computer's own list of authorities,
and the root of its chain is written. With --bundle the one of that list whose name has NAME in it.

  tsumiki ca api.openai.com --out openai.der
  mpremote cp openai.der :openai.der
"""

import argparse
import hashlib
import socket
import ssl
from pathlib import Path

from .errors import Failed, Unreachable, Unreadable

_SECONDS = 10
_SHOWN = 20


def add_arguments(parser):
    parser.description, parser.formatter_class = __doc__, argparse.RawDescriptionHelpFormatter
    parser.add_argument("host", metavar="HOST[:PORT]", nargs="?", help="a server to connect to; port 443")
    parser.add_argument("--bundle", metavar="NAME", help="the authority whose name has NAME in it instead")
    parser.add_argument(
        "--trusted", metavar="F", help="PEM file of authorities, instead of this computer's list"
    )
    parser.add_argument("--out", metavar="F", help="the file to write; ca.der")


def run(options):
    """0. Prints whose certificate it is.  Raises Failed."""
    if bool(options.host) == bool(options.bundle):
        raise Unreadable("a HOST, or --bundle NAME")
    context = trusting(options.trusted)
    der = of_host(options.host, context) if options.host else of_bundle(options.bundle, context)
    path = Path(options.out or "ca.der")
    try:
        path.write_bytes(der)
    except OSError as e:
        raise Failed("%s: %s" % (path, e.strerror)) from None
    print("%s: %d bytes" % (path, len(der)))
    for line in described(der):
        print("  " + line)
    return 0


def trusting(path=None):
    """An `ssl.SSLContext` that verifies with the authorities of a PEM file, or of this computer.  Raises Unreadable."""
    try:
        context = ssl.create_default_context(cafile=path)
    except (OSError, ssl.SSLError) as e:
        raise Unreadable("%s: no PEM file of certificates: %s" % (path, e)) from None
    if path is None and not context.get_ca_certs():
        try:
            import certifi  # where the system's list is a folder, or none
        except ModuleNotFoundError:
            raise Failed(
                "this computer has no list of authorities: --trusted FILE, or pip install certifi"
            ) from None
        context.load_verify_locations(certifi.where())
    return context


def of_host(where, context):
    """The root of a server's chain, DER: bytes.  where: `host`, `host:port` or `[address]:port`."""
    host, port = _apart(where)
    try:
        with socket.create_connection((host, port), _SECONDS) as raw:
            with context.wrap_socket(raw, server_hostname=host) as sock:
                return _chain(sock)[-1]
    except ssl.SSLCertVerificationError as e:
        raise Failed("%s is not to be trusted: %s; nothing was written" % (host, e.verify_message)) from None
    except OSError as e:
        raise Unreachable("%s:%d: %s" % (host, port, e.strerror or e)) from None


def of_bundle(name, context):
    """The authority whose name has `name` in it, DER: bytes.  Raises Unreadable if there is none, or several."""
    names = _names(context)
    exact = [der for der, full in names.items() if name in full]
    found = exact or [
        der for der, full in names.items() if any(name.lower() in part.lower() for part in full)
    ]
    if len(found) == 1:
        return found[0]
    if not found:
        raise Unreadable("no authority has %s in its name" % name)
    listed = sorted(", ".join(names[der]) for der in found)[:_SHOWN]
    raise Unreadable("%d authorities have %s in their names:\n  %s" % (len(found), name, "\n  ".join(listed)))


def described(der):
    """Lines of text about a certificate."""
    found = _parsed(der)
    yield "of " + ", ".join(_parts(found.get("subject", ()))) if found else "no certificate of an authority"
    if found:
        yield "until " + found["notAfter"]
    yield "sha256 " + hashlib.sha256(der).hexdigest()


def _apart(where):
    host, colon, port = where.rpartition(":")
    if not colon or (":" in host and not host.endswith("]")):
        host, port = where, "443"
    if not port.isdigit() or not 0 < int(port) < 65536:
        raise Unreadable("%s: the port is a number from 1 to 65535" % where)
    return host.strip("[]"), int(port)


# Public since Python 3.13; there since 3.10.
def _chain(sock):
    if hasattr(sock, "get_verified_chain"):
        return sock.get_verified_chain()
    return [one.public_bytes(ssl._ssl.ENCODING_DER) for one in sock._sslobj.get_verified_chain()]


# {DER: the parts of the subject's name}
def _names(context):
    raw = context.get_ca_certs(binary_form=True)
    return {der: _parts(found["subject"]) for der, found in zip(raw, context.get_ca_certs())}


def _parts(subject):
    return [value for group in subject for _, value in group]


# Python's ssl parses the certificates of authorities only, and only those that a context has.
def _parsed(der):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cadata=der)
    found = context.get_ca_certs()
    return found[0] if found else None
