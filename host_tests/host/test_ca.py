"""`tsumiki ca`: the root of a server's chain, or one of a list, as the robot takes it."""

import socket
import ssl
import threading

import pytest

from fakes.certificates import Authority
from tsumiki import ca, cli
from tsumiki.errors import Failed, Unreachable, Unreadable


class Serving:
    """Shakes hands with whoever comes.  context: of the server."""

    def __init__(self, context):
        self._context = context
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.where = "127.0.0.1:%d" % self._listener.getsockname()[1]
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            try:
                self._context.wrap_socket(sock, server_side=True).close()
            except OSError:
                pass

    def close(self):
        self._listener.close()


@pytest.fixture(scope="module")
def authority():
    return Authority("Robots' Root")


@pytest.fixture
def pem(authority, tmp_path):
    """A list of two authorities."""
    path = tmp_path / "trusted.pem"
    both = (authority.der, Authority("Robots' Other Root").der)
    path.write_text("".join(ssl.DER_cert_to_PEM_cert(one) for one in both))
    return str(path)


@pytest.fixture
def serving(authority, tmp_path):
    server = Serving(authority.server(tmp_path, addresses=("127.0.0.1",)))
    yield server
    server.close()


def test_the_root_of_a_server(authority, pem, serving, tmp_path, capsys):
    out = tmp_path / "root.der"
    assert cli.main(["ca", serving.where, "--trusted", pem, "--out", str(out)]) == 0
    assert out.read_bytes() == authority.der
    said = capsys.readouterr().out
    assert "of Robots' Root" in said and "sha256 " in said and "until " in said


def test_a_server_that_is_not_to_be_trusted_writes_nothing(serving, tmp_path, capsys):
    other = tmp_path / "other.pem"
    other.write_text(ssl.DER_cert_to_PEM_cert(Authority("Somebody").der))
    out = tmp_path / "root.der"
    assert cli.main(["ca", serving.where, "--trusted", str(other), "--out", str(out)]) == 1
    assert "not to be trusted" in capsys.readouterr().err
    assert not out.exists()


def test_a_server_by_another_name(authority, pem, tmp_path):
    server = Serving(authority.server(tmp_path, hosts=("robot.example",)))
    try:
        with pytest.raises(Failed, match="not to be trusted"):
            ca.of_host(server.where, ca.trusting(pem))
    finally:
        server.close()


def test_nobody_is_there(pem):
    with socket.create_server(("127.0.0.1", 0)) as s:
        port = s.getsockname()[1]
    with pytest.raises(Unreachable, match=str(port)):
        ca.of_host("127.0.0.1:%d" % port, ca.trusting(pem))


def test_one_of_a_list(authority, pem):
    context = ca.trusting(pem)
    assert ca.of_bundle("Robots' Root", context) == authority.der  # exactly, though the other one has it too
    with pytest.raises(Unreadable, match="2 authorities"):
        ca.of_bundle("robots", context)
    with pytest.raises(Unreadable, match="no authority"):
        ca.of_bundle("Nobody", context)
    assert ca.of_bundle("other", context) != authority.der


def test_this_computers_own_list():
    assert len(ca.trusting().get_ca_certs()) > 50


@pytest.mark.parametrize(
    "where, wanted",
    [
        ("h", ("h", 443)),
        ("h:8443", ("h", 8443)),
        ("[::1]:8443", ("::1", 8443)),
        ("[::1]", ("::1", 443)),
        ("::1", ("::1", 443)),
    ],
)
def test_where_it_is(where, wanted):
    assert ca._apart(where) == wanted


@pytest.mark.parametrize("where", ["h:0", "h:x", "h:70000", "h:"])
def test_ports_that_are_none(where):
    with pytest.raises(Unreadable):
        ca._apart(where)


def test_how_it_is_not_called(tmp_path, pem, capsys):
    assert cli.main(["ca"]) == 2
    assert cli.main(["ca", "h", "--bundle", "x"]) == 2
    (tmp_path / "no.pem").write_text("no certificate")
    assert cli.main(["ca", "h", "--trusted", str(tmp_path / "no.pem")]) == 2
    out = str(tmp_path / "no" / "ca.der")
    assert cli.main(["ca", "--bundle", "Robots' Root", "--trusted", pem, "--out", out]) == 1
    assert "no such file" in capsys.readouterr().err.lower()
