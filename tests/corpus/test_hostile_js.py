"""Hostile scripts of others: none reaches the host, and the next call is clean."""

from collections.abc import AsyncIterator

import pytest
from tests.corpus.conftest import Rows
from tests.js.caller import CallJs, caller

from oneclaw.core.errors import ToolError
from oneclaw.js.runtime import Runtime

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
return found.join() + '|' + (typeof value === 'number' ? 'a number' : typeof value);
"""


@pytest.fixture
async def call_js() -> AsyncIterator[CallJs]:
    runtime = Runtime(size=1)
    yield caller(runtime)
    await runtime.close()


async def test_no_script_reaches_the_host_and_each_next_call_is_clean(rows: Rows, call_js: CallJs) -> None:
    clean = (await call_js(ALONE)).text
    for row in rows("hostile_js"):
        code = row["code"]
        for text in (
            f"function f() {{ {code} }}",
            f"{code}\nfunction f() {{}}",
            f"async function f() {{ await null; return eval({code!r}); }}",
            f"function f() {{ let value; try {{ value = (0, eval)({code!r}); }} catch {{}} {PROBE} }}",
        ):
            try:
                said = (await call_js(text)).text
            except ToolError as error:
                said = f"|{error.kind}: {error.message}"
            assert "a number" not in said, row  # as the id of a process would be
            assert "/" not in said, row
            assert said == "" or said.startswith(("|", "evilPayload")), (row, said)
            assert (await call_js(ALONE)).text == clean, row
