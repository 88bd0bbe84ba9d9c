"""Certificates for tests: an authority, and servers that it or another one vouches for."""

import datetime
import ipaddress
import ssl

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_DAY = datetime.timedelta(days=1)


def _name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


class Authority:
    """der: bytes, its own certificate, to trust."""

    def __init__(self, name="Test Authority"):
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name(name)
        built = self._builder(self._name, self._key, 0, 30).add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True
        )
        self.der = built.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.DER)

    def _builder(self, subject, key, first_day, last_day):
        now = datetime.datetime.now(datetime.timezone.utc) - _DAY
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now + first_day * _DAY)
            .not_valid_after(now + last_day * _DAY)
        )

    def server(self, folder, hosts=("localhost",), addresses=(), first_day=0, last_day=30):
        """An `ssl.SSLContext` of a server.  The days count from yesterday; its files go into `folder`."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = [x509.DNSName(host) for host in hosts]
        names += [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
        built = self._builder(_name(hosts[0] if hosts else "server"), key, first_day, last_day)
        built = built.add_extension(x509.SubjectAlternativeName(names), critical=False)
        chain = folder / "server.pem"
        chain.write_bytes(
            built.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
            + key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain)
        return context
