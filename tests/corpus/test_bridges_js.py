"""Addresses, headers and paths of attackers in JavaScript tools: refused before anything is reached."""

from pathlib import Path
from typing import Any

import pytest
from tests.corpus.conftest import Judged, Rows, spread, texts_of
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
    rows: Rows, evaluate: Evaluate, dialled: list[str], judged: Judged
) -> None:
    blocked = {row["id"]: row["url"] for row in rows("ssrf_urls") if row["expect"] == "block"}
    body = (
        FETCH
        + """
        const told = [];
        for (const url of p.urls) {
            told.push([await ask(url)]);
            if (URL.canParse(url)) told.at(-1).push(await ask(new URL(url)));
        }
        return told;
    """
    )
    told = await evaluate(body, {"urls": [*blocked.values()]}, context=Context())
    for name, outcomes in zip(blocked, told, strict=True):
        with judged(name):
            assert {outcome[1] for outcome in outcomes} <= {"permission_denied", "validation_error"}, outcomes
    assert dialled == []


async def test_a_line_end_in_a_header_is_refused(
    rows: Rows, evaluate: Evaluate, dialled: list[str], judged: Judged
) -> None:
    values = texts_of(rows, "crlf")
    body = (
        FETCH
        + """
        const told = [];
        for (const value of p.values) {
            told.push([await ask('http://127.0.0.1:1/', { headers: { 'x-test': value } }),
                await ask('http://127.0.0.1:1/', { headers: [[value, 'x']] })]);
        }
        return told;
    """
    )
    told = await evaluate(body, {"values": [*values.values()]})
    for name, outcomes in zip(values, told, strict=True):
        with judged(name):
            assert {outcome[1] for outcome in outcomes} <= {"TypeError", "validation_error"}, outcomes
    assert dialled == []


async def test_no_path_leads_out_of_the_workspace(
    rows: Rows, evaluate: Evaluate, tmp_path: Path, judged: Judged
) -> None:
    (tmp_path / "secret").write_text("the secret")
    (tmp_path / "work/inside").write_text("inside")
    # A part of many: the guard itself is tried with all, and here each takes a way through two processes.
    given = spread([*texts_of(rows, "path_traversal", "path").items()], 400)
    paths = {
        text.replace("{FILE}", wanted): name for name, text in given for wanted in ("secret", "etc/passwd")
    }
    body = """
        const told = [];
        for (const path of p.paths) {
            told.push('');
            try { told[told.length - 1] = fs.readFile(path, 'latin1') } catch { /* refused, or not there */ }
            try { fs.writeFile(path, 'written') } catch { /* refused */ }
        }
        return told;
    """
    told = await evaluate(body, {"paths": [*paths]})
    for name, found in zip(paths.values(), told, strict=True):
        with judged(name):
            assert found in ("", "inside", "written")
    assert (tmp_path / "secret").read_text() == "the secret"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret", "work"]
