"""Which addresses and names are public."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.guard.network.address import is_public, why_local_name, why_private

PUBLIC = (
    *("1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "93.184.216.34", "100.63.255.255", "100.128.0.0"),
    *("126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0"),
    *("192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0"),
    *("203.0.112.255", "203.0.114.0", "223.255.255.255", "168.63.129.15"),
    *("2001:200::1", "2001:4860:4860::8888", "2606:4700:4700::1111", "2a00:1450::1", "3ffe:ffff::1"),
)
PRIVATE = {
    "0.0.0.0": "unspecified",
    "0.1.2.3": "unspecified",
    "10.0.0.1": "private",
    "100.64.0.1": "carrier",
    "100.100.100.200": "cloud",
    "127.0.0.1": "loopback",
    "127.255.255.254": "loopback",
    "168.63.129.16": "metadata",
    "169.254.169.254": "metadata",
    "169.254.170.2": "metadata",
    "172.16.0.1": "private",
    "172.31.255.255": "private",
    "192.0.0.8": "reserved",
    "192.0.0.192": "metadata",
    "192.0.2.1": "documentation",
    "192.88.99.1": "6to4",
    "192.168.255.255": "private",
    "198.18.0.1": "benchmark",
    "198.19.255.255": "benchmark",
    "198.51.100.1": "documentation",
    "203.0.113.255": "documentation",
    "224.0.0.1": "multicast",
    "239.255.255.255": "multicast",
    "240.0.0.1": "reserved",
    "255.255.255.255": "broadcast",
    "::": "unspecified",
    "::1": "loopback",
    "::127.0.0.1": "IPv4",
    "::8.8.8.8": "IPv4",
    "::ffff:127.0.0.1": "IPv4",
    "::ffff:8.8.8.8": "IPv4",
    "::ffff:0:127.0.0.1": "IPv4",
    "64:ff9b::7f00:1": "NAT64",
    "64:ff9b::8.8.8.8": "NAT64",
    "64:ff9b:1::a00:1": "NAT64",
    "100::1": "reserved",
    "2001::1": "Teredo",
    "2001:2::1": "reserved",
    "2001:10::1": "reserved",
    "2001:1ff::1": "reserved",
    "2001:db8::1": "documentation",
    "2002:7f00:1::": "6to4",
    "2002:808:808::": "6to4",
    "2a00:1450::5efe:7f00:1": "ISATAP",
    "2a00:1450::200:5efe:7f00:1": "ISATAP",
    "3fff::1": "documentation",
    "4000::1": "reserved",
    "5f00::1": "reserved",
    "fc00::1": "private",
    "fd00:ec2::254": "private",
    "fe80::1": "link-local",
    "fe80::1%eth0": "interface",
    "2a00:1450::1%eth0": "interface",
    "febf::1": "link-local",
    "fec0::1": "site-local",
    "ff02::1": "multicast",
    "not an address": "not an address",
    "": "not an address",
    "0x7f.1": "not an address",
}


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_anyone_may_have_is_public(address: str) -> None:
    assert why_private(address) is None
    assert is_public(address)


@pytest.mark.parametrize(("address", "why"), PRIVATE.items())
def test_an_address_of_a_special_range_is_not_public_and_the_range_is_named(address: str, why: str) -> None:
    assert why in (why_private(address) or "")
    assert not is_public(address)


@given(st.ip_addresses(v=4))
def test_no_ipv4_address_that_python_calls_special_passes(address: ipaddress.IPv4Address) -> None:
    if not address.is_global or address.is_multicast or address.is_reserved:
        assert not is_public(str(address))


@given(st.ip_addresses(v=6))
def test_no_ipv6_address_outside_the_global_range_passes(address: ipaddress.IPv6Address) -> None:
    special = not address.is_global or address.is_multicast or address.is_reserved or address.is_site_local
    if special or address not in ipaddress.ip_network("2000::/3"):
        assert not is_public(str(address))


@given(
    st.ip_addresses(v=4),
    st.sampled_from(("::ffff:{}", "::{}", "64:ff9b::{}", "64:ff9b:1::{}", "::ffff:0:{}")),
)
def test_no_ipv4_address_passes_inside_an_ipv6_address(address: ipaddress.IPv4Address, form: str) -> None:
    assert not is_public(str(ipaddress.ip_address(form.format(address))))


LOCAL = (
    *("localhost", "LOCALHOST", "localhost.", "a.localhost", "localhost.localdomain"),
    *("localhost6.localdomain6", "localhost4.localdomain4", "kubernetes.default", "svc.local"),
    "x.internal",
    *("metadata", "instance-data", "printer", "metadata.google.internal", "metadata.google.internal."),
    *("router.lan", "nas.home.arpa", "wiki.corp", "kubernetes.default.svc", "metadata.goog"),
    *("169.254.169.254.nip.io", "a9fea9fe.nip.io", "10-0-0-1.sslip.io", "www.127.0.0.1.example.com"),
    *("ip-10-1-2-3.example.com", "1.169.254.169.254.example.com", "lvh.me", "app.localtest.me"),
    *("localh.st", "app.lacolhost.com"),
)
FOREIGN = (
    *("example.com", "example.com.", "localhost.example.com", "local.example.com", "internal.example.com"),
    *("notlocalhost.com", "mylocal.net", "8-8-8-8.example.com", "a.10.com", "10-0-0.example.com"),
    "nip.io.example",
    "1-2-3-400.example.com",
)


@pytest.mark.parametrize("host", LOCAL)
def test_a_name_of_this_machine_or_network_is_known_without_asking(host: str) -> None:
    assert why_local_name(host)


@pytest.mark.parametrize("host", FOREIGN)
def test_a_name_of_the_public_network_is_left_to_the_lookup(host: str) -> None:
    assert why_local_name(host) is None
