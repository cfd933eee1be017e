"""The guards of the border, each taken out of a copy of the worker: then the bad thing happens."""

# ruff: noqa: E501 - a script stands on one line

import json
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from tests.js.caller import CallJs, caller

import oneclaw.child
import oneclaw.js
from oneclaw.child import child as child_file
from oneclaw.core.errors import ToolError
from oneclaw.js.runtime import Runtime

Without = Callable[[str, str, str], CallJs]


@pytest.fixture
async def without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Without]:
    """A runtime whose worker has a line of one file replaced: `call_js = without("worker.py", old, new)`."""
    runtime = Runtime(size=1)

    def change(file: str, old: str, new: str) -> CallJs:
        package = tmp_path / "oneclaw"
        for part in (oneclaw.js, oneclaw.child):
            shutil.copytree(part.__path__[0], package / part.__name__.rpartition(".")[2])
        (package / "__init__.py").write_text('"""A copy."""\n')
        text = (package / "js" / file).read_text()
        assert text.count(old) == 1, f"{file} has {text.count(old)} of: {old}"
        (package / "js" / file).write_text(text.replace(old, new))
        monkeypatch.setattr(child_file, "ROOT", tmp_path)
        return caller(runtime)

    yield change
    await runtime.close()


BORDER = "prelude/10_border.js"
RANDOM = "function f() { return Math.random(); }"
STEAL = """function f() {
  const seen = [];
  try { Error.prepareStackTrace = (error, sites) => { seen.push(...sites.map((site) => site.getFunction())); }; } catch {}
  new Error('x').stack;
  return seen.filter((each) => each !== f).length;
}"""
PATCHED = "Promise.prototype.then = function (done) { done('forged'); return this; }; async function f() { return 'real'; }"
GROW = "function f() { const all = []; for (let i = 0; i < 20; i++) all.push(new Uint8Array(1e7).fill(1)); return 'grown'; }"


async def test_an_unchanged_copy_works(without: Without) -> None:
    assert (await without("prelude.py", "BORDER_LINE = 100_000", "BORDER_LINE = 100000")(RANDOM)).text


async def test_without_the_check_of_functions_eval_can_be_called(without: Without) -> None:
    call_js = without(BORDER, "if (isOurs(value)) return no(", "if (false) return no(")
    assert json.loads((await call_js("const f = eval;", {"code": 1})).text) == {"code": 1}


async def test_without_a_seed_for_each_call_chance_repeats(without: Without) -> None:
    call_js = without("host_bridge.py", "os.urandom(4)", "bytes(4)")
    assert len({(await call_js(RANDOM)).text for _ in range(3)}) == 1


async def test_without_the_trap_for_time_a_held_file_knows_only_when_it_was_loaded(without: Without) -> None:
    call_js = without(BORDER, "if (!isSeeded) post('touch');", "")
    text = "const at = Date.now(); async function f() { await new Promise((go) => setTimeout(go, 2)); return at; }"
    assert len({(await call_js(text)).text for _ in range(3)}) == 1


async def test_without_the_lock_the_stack_gives_the_border_away(without: Without) -> None:
    lock = "define(Error, 'prepareStackTrace', { __proto__: null, value: undefined, writable: false, configurable: false });"
    assert int((await without(BORDER, lock, "")(STEAL)).text) > 0


async def test_without_our_own_then_a_result_is_forged(without: Without) -> None:
    call_js = without(BORDER, "prototypeOf(value) === promisePrototype", "false")
    assert (await call_js(PATCHED)).text == "forged"


async def test_without_a_limit_of_memory_it_grows(without: Without) -> None:
    call_js = without("host_bridge.py", "self._context.set_memory_limit(memory_bytes)", "")
    assert (await call_js(GROW)).text == "grown"


async def test_without_prelude_lines_far_down_errors_would_name_lines_of_ours(without: Without) -> None:
    call_js = without("host_bridge.py", '"\\n" * BORDER_LINE', '""')
    with pytest.raises(ToolError, match=r"\(tool\.js:\d+:\d+\)") as caught:
        await call_js("function f() { new URL('::'); }")
    assert "(tool.js:1:" not in caught.value.message


async def test_with_all_guards_none_of_it_happens(without: Without) -> None:
    call_js = without("prelude.py", "BORDER_LINE = 100_000", "BORDER_LINE = 100_000  # as it is")
    assert len({(await call_js(RANDOM)).text for _ in range(3)}) == 3
    assert (await call_js(STEAL)).text == "0"
    assert (await call_js(PATCHED)).text == "real"
    for text, words in (
        (GROW, "of memory"),
        ("const f = eval;", "defines itself"),
        ("function f() { new URL('::'); }", "(tool.js:1:"),
    ):
        with pytest.raises(ToolError) as caught:
            await call_js(text)
        assert words in caught.value.message
