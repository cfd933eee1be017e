"""Addresses that servers were tricked into requesting: refused before any connection."""

from typing import Any

import pytest
from tests.corpus.conftest import Rows

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


async def test_every_address_that_must_be_refused_is_refused_without_a_lookup(rows: Rows) -> None:
    blocked = [row["url"] for row in rows("ssrf_urls") if row["expect"] == "block"]
    assert blocked
    for url in blocked:
        for variant in variants(url):
            with pytest.raises(ToolError) as caught:
                await admit(variant)
            assert caught.value.kind in REFUSALS, variant


async def test_every_public_address_passes(rows: Rows) -> None:
    allowed = [row["url"] for row in rows("ssrf_urls") if row["expect"] == "allow-literal"]
    assert allowed
    for url in allowed:
        for variant in variants(url):
            (address,) = await admit(variant)
            assert address in url


async def test_the_tool_refuses_them_before_any_connection(
    rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialled: list[str] = []

    async def dial(addresses: Any, *_: Any) -> Any:
        dialled.extend(addresses)
        raise ConnectionRefusedError

    monkeypatch.setattr(pool, "race", dial)
    for row in rows("ssrf_urls"):
        with pytest.raises(ToolError) as caught:
            await http_request.execute({"url": row["url"]}, Context())
        if row["expect"] == "block":
            assert caught.value.kind in REFUSALS, row["url"]
            assert dialled == []
        else:
            assert caught.value.message.startswith("Connection refused"), row["url"]
            assert dialled.pop() in row["url"]
