"""How browsers read addresses: our host is theirs, or the address is refused; and it is the host dialled."""

import re
from contextlib import suppress
from typing import Any

import pytest
from tests.corpus.conftest import Judged, Rows

from oneclaw.core.errors import ToolError
from oneclaw.core.session import Network
from oneclaw.guard.network import pool
from oneclaw.guard.network.net import fetch
from oneclaw.guard.network.pool import Wiring
from oneclaw.guard.network.url import DEFAULT_PORTS, Target, parse


def read(row: dict[str, Any]) -> Target | None:
    """The row as we read it; None when it is refused."""
    with suppress(ToolError):
        return parse(row["input"], parse(row["base"]) if row["base"] else None)
    return None


def is_plain(row: dict[str, Any]) -> bool:
    """Whether there is nothing in the input that we refuse on purpose."""
    text = row["input"].strip("".join(map(chr, range(0x21))))
    before = re.split("[?#]", text)[0]
    authority = re.match(r"(?:https?:)?//([^/?#]*)", text, re.IGNORECASE)
    odd = re.search(r"[\x00-\x1f\x7f]", text) or "\\" in before or re.match(r"https?:(?!//[^/])|///", text)
    host = authority[1] if authority else ""
    # Nor do we look up a name with an empty label, or one of more than 63 characters.
    named = re.search(r"[^\w.:\[\]-]|xn--|^\.|\.\.|[\w-]{64}", host, re.IGNORECASE)
    named = named or "@" in (row["base"] or "")
    return not odd and not named


def test_no_row_is_read_as_another_host_than_browsers_read(rows: Rows, judged: Judged) -> None:
    for row in rows("url_parsing_wpt"):
        with judged(row["id"]):
            target = read(row)
            if target is None:
                continue
            assert not row.get("failure")
            assert row["protocol"] == f"{target.scheme}:"
            assert row["hostname"] == target.bare_host
            assert int(row["port"] or DEFAULT_PORTS[target.scheme]) == target.port


def test_a_plain_row_is_read_not_refused_and_gives_the_same_address(rows: Rows, judged: Judged) -> None:
    for row in rows("url_parsing_wpt"):
        with judged(row["id"]):
            if row.get("failure") or row["protocol"] not in ("http:", "https:") or not is_plain(row):
                continue
            target = read(row)
            assert target is not None
            assert str(target) == row["href"].partition("#")[0]


async def test_the_host_that_is_read_is_the_host_that_is_dialled(
    rows: Rows, monkeypatch: pytest.MonkeyPatch, judged: Judged
) -> None:
    looked_up: list[str] = []
    dialled: list[str] = []

    async def resolve(host: str, _port: int) -> list[str]:
        looked_up.append(host)
        return ["93.184.216.34"]

    async def dial(addresses: tuple[str, ...], *_: Any) -> Any:
        dialled.extend(addresses)
        raise ConnectionRefusedError

    monkeypatch.setattr(pool, "race", dial)

    async def allow(_host: str, _why: str) -> None:
        pass

    for row in rows("url_parsing_wpt"):
        with judged(row["id"]):
            looked_up.clear()
            dialled.clear()
            target = read(row)
            wiring = Wiring(resolve=resolve)
            with pytest.raises(ToolError):
                await fetch("GET", row["input"], network=Network(), allow_private=allow, wiring=wiring)
            if row["base"] is None and target is not None:
                assert (looked_up or dialled) == [target.host]
            if row["base"] is None and row.get("failure"):
                assert (looked_up, dialled) == ([], [])
