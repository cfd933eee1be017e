"""The page about skills: its SKILL.md, its commands and its program work as they stand there."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.journeys.conftest import CommandLine
from tests.skills.conftest import write_skill

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parents[2] / "docs" / "skills.md").read_text(encoding="utf-8")
(SKILL,) = re.findall(r"```markdown\n(.*?)```", PAGE, re.DOTALL)
OWN, PROJECT = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
(COMMANDS,) = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
(PROGRAM,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def ada(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Somebody with the skill of the page in the home, who works in that folder."""
    write_skill(tmp_path / "ada/.agents/skills", "release-notes", SKILL)
    monkeypatch.chdir(tmp_path / "ada")
    return CommandLine(tmp_path / "data", {"HOME": str(tmp_path / "ada")})


def check_console(ada: CommandLine, block: str, home: Path) -> None:
    """Each command after a prompt prints what stands below it."""
    for part in block.strip().removeprefix("$ ").split("\n$ "):
        command, _, printed = part.partition("\n")
        ended = ada.run(*shlex.split(command)[1:])
        said = (ended.stdout + ended.stderr).replace(str(home), "/home/ada")
        assert said.strip() == printed.strip()


def test_the_skill_of_the_page_is_found_and_keeps_to_the_standard(ada: CommandLine, tmp_path: Path) -> None:
    check_console(ada, OWN, tmp_path / "ada")


def test_a_project_is_trusted_as_the_page_shows_it(ada: CommandLine, tmp_path: Path) -> None:
    shop = tmp_path / "ada/shop"
    write_skill(shop / ".agents/skills", "deploy")
    (tmp_path / "ada/.agents/skills/release-notes/SKILL.md").unlink()
    check_console(ada, PROJECT, tmp_path / "ada")
    assert ada.run("--workspace", "shop", "skills").stdout.startswith("✓\tdeploy\t.agents/skills\t")


def test_the_commands_of_the_page_run(ada: CommandLine, tmp_path: Path) -> None:
    write_skill(tmp_path / "ada", "release-notes", SKILL)
    for line in COMMANDS.strip().splitlines():
        words = shlex.split(line, comments=True)[1:]
        for more in ((), ("--json",)) if "remove" not in words and "add" not in words else ((),):
            ended = ada.run(*words, *more)
            assert (ended.returncode, ended.stderr) == (0, ""), line


def test_the_program_of_the_page_runs(ada: CommandLine, tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path / "ada"), "ONECLAW_HOME": str(ada.home)}
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("release-notes ")
