"""Addresses, headers and paths of attackers in JavaScript tools: refused before anything is reached."""

from pathlib import Path
from typing import Any

import pytest
from tests.corpus.conftest import Rows
from tests.js.conftest import Evaluate
from tests.js.conftest import evaluate as evaluate  # the fixture

from oneclaw.core.tool import Context
from oneclaw.guard.network import pool

FETCH = """
    const ask = async (url, init) => {
        try { return [(await fetch(url, init)).status] }
        catch (error) { return [0, error.kind ?? error.name, error.message] }
    };
"""


@pytest.fixture
def dialled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What would have been connected to; nothing is."""
    addresses: list[str] = []

    async def dial(found: Any, *_: Any) -> Any:
        addresses.extend(found)
        raise ConnectionRefusedError

    monkeypatch.setattr(pool, "race", dial)
    return addresses


async def test_an_address_that_must_be_refused_is_refused_as_text_and_as_a_url(
    rows: Rows, evaluate: Evaluate, dialled: list[str]
) -> None:
    blocked = [row["url"] for row in rows("ssrf_urls") if row["expect"] == "block"]
    body = (
        FETCH
        + """
        const told = [];
        for (const url of p.urls) {
            told.push(await ask(url));
            if (URL.canParse(url)) told.push(await ask(new URL(url)));
        }
        return told;
    """
    )
    told = await evaluate(body, {"urls": blocked}, context=Context())
    assert len(told) >= len(blocked) > 0
    for outcome in told:
        assert outcome[1] in ("permission_denied", "validation_error"), outcome
    assert dialled == []


async def test_a_line_end_in_a_header_is_refused(rows: Rows, evaluate: Evaluate, dialled: list[str]) -> None:
    values = [row["s"] for row in rows("crlf")]
    body = (
        FETCH
        + """
        const told = [];
        for (const value of p.values) {
            told.push(await ask('http://127.0.0.1:1/', { headers: { 'x-test': value } }));
            told.push(await ask('http://127.0.0.1:1/', { headers: [[value, 'x']] }));
        }
        return told;
    """
    )
    told = await evaluate(body, {"values": values})
    assert len(told) == 2 * len(values) > 0
    for outcome in told:
        assert outcome[1] in ("TypeError", "validation_error"), outcome
    assert dialled == []


async def test_no_path_leads_out_of_the_workspace(rows: Rows, evaluate: Evaluate, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("the secret")
    (tmp_path / "work/inside").write_text("inside")
    # A part of them: the guard itself is tried with all, and here each takes a way through two processes.
    given = [row["path"] for row in rows("path_traversal")][::6]
    paths = list(
        dict.fromkeys(text.replace("{FILE}", name) for text in given for name in ("secret", "etc/passwd"))
    )
    body = """
        const told = [];
        for (const path of p.paths) {
            try { told.push(fs.readFile(path, 'latin1')) } catch (error) { /* refused, or not there */ }
            try { fs.writeFile(path, 'written') } catch (error) { /* refused */ }
        }
        return told;
    """
    assert paths
    told = await evaluate(body, {"paths": paths})
    assert not any("the secret" in found or "root:" in found for found in told)
    assert (tmp_path / "secret").read_text() == "the secret"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret", "work"]
