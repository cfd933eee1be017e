"""The official conformance suite against our server: every required scenario passes, in both eras."""

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest
from tests.mcp.fetched import node_program
from tests.mcp.server.conformance_server import serving

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

SUITE = ("@modelcontextprotocol/conformance", "0.2.0-alpha.12", "dist/index.js")
EXPECTED = Path(__file__).with_name("expected-failures.yml")
LEAST = {"2026-07-28": 150, "2025-11-25": 80}
"""Checks that pass at least; a bare server of the SDK without fixtures passes 107."""


@pytest.mark.parametrize("version", LEAST)
async def test_the_suite_passes(tmp_path: Path, version: str) -> None:
    command = await asyncio.to_thread(node_program, *SUITE)
    output = tmp_path / "checks"
    async with serving(tmp_path / "home") as address:
        words = ["server", "--url", address, "--requirements", version]
        more = ["--expected-failures", str(EXPECTED), "-o", str(output)]
        process = await asyncio.create_subprocess_exec(
            *command, *words, *more, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        said = (await process.communicate())[0].decode()
    summary = said.partition("=== SUMMARY ===")[2]
    assert process.returncode == 0, summary
    assert counted(output)["SUCCESS"] >= LEAST[version], summary


def counted(output: Path) -> Counter[str]:
    """How many checks ended in which way."""
    files = output.glob("*/checks.json")
    return Counter(check["status"] for file in files for check in json.loads(file.read_text()))
