"""The public surface: what the docs import, and a program that uses nothing else."""

import ast
import subprocess
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest
from tests.test_readme import EXAMPLES

PUBLIC = ("events", "guards", "hooks", "permissions", "providers", "schema", "sources", "testing")
ROOT = Path(__file__).parents[1]


def imported(code: str) -> set[str]:
    """The modules of ours that a piece of Python imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name for name in names if name.partition(".")[0] == "oneclaw"}


def is_public(module: str) -> bool:
    return module in ("oneclaw", *(f"oneclaw.{name}" for name in PUBLIC))


@pytest.mark.parametrize(
    ("place", "code"), [each for each in EXAMPLES if not each[0].startswith("CONTRIBUTING")]
)
def test_the_docs_import_public_modules_only(place: str, code: str) -> None:
    assert [name for name in imported(code) if not is_public(name)] == [], place


def test_an_import_of_a_private_module_would_be_seen() -> None:
    assert not all(map(is_public, imported("from oneclaw.core.permit.policy import Rules")))


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_module_has_the_names_it_lists(name: str) -> None:
    module = import_module(f"oneclaw.{name}")
    assert module.__all__
    for each in module.__all__:
        assert getattr(module, each) is not None


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_module_is_documented(name: str) -> None:
    page = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    assert f"## `oneclaw.{name}`" in page
    for each in import_module(f"oneclaw.{name}").__all__:
        assert f"| `{each}` |" in page


@dataclass
class Ended:
    code: int
    out: str


def run(code: str, folder: Path) -> Ended:
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=folder,
        env={"ONECLAW_HOME": str(folder / "home"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return Ended(ended.returncode, ended.stdout + ended.stderr)


SCRIPT = '''
import oneclaw
from oneclaw.events import RunFinished, TextAdded
from oneclaw.testing import Call, Fail

@oneclaw.tool
def plus(a: int, b: int) -> int:
    """Add."""
    return a + b

replies = [Call("plus", a=1, b=2), "Three.", "Hello.", Fail("key", "The key was refused."), ["One", "Two"]]
model = oneclaw.Scripted([*replies, "Hi."])
agent = oneclaw.Agent(name="adder", model="test/x", tools=["plus"])
with oneclaw.App(tools=[plus], builtins=False, providers={"test": model}) as app:
    assert app.call("plus", a=1, b=2).value == 3
    assert app.call("plus", {"a": 1, "b": 4}).value == 5
    assert app.ask(agent, "One and two?").text == "Three."
    assert app.ask("Hi.", model="test/x").text == "Hello."
    try:
        app.ask(agent, "Fail.")
    except oneclaw.RunFailed as error:
        assert str(error) == error.finished.error == "The key was refused."
        assert error.finished.text == ""
    else:
        raise AssertionError("a failed run looks like an answer")
    parts = [event.text for event in app.stream(agent, "Stream.") if isinstance(event, TextAdded)]
    assert "".join(parts) == "OneTwo"
    unnamed = oneclaw.Agent(model="test/x")
    assert [event.text for event in app.stream(unnamed, "Hi.") if isinstance(event, RunFinished)] == ["Hi."]
print("fine")
'''


@pytest.mark.slow
def test_a_script_awaits_nothing(tmp_path: Path) -> None:
    assert run(SCRIPT, tmp_path) == Ended(0, "fine\n")


@pytest.mark.slow
def test_a_notebook_has_a_loop_of_its_own(tmp_path: Path) -> None:
    body = "".join(f"    {line}\n" for line in SCRIPT.splitlines())
    code = f"import asyncio\n\nasync def main():\n{body}\nasyncio.run(main())\n"
    assert run(code, tmp_path) == Ended(0, "fine\n")


@pytest.mark.slow
def test_a_stream_that_is_left_early_stops_the_run(tmp_path: Path) -> None:
    code = """
import oneclaw
from oneclaw.testing import Wait

model = oneclaw.Scripted([["One", Wait(30), "Two"]])
with oneclaw.App(builtins=False, providers={"test": model}) as app:
    for event in app.stream("Go.", model="test/x"):
        if type(event).__name__ == "TextAdded":
            break
print("left")
"""
    assert run(code, tmp_path) == Ended(0, "left\n")
