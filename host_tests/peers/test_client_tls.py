"""The client over TLS: it talks to a server that its CA vouches for, and to no other.

The server runs in this process, on CPython's ssl; the certificates are made for the run.
"""

import json

import pytest

import interpreter
from fakes import faulty
from fakes.certificates import Authority
from free_ports import free_port
from install import ROOT
from processes import run_limited

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")


@pytest.fixture(scope="module")
def authority():
    return Authority()


class Peer:
    """A TLS server, and what a client under MicroPython makes of it."""

    def __init__(self, context, folder):
        self.port = free_port()
        self.folder = folder
        self.handshakes = 0
        self.context = context
        self.server = faulty.start(self.port, self._wrap)

    def _wrap(self, sock):
        made = self.context.wrap_socket(sock, server_side=True)
        self.handshakes += 1
        return made

    def meet(self, ca, host="localhost", calls=1, path="/ok/1"):
        (self.folder / "ca.der").write_bytes(ca or b"")
        url = "https://%s:%d%s" % (host, self.port, path)
        script = ROOT / "host_tests" / "peers" / "try_tls.py"
        _, output = run_limited(
            [interpreter.need(), script, url, self.folder / "ca.der", calls],
            env=interpreter.environment(),
            cwd=ROOT,
        )
        assert "t0ken" not in output
        return json.loads(output.splitlines()[-1])


def test_a_server_that_the_ca_vouches_for(authority, tmp_path):
    peer = Peer(authority.server(tmp_path), tmp_path)
    assert peer.meet(authority.der, calls=5) == ["ok", 5]
    assert peer.handshakes == 1


def test_streams_over_tls(authority, tmp_path):
    peer = Peer(authority.server(tmp_path), tmp_path)
    for fault in ("sse", "sse-late-end", "sse-long-stream", "close-before-headers"):
        outcome = peer.meet(authority.der, calls=2, path="/%s/1" % fault)
        assert outcome == (
            ["ok", 2] if fault.startswith("sse") else ["Disconnected", "Disconnected: before the reply"]
        )


def _refused(peer, *args, **kwargs):
    kind, text = peer.meet(*args, **kwargs)
    assert kind == "TLSError", text
    assert not peer.server.paths, "it has sent a request"
    return text


def test_a_server_that_another_ca_vouches_for(authority, tmp_path):
    peer = Peer(Authority("Other").server(tmp_path), tmp_path)
    assert "not correctly signed by the trusted CA" in _refused(peer, authority.der)


def test_a_server_that_vouches_for_itself_under_the_name_of_the_ca(authority, tmp_path):
    peer = Peer(Authority().server(tmp_path), tmp_path)
    _refused(peer, authority.der)


def test_a_server_with_another_name(authority, tmp_path):
    peer = Peer(authority.server(tmp_path, hosts=("robot.example",)), tmp_path)
    assert "does not match with the expected CN" in _refused(peer, authority.der)


def test_an_address_counts_only_as_an_address(authority, tmp_path):
    peer = Peer(authority.server(tmp_path, addresses=("127.0.0.1",)), tmp_path)
    assert peer.meet(authority.der, host="127.0.0.1") == ["ok", 1]
    peer = Peer(authority.server(tmp_path), tmp_path)
    _refused(peer, authority.der, host="127.0.0.1")


def test_a_certificate_that_has_expired(authority, tmp_path):
    peer = Peer(authority.server(tmp_path, first_day=-20, last_day=-10), tmp_path)
    assert "has expired" in _refused(peer, authority.der)


def test_a_certificate_of_the_future(authority, tmp_path):
    peer = Peer(authority.server(tmp_path, first_day=10, last_day=20), tmp_path)
    assert "starts in the future" in _refused(peer, authority.der)


def test_https_without_a_ca_connects_to_nothing(authority, tmp_path):
    peer = Peer(authority.server(tmp_path), tmp_path)
    kind, text = peer.meet(None)
    assert (kind, text) == ("ConfigError", "https needs ca=, the DER bytes of the certificate to trust")
    assert peer.handshakes == 0


@pytest.mark.parametrize("ca", [b"-----BEGIN CERTIFICATE-----\n", b"\x30\x03\x02\x01\x01"])
def test_a_ca_that_is_none(authority, tmp_path, ca):
    peer = Peer(authority.server(tmp_path), tmp_path)
    assert peer.meet(ca) == ["ConfigError", "ca: not a DER certificate"]


def test_a_server_that_speaks_no_tls(authority, tmp_path):
    port = free_port()
    peer = Peer(authority.server(tmp_path), tmp_path)
    peer.server = faulty.start(port)
    peer.port = port
    kind, text = peer.meet(authority.der)
    assert kind in ("TLSError", "Disconnected"), text
