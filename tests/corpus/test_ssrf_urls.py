"""Addresses that servers were tricked into requesting: refused before any connection."""

from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.corpus.conftest import Judged, Rows

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Network
from oneclaw.core.tool import Context
from oneclaw.guard.network import pool
from oneclaw.guard.network.gate import Gate
from oneclaw.guard.network.url import parse
from oneclaw.tools.http_request import http_request

REFUSALS = (Kind.PERMISSION_DENIED, Kind.VALIDATION_ERROR)


def variants(url: str) -> list[str]:
    """The same target in other dress: case, port, path, white space."""
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return [
        url,
        f"{scheme.upper()}://{host.upper()}{slash}{path}",
        f" {url}\n",
        f"{url}?x#y",
        f"{url}#@8.8.8.8/",
    ]


async def admit(url: str) -> tuple[str, ...]:
    """The addresses of a URL that would be dialled; a lookup on the way fails the test."""

    async def never(host: str, _port: int) -> list[str]:
        raise AssertionError(f"{host} was looked up")

    target = parse(url)
    admitted = await Gate(Network(), None, never).admit(target.host, target.port, target.is_odd)
    return admitted.addresses


async def test_every_address_that_must_be_refused_is_refused_without_a_lookup(
    rows: Rows, judged: Judged
) -> None:
    for row in rows("ssrf_urls"):
        with judged(row["id"]):
            for variant in variants(row["url"]) if row["expect"] == "block" else ():
                with pytest.raises(ToolError) as caught:
                    await admit(variant)
                assert caught.value.kind in REFUSALS, variant


async def test_every_public_address_passes(rows: Rows, judged: Judged) -> None:
    for row in rows("ssrf_urls"):
        with judged(row["id"]):
            for variant in variants(row["url"]) if row["expect"] == "allow-literal" else ():
                (address,) = await admit(variant)
                assert ip_address(address) == literal(row["url"])


def literal(url: str) -> IPv4Address | IPv6Address:
    """The address in a URL, found without the code under test."""
    return ip_address(urlsplit(url).hostname or "")


async def test_the_tool_refuses_them_before_any_connection(
    rows: Rows, monkeypatch: pytest.MonkeyPatch, judged: Judged
) -> None:
    dialled: list[str] = []

    async def dial(addresses: Any, *_: Any) -> Any:
        dialled.extend(addresses)
        raise ConnectionRefusedError

    monkeypatch.setattr(pool, "race", dial)
    for row in rows("ssrf_urls"):
        with judged(row["id"]):
            dialled.clear()
            with pytest.raises(ToolError) as caught:
                await http_request.execute({"url": row["url"]}, Context())
            if row["expect"] == "block":
                assert caught.value.kind in REFUSALS, row["url"]
                assert dialled == []
            else:
                assert caught.value.message.startswith("Connection refused"), row["url"]
                assert [ip_address(each) for each in dialled] == [literal(row["url"])]
