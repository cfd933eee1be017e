"""`oneclaw mcp serve` as a client starts it: a process, and nothing but the protocol on its output."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.mcp.server.conftest import ERAS, Person, command, says, text_of

from mcp import Client

pytestmark = pytest.mark.slow

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
PRINTING = """
import asyncio, os, subprocess, sys

from oneclaw import App, Config, tool
from oneclaw.mcp.server.stdio import serve_stdio
from oneclaw.operations.mcp_serving import make_server

@tool(effect="read")
def noisy() -> str:
    "Prints, and runs a program that prints."
    print("from Python", flush=True)
    os.write(1, b"from the system\\n")
    subprocess.run(["echo", "from a child"])
    return sys.stdin.read() or "quiet"

async def main():
    async with App(Config(home=sys.argv[1]), tools=[noisy], builtins=False) as app:
        await serve_stdio(await make_server(app))

asyncio.run(main())
"""


async def test_a_client_lists_and_calls_and_is_asked(tmp_path: Path, era: Any) -> None:
    person = Person([says(answer="once"), says(answer="no")])
    async with Client(command(tmp_path), mode=era, elicitation_callback=person) as client:
        assert client.protocol_version == ERAS[era]
        assert {"read_file", "write_file"} <= {one.name for one in (await client.list_tools()).tools}
        await client.call_tool("write_file", {"path": "a.txt", "content": "one"})
        assert not (await client.call_tool("delete_file", {"path": "a.txt"})).is_error
        await client.call_tool("write_file", {"path": "b.txt", "content": "two"})
        refused = await client.call_tool("delete_file", {"path": "b.txt"})
        assert refused.is_error
        assert text_of(await client.call_tool("read_file", {"path": "b.txt"})).startswith("two")
    assert len(person.asked) == 2


def request(number: int, method: str, **params: Any) -> str:
    return json.dumps(
        {"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": ENVELOPE}}
    )


def test_output_is_the_protocol_alone_whatever_tools_print(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PRINTING, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write("this is not JSON\n[]\n{}\n" + request(1, "tools/call", name="noisy") + "\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        assert answer["id"] == 1
        assert answer["result"]["content"][0]["text"] == "quiet"
        process.stdin.close()
        assert process.stdout.read() == ""
        said = process.stderr.read()
        assert all(line in said for line in ("from Python", "from the system", "from a child"))
        assert process.wait(60) == 0


def test_a_line_that_is_too_long_ends_the_connection(tmp_path: Path) -> None:
    short = PRINTING.replace(
        "async def main", "import oneclaw.mcp.server.stdio as s; s.LINE_BYTES = 1000\nasync def main"
    )
    ended = subprocess.run(
        [sys.executable, "-c", short, str(tmp_path)],
        input=request(1, "tools/call", name="noisy", arguments={"text": "x" * 100_000}),
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert (ended.returncode, ended.stdout) == (0, "")


def test_the_log_is_bounded() -> None:
    program = """
import logging
from oneclaw.cli.mcp_serve import BoundedLog
logging.basicConfig(handlers=[BoundedLog(10)])
for number in range(100):
    logging.warning("line %d", number)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    lines = ended.stderr.splitlines()
    assert len(lines) == 10
    assert "no more are shown" in lines[-1]


def test_an_agent_that_is_not_there_is_named(tmp_path: Path) -> None:
    started = command(tmp_path, "--agent", "nobody")
    ended = subprocess.run(
        [started.command, *started.args],
        env=started.env,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert ended.returncode != 0
    assert "nobody" in ended.stderr
    assert ended.stdout == ""
