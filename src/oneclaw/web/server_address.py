"""ServerAddress: where the page is served, by which names, and with which certificate."""

import socket as sockets
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from oneclaw.core.errors import InvalidConfig
from oneclaw.operations.access import AccessBook

LOOPBACK = ("127.0.0.1", "::1", "localhost")
PORT = 7468


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """An address to listen on. Every one but the loopback needs a certificate, and a password or a token.

    names        by which browsers reach it, where that is not `host`
    certificate  the file of the certificate, and `key` that of its key
    """

    host: str = LOOPBACK[0]
    port: int = PORT
    names: tuple[str, ...] = ()
    certificate: Path | None = None
    key: Path | None = None

    @property
    def scheme(self) -> str:
        return "http" if self.certificate is None else "https"

    @property
    def is_loopback(self) -> bool:
        return self.host in LOOPBACK

    def check(self, access: AccessBook) -> None:
        """Raise `InvalidConfig` for an address that others reach and nothing guards."""
        for file in (self.certificate, self.key):
            if file is not None and not file.is_file():
                raise InvalidConfig(f"There is no file {file}; --tls-cert and --tls-key name PEM files.")
        if (self.certificate is None) != (self.key is None):
            raise InvalidConfig("A certificate needs its key: give both --tls-cert and --tls-key.")
        if self.is_loopback:
            return
        where = f"{self.host[:80]} is not this machine alone"
        if self.certificate is None:
            raise InvalidConfig(f"{where}: give a certificate with --tls-cert and --tls-key.")
        if not access.has_password() and not access.tokens():
            raise InvalidConfig(
                f"{where}: set a password first (`oneclaw serve --set-password`), or make a token"
                " (`oneclaw tokens make NAME`)."
            )
        if _is_any(self.host) and not self.names:
            raise InvalidConfig(
                f"{self.host} stands for all addresses: say with --name by which name or address"
                " browsers reach this machine."
            )

    def listen(self) -> sockets.socket:
        """A socket that listens; made with its protocol, or the loop would not set TCP_NODELAY."""
        family = sockets.AF_INET6 if ":" in self.host else sockets.AF_INET
        listening = sockets.socket(family, sockets.SOCK_STREAM, sockets.IPPROTO_TCP)
        listening.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
        try:
            listening.bind((self.host, self.port))
        except OSError as error:
            listening.close()
            raise InvalidConfig(
                f"Port {self.port} of {self.host[:80]} cannot be used ({error.strerror}); choose another"
                " with --port."
            ) from None
        listening.listen(128)
        return listening

    def hosts(self, port: int) -> list[str]:
        """The names with which a request may call this server; the first is that of links."""
        names = list(self.names) or [_written(self.host)]
        names += ["127.0.0.1", "localhost", "[::1]"]
        usual = 80 if self.certificate is None else 443
        return [f"{name}:{port}" for name in names] + (names if port == usual else [])


def _is_any(host: str) -> bool:
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return not host


def _written(host: str) -> str:
    return f"[{host}]" if ":" in host else host
