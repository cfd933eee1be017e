"""The pages tell the truth: made from the code of today, every link leads somewhere, every command exists."""

import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from oneclaw import App, Config
from oneclaw.cli.main import COMMANDS, build_parser
from oneclaw.core.errors import MEANING, Kind
from oneclaw.core.settings.schema import ENVIRONMENT, SETTINGS

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("packages/*/*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
FENCE = re.compile(r"^ *```(\w*).*?\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def page(name: str) -> str:
    return (ROOT / "docs" / "reference" / f"{name}.md").read_text(encoding="utf-8")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_the_generated_pages_are_of_today() -> None:
    assert not runpy.run_path(str(ROOT / "docs" / "build.py"))["stale"]()


def test_a_stale_page_is_found_and_named(tmp_path: Path) -> None:
    for name in ("docs", "src", "packages"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    build = [sys.executable, str(tmp_path / "docs" / "build.py")]
    before = subprocess.run([*build, "--check"], capture_output=True, text=True, timeout=60)
    assert (before.returncode, before.stdout) == (0, "")
    (tmp_path / "docs" / "reference" / "errors.md").write_text("old")
    (tmp_path / "src" / "oneclaw" / "core" / "extra.py").write_text('"""Something new."""\n')
    after = subprocess.run([*build, "--check"], capture_output=True, text=True, timeout=60)
    assert after.returncode == 1
    assert "docs/reference/errors.md is stale" in after.stdout
    assert "docs/reference/files.md is stale" in after.stdout
    assert subprocess.run(build, capture_output=True, timeout=60).returncode == 0
    assert "Something new." in (tmp_path / "docs" / "reference" / "files.md").read_text()


def test_every_command_is_documented() -> None:
    assert {f"### oneclaw {name}" for name in COMMANDS} <= set(page("commands").splitlines())


def test_every_setting_is_documented() -> None:
    for key in [*(setting.key for setting in SETTINGS), *ENVIRONMENT]:
        assert f"| `{key}` |" in page("settings")


def test_every_error_kind_is_documented() -> None:
    for kind in Kind:
        assert f"| `{kind.value}` | {MEANING[kind]} |" in page("errors")


def test_every_decision_is_in_the_index_and_numbers_are_used_once() -> None:
    folder = ROOT / "docs" / "decisions"
    records = sorted(path.name for path in folder.glob("*.md") if path.name != "README.md")
    assert [name for name in records if f"({name})" in (folder / "README.md").read_text()] == records
    numbers = [name[:4] for name in records]
    assert all(re.fullmatch(r"\d{4}", number) for number in numbers)
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_every_link_leads_to_a_file(path: Path) -> None:
    for target in LINK.findall(path.read_text(encoding="utf-8")):
        if not target.startswith(("http://", "https://", "mailto:")):
            assert (path.parent / target).exists(), target


ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_the_architecture_has_the_floors_of_the_import_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    floors = [floor.split(" | ") for floor in next(one["layers"] for one in contracts if "layers" in one)]
    rows = re.findall(r"^\| (\d+) \| (.*) \|$", ARCHITECTURE, re.MULTILINE)
    assert [re.findall(r"`(\w+)`", packages) for _, packages in rows] == floors
    assert [int(number) for number, _ in rows] == list(range(len(floors), 0, -1))
    public = {"events", "guards", "hooks", "permissions", "schema", "sources"}
    described = set(re.findall(r"\*\*`(\w+)`\*\*", ARCHITECTURE))
    assert {name for floor in floors for name in floor} - public == described


def test_the_architecture_names_files_that_are_there_and_is_read_in_five_minutes() -> None:
    files = [
        path.as_posix() for path in (ROOT / "src" / "oneclaw").rglob("*") if path.suffix in (".py", ".toml")
    ]
    named = re.findall(r"`([a-z_/]+\.py)`", ARCHITECTURE)
    assert len(named) > 20
    assert [name for name in named if not any(file.endswith(f"/{name}") for file in files)] == []
    assert len(ARCHITECTURE.split()) < 1_400


def commands_in(text: str) -> Iterator[list[str]]:
    """What a reader would type: without the prompt, the comment and what stands far to the right.

    Where a block has prompts, the lines without one are what is printed.
    """
    for language, block in FENCE.findall(text):
        lines: list[str] = block.splitlines() if language in {"", "sh", "console"} else []
        prompted = [line for line in lines if line.startswith("$ ")]
        for line in prompted or lines:
            typed = re.split(r"  +| \| ", line.strip().removeprefix("$ "))[0]
            words = shlex.split(typed, comments=True)
            if words and words[0] in {"oneclaw", "make"}:
                yield words


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_every_command_a_page_shows_exists(path: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    for program, *words in commands_in(path.read_text(encoding="utf-8")):
        if program == "make":
            assert {word for word in words if "=" not in word} <= targets, words
        else:
            build_parser().parse_args(words)


async def test_the_reference_lists_every_shipped_tool(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "reference" / "tools.md").read_text()
    listed = set(re.findall(r"^## (\w+)$", page, re.MULTILINE))
    async with App(Config(home=tmp_path, values={})) as app:
        shipped = {tool.name for tool in app.registry}
    assert {"sessions", "message", "ask_NAME", "query_csv"} <= listed
    assert shipped - listed == set()
    assert listed - shipped == {"ask_NAME"}
