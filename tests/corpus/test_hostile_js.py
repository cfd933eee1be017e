"""Hostile scripts of others: none reaches the host, and the next call is clean."""

import asyncio
import json
import os
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.corpus.conftest import Judged, Rows
from tests.js.caller import CallJs, caller
from tests.processes import children

from oneclaw.core.errors import ToolError
from oneclaw.js.runtime import Runtime

SECONDS = 2
ALONE = """function f() {
  const names = Object.getOwnPropertyNames;
  const count = (object) => names(object).length;
  return [count(Object.prototype), count(Function.prototype), count(Object.constructor.prototype),
    count(Array.prototype), 'has' in {}, typeof process, count(globalThis)].join();
}"""
PROBE = """
const found = [];
for (const name of ['process', 'require', 'module', 'std', 'os', 'Deno', 'Bun', 'global', '__dirname']) {
  if (typeof globalThis[name] !== 'undefined') found.push(name);
}
if (found.length) return 'the host is here: ' + found;
try { return String(value) } catch { return '' }
"""


def marks_of_the_host() -> set[str]:
    """Texts a script can know only from the host: ids of processes and users, folders, the environment."""
    folders = {os.getcwd(), str(Path.home()), sys.executable, socket.gethostname()}
    texts = {"the host is here", "uid=", "root:x:", *folders, *os.environ.values()}
    return {text for text in texts if len(text) > 3 and text not in ("root", "true")}


@pytest.fixture
async def call_js() -> AsyncIterator[CallJs]:
    runtime = Runtime(size=1)
    yield caller(runtime)
    await runtime.close()


async def test_no_script_reaches_the_host_and_each_next_call_is_clean(
    rows: Rows, call_js: CallJs, judged: Judged
) -> None:
    clean = (await call_js(ALONE)).text
    marks, ids = marks_of_the_host(), {str(os.getpid()), str(os.getppid())}
    for row in rows("hostile_js"):
        code, quoted = row["code"], json.dumps(row["code"])
        known = {mark for mark in marks if mark in code}
        with judged(row["id"]):
            for text in (
                f"function f() {{ {code} }}",
                f"{code}\nfunction f() {{}}",
                f"async function f() {{ await null; return eval({quoted}); }}",
                f"function f() {{ let value; try {{ value = (0, eval)({quoted}); }} catch {{}} {PROBE} }}",
            ):
                ids |= set(map(str, children(os.getpid())))
                said = await answer(call_js, text)
                assert not {mark for mark in marks - known if mark in said}, said
                assert said not in ids, "the id of a process"
                assert (await call_js(ALONE)).text == clean


async def answer(call_js: CallJs, text: str) -> str:
    try:
        async with asyncio.timeout(SECONDS):
            return (await call_js(text)).text
    except ToolError as error:
        return f"{error.kind}: {error.message}"
    except TimeoutError:
        return "ended by its limit"


async def test_a_script_that_knew_the_host_would_be_seen(call_js: CallJs) -> None:
    said = await answer(call_js, f"function f() {{ return {json.dumps(os.getcwd())} }}")
    assert any(mark in said for mark in marks_of_the_host())
