"""Classifies addresses and host names as public or private, without lookups."""

import ipaddress
import re
from functools import cache

_NETWORKS = (
    ("0.0.0.0/8", "an unspecified address"),
    ("10.0.0.0/8", "a private address"),
    ("100.64.0.0/10", "a carrier or cloud address"),
    ("127.0.0.0/8", "a loopback address"),
    ("168.63.129.16/32", "a cloud metadata address"),
    ("169.254.0.0/16", "a link-local or cloud metadata address"),
    ("172.16.0.0/12", "a private address"),
    ("192.0.0.0/24", "a reserved or cloud metadata address"),
    ("192.0.2.0/24", "a documentation address"),
    ("192.88.99.0/24", "a 6to4 relay address"),
    ("192.168.0.0/16", "a private address"),
    ("198.18.0.0/15", "a benchmark address"),
    ("198.51.100.0/24", "a documentation address"),
    ("203.0.113.0/24", "a documentation address"),
    ("224.0.0.0/4", "a multicast address"),
    ("255.255.255.255/32", "a broadcast address"),
    ("240.0.0.0/4", "a reserved address"),
    ("::/128", "an unspecified address"),
    ("::1/128", "a loopback address"),
    ("::ffff:0:0/96", "an IPv4 address inside IPv6"),
    ("::ffff:0:0:0/96", "an IPv4 address inside IPv6"),
    ("::/96", "an IPv4 address inside IPv6"),
    ("64:ff9b::/96", "a NAT64 address"),
    ("64:ff9b:1::/48", "a NAT64 address"),
    ("2001::/32", "a Teredo tunnel address"),
    ("2001::/23", "a reserved address"),
    ("2001:db8::/32", "a documentation address"),
    ("2002::/16", "a 6to4 tunnel address"),
    ("3fff::/20", "a documentation address"),
    ("fc00::/7", "a private address"),
    ("fe80::/10", "a link-local address"),
    ("fec0::/10", "a site-local address"),
    ("ff00::/8", "a multicast address"),
)

_LOCAL_SUFFIXES = frozenset(
    (
        *("localhost", "localdomain", "localdomain4", "localdomain6", "local", "internal", "intranet"),
        *("private", "corp", "home", "lan", "svc", "default"),
    )
)
_METADATA_NAMES = frozenset(
    ("metadata.goog", "metadata.packet.net", "metadata.platformequinix.com", "metadata.tencentyun.com")
)
# Public name services that answer with whatever address, or a loopback address, is asked of them.
_MIRROR_NAMES = frozenset(
    (
        *("nip.io", "sslip.io", "xip.io", "traefik.me", "1u.ms", "rbndr.us"),
        *("localtest.me", "lvh.me", "vcap.me", "fuf.me", "localh.st", "localho.st", "lacolhost.com"),
    )
)
_IPV4_IN_NAME = re.compile(r"(?<!\d)(?=(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})(?!\d))")


def is_address(text: str) -> bool:
    """Whether a text is an IPv4 or IPv6 address."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def is_public(address: str) -> bool:
    """Whether anyone on the internet may be behind this address."""
    return why_private(address) is None


def why_private(address: str) -> str | None:
    """Why an address is not public, as `a loopback address`; None when it is public.

    An IPv6 address is public only inside 2000::/3: what has no meaning yet is not public. The lists are
    our own because `ipaddress.is_global` differs between Python releases and lets tunnels pass.
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return "not an address"
    if "%" in address:
        return "an address of one network interface"
    for network, why in _networks(parsed.version):
        if parsed in network:
            return why
    if isinstance(parsed, ipaddress.IPv6Address):
        if int(parsed) >> 125 != 0b001:
            return "a reserved address"
        # ISATAP: 0:5efe in the interface half, whatever the universal and group bits say.
        if (int(parsed) >> 32) & 0xFCFFFFFF == 0x00005EFE:
            return "an ISATAP tunnel address"
    return None


def why_local_name(host: str) -> str | None:
    """Why a name belongs to this machine or network, without a lookup; None otherwise."""
    labels = host.rstrip(".").lower().split(".")
    name = ".".join(labels)
    if labels[-1] == "localhost":
        return "a name of this machine"
    if len(labels) == 1 or labels[-1] in _LOCAL_SUFFIXES or labels[-2:] == ["home", "arpa"]:
        return "a name of the local network"
    if name in _METADATA_NAMES:
        return "a cloud metadata name"
    if ".".join(labels[-2:]) in _MIRROR_NAMES:
        return "a name for any address"
    for match in _IPV4_IN_NAME.finditer(name):
        if all(int(part) < 256 for part in match.groups()):
            address = ".".join(str(int(part)) for part in match.groups())
            if not is_public(address):
                return f"a name that stands for {address}"
    return None


@cache
def _networks(version: int) -> tuple[tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, str], ...]:
    parsed = ((ipaddress.ip_network(text), why) for text, why in _NETWORKS)
    return tuple((network, why) for network, why in parsed if network.version == version)
