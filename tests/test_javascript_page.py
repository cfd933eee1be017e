"""docs/javascript-tools.md typed in from top to bottom: files written, commands run, their output compared.

The page is the only input. A `console` block holds commands after `$` and what they print; any other block is
the file that the line before it names, in the tools folder unless it says another. The home folder and the
port of the server are put in the words of the page, and moments and durations may be others.
"""

import importlib
import inspect
import json
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from oneclaw.core.tool import Context
from oneclaw.js import bridge_fetch, bridge_files, fields
from oneclaw.js.bridges import FETCHES
from oneclaw.js.call_exchange import FRAME_BYTES, LOG_CHARS
from oneclaw.js.fields import RESERVED
from oneclaw.js.loader import BUILTIN, MOST_BYTES
from oneclaw.js.manifest import MOST_TOOLS
from oneclaw.js.runtime import JavaScriptSource, Runtime

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the page names the folders of Linux"),
]

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "javascript-tools.md"
HOME, CHECKOUT, PORT = "/home/ada", "/home/ada/oneclaw", "8321"
TOOLS = "~/.local/share/oneclaw/tools"
BLOCK = re.compile(
    r"(?:^(?P<before>[^\n]+)\n\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
NAMED = re.compile(r"`([^`\s]+)`[^`]*:$")
DURATION = re.compile(r"\b\d+(\.\d+)? (ms|s)\b")
MARK_ID = re.compile(r'(?<=outside id=")[0-9a-f]{12}(?=")')
"""It is made from the content, in which the port of the service is another one each time."""
MOMENT = re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b")
MARK = "\x1e"
SECONDS = 600


@dataclass(frozen=True)
class Step:
    """One thing the reader does: write a file, or type a command and see what it prints."""

    line: int
    file: str = ""
    text: str = ""
    command: str = ""
    prints: str = ""


def read_steps(page: str) -> list[Step]:
    steps: list[Step] = []
    for block in BLOCK.finditer(page):
        line = page.count("\n", 0, block.start("text"))
        if block["kind"] == "console":
            steps += _read_console(block["text"], line)
            continue
        named = NAMED.search(block["before"] or "")
        assert named is not None, f"line {line}: the line before the block names no file"
        file = named[1] if named[1].startswith("~") else f"{TOOLS}/{named[1]}"
        steps.append(Step(line, file=file, text=block["text"]))
    return steps


def _read_console(text: str, line: int) -> list[Step]:
    steps: list[Step] = []
    for number, each in enumerate(text.splitlines(), line + 1):
        if each.startswith("$ "):
            steps.append(Step(number, command=each[2:]))
        else:
            last = steps.pop()
            steps.append(Step(last.line, command=last.command, prints=f"{last.prints}{each}\n"))
    return steps


def run_steps(steps: list[Step], folder: Path) -> list[str]:
    """Do all of it in one shell, in a home of its own; what each step printed, in the words of the page."""
    home = folder / "home"
    home.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    script = "\n".join(_as_shell(step, port) for step in steps).replace(PORT, port)
    for name, real in ((CHECKOUT, str(ROOT)), (HOME, str(home)), ("~/oneclaw/", f"{ROOT}/")):
        script = script.replace(name, real)
    environment = {
        "HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
    }
    with (folder / "said").open("w+") as said:  # a pipe would not end before the server of the page does
        shell = subprocess.Popen(
            ["bash", "-c", script],
            cwd=home,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            shell.wait(timeout=SECONDS)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(shell.pid, signal.SIGKILL)
            shell.wait()
    printed = (folder / "said").read_text(encoding="utf-8")
    for real, name in (
        (str(ROOT), CHECKOUT),
        (os.path.realpath(home), HOME),
        (str(home), HOME),
        (port, PORT),
    ):
        printed = printed.replace(real, name)
    return printed.split(MARK)[1:]


def _as_shell(step: Step, port: str) -> str:
    mark = "printf '\\036'"
    if step.file:
        path = step.file.replace("~", "$HOME", 1)
        return f'{mark}; mkdir -p "$(dirname "{path}")"; cat > "{path}" <<"THE END"\n{step.text}THE END'
    if not step.command.endswith("&"):
        return f"{mark}; {step.command}"
    wait = f"for _ in {{1..600}}; do (: < /dev/tcp/127.0.0.1/{port}) 2> /dev/null && break; sleep 0.1; done"
    return f"{mark}; {step.command}\n{wait}"


def is_as_said(prints: str, printed: str) -> bool:
    wanted, given = (
        MARK_ID.sub("x", MOMENT.sub("then", DURATION.sub("1 ms", text))).rstrip("\n")
        for text in (prints, printed)
    )
    return wanted == given


STEPS = read_steps(PAGE.read_text(encoding="utf-8"))
COMMANDS = [number for number, step in enumerate(STEPS) if step.command]


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return run_steps(STEPS, tmp_path_factory.mktemp("page"))


@pytest.mark.parametrize("number", COMMANDS, ids=[f"line {STEPS[number].line}" for number in COMMANDS])
def test_the_command_prints_what_the_page_says(printed: list[str], number: int) -> None:
    step = STEPS[number]
    assert is_as_said(step.prints, printed[number]), (
        f"docs/javascript-tools.md, line {step.line}\n$ {step.command}\n"
        f"the page says:\n{step.prints}\nit printed:\n{printed[number]}"
    )


def test_a_page_that_lies_is_found_out(tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8").split("## Permissions")[0]
    false = read_steps(page.replace('"degrees":-3', '"degrees":-4'))
    steps = [step for step in false if step.file or step.command.startswith("oneclaw call weather city=Oslo")]
    found = [
        is_as_said(step.prints, said) for step, said in zip(steps, run_steps(steps, tmp_path), strict=True)
    ]
    assert found == [True, True, False, True]


def test_a_block_without_the_name_of_its_file_is_found_out() -> None:
    with pytest.raises(AssertionError, match="line 3: the line before the block names no file"):
        read_steps("Some words.\n\n```js\n1;\n```\n")


# ---------------------------------------------------------------------- the tables


def rows_under(head: str) -> list[tuple[str, str]]:
    """The first two cells of each row of a table."""
    table = PAGE.read_text(encoding="utf-8").split(f"\n| {head} |", 1)[1].split("\n\n")[0]
    cells = [line.split(" | ") for line in table.splitlines()[2:]]
    return [(first.removeprefix("| "), rest[0]) for first, *rest in cells]


def codes(text: str) -> list[str]:
    """The words in a text that are code, without what they are given."""
    return re.findall(r"`([\w.]+)[^`]*`", text)


async def evaluate(expression: str) -> Any:
    runtime = Runtime(size=1)
    try:
        source = JavaScriptSource.of("page.js", f"const execute = () => JSON.stringify({expression});")
        return json.loads((await runtime.call(source, "execute", {}, Nobody(), Context())).text)
    finally:
        await runtime.close()


class Nobody:
    """Is never asked."""

    async def answer(self, op: str, arguments: list[Any]) -> Any:
        raise AssertionError(op)


def bare_globals() -> set[str]:
    """What the engine has without us."""
    context = importlib.import_module("_quickjs").Context()
    names = context.eval("[globalThis, Object.prototype].flatMap(Object.getOwnPropertyNames).join(' ')")
    return set(names.split())


def test_the_page_names_every_global_that_we_add() -> None:
    listed = {name for first, second in rows_under("name") for name in codes(f"{first} {second}")}
    assert (
        RESERVED - bare_globals() - listed - {"tools"} == set()
    )  # tools is there in scripts of models alone


async def test_what_the_page_says_of_an_object_is_there() -> None:
    for first, second in rows_under("name"):
        kinds = await evaluate(f"[{', '.join(f'typeof {name}' for name in codes(first))}]")
        assert "undefined" not in kinds, first
        if first in ("`fs`", "`console`", "`time`", "`base64`", "`crypto`"):
            wanted = await evaluate(f"Object.keys({first.strip('`')})")
            assert set(wanted) <= {name.partition(".")[0] for name in codes(second)}, first


async def test_the_page_lists_the_library_as_it_is() -> None:
    said = {
        first.strip("`").removeprefix("lib."): set(codes(second))
        for first, second in rows_under("module of `lib`")
    }
    there = await evaluate(
        "Object.fromEntries(Object.keys(lib).map((name) => [name, Object.keys(lib[name])]))"
    )
    assert said == {name: set(keys) for name, keys in there.items()}


async def test_what_the_page_says_is_not_there_is_not() -> None:
    line = PAGE.read_text(encoding="utf-8").split("\nNot available: ", 1)[1].split("\n")[0]
    text = line.partition(" The error")[0]
    names = [name for name in codes(text) if name not in ("import", "export")]
    assert len(names) > 5
    assert set(await evaluate(f"[{', '.join(f'typeof {name}' for name in names)}]")) == {"undefined"}


def test_the_page_names_every_tool_of_the_groups_and_every_field() -> None:
    groups = [json.loads(file.read_text()) for file in sorted(BUILTIN.glob("*.json"))]
    assert {name for first, _ in rows_under("tool") for name in codes(first)} == {
        tool["name"] for group in groups for tool in group
    }
    assert {name for first, _ in rows_under("field") for name in codes(first)} == set(fields.NAMES)


def test_the_limits_are_those_of_the_page() -> None:
    pool = {name: one.default for name, one in inspect.signature(Runtime).parameters.items()}
    megabytes = "{} MB".format
    assert dict(rows_under("limit | value")) == {
        "time of a call": f"{fields.SECONDS:g} s",
        "memory of a call": megabytes(pool["memory_bytes"] >> 20),
        "stack": megabytes(pool["stack_bytes"] >> 20),
        "calls at once": f"{pool['size']}, the others wait",
        "result": f"{megabytes(FRAME_BYTES >> 20)}, cut for the model as every result is",
        "log": f"{LOG_CHARS >> 10} KB",
        "a file that is read": megabytes(bridge_files.MAX_BYTES >> 20),
        "a body that is fetched": f"{megabytes(bridge_fetch.MAX_BYTES >> 20)}; {FETCHES} requests at once",
        "source, manifest": f"{megabytes(MOST_BYTES >> 20)} each, {MOST_TOOLS} tools in a group",
    }
