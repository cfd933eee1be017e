"""What errors say to whoever wrote for Node or a browser."""

import pytest

from oneclaw.core.errors import ToolError
from oneclaw.core.tool import Context, ToolDefinition
from oneclaw.js.bridges import Bridges
from oneclaw.js.hint import hint
from oneclaw.js.runtime import JavaScriptSource, Runtime


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("const fs2 = require('fs');", "(tool.js:1:13): a tool is one file, without modules"),
        ("module.exports = {};", "(tool.js:1:1): a tool is one file"),
        ("export function f() {}", "a tool is one file, without modules"),
        ("import fs3 from 'fs';\nfunction f() {}", "a tool is one file, without modules"),
        ("function f() { return process.env.KEY; }", "name environment variables in env of the manifest"),
        ("function f() { return Buffer.from('a'); }", "use Uint8Array, TextEncoder and base64"),
        ("function f() { return new Intl.NumberFormat(); }", "use time.format and lib.dates"),
        ("function f() { return new XMLHttpRequest(); }", "use fetch"),
        ("function f() { return window.fetch; }", "through globalThis"),
    ],
)
async def test_an_error_says_what_to_write_instead(runtime: Runtime, code: str, said: str) -> None:
    context = Context()
    bridges = Bridges(ToolDefinition(name="tool"), context)
    with pytest.raises(ToolError) as raised:
        await runtime.call(JavaScriptSource.of("tool.js", code), "f", {}, bridges, context)
    assert said in raised.value.message


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("ReferenceError: x is not defined", "x"),
        ("Error: require is not defined", "throw Error('require is not defined')"),
        ("SyntaxError: unexpected token", "important()("),
        ("TypeError: not a function", "import('x')"),
    ],
)
def test_other_errors_stay_as_they_are(words: str, line: str) -> None:
    assert hint(words, line) == ""
