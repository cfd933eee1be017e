"""Files that lie in the workspace do not make a command that a rule allows run something else."""

import importlib
import shutil
from pathlib import Path

import pytest

from oneclaw import App, Config, ToolCall
from oneclaw.guard.command.approval import TOOL

RULES = ["git status", "cd *"]
PLANTED = {
    "x/HEAD": "ref: refs/heads/main\n",
    "x/config": "[core]\nrepositoryformatversion = 0\nbare = false\nworktree = ..\n"
    'fsmonitor = "touch planted; false"\n',
    "x/objects/keep": "",
    "x/refs/keep": "",
}


async def run_beside_planted_files(home: Path) -> bool:
    """Run `git status` where somebody left settings of git: whether they were obeyed."""
    config = Config(home=home, values={"features.shell": True, "shell.allow": RULES})
    async with App(config) as app:
        session = app.new_session()
        for path, content in PLANTED.items():
            file = config.workspace_folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        for arguments in ({"command": "cd x && git status"}, {"command": "git status", "working_dir": "x"}):
            result = await app.engine.call(ToolCall(TOOL, arguments), session)
            if not result.ok:
                pytest.skip(f"commands cannot be run here: {result.message}")
        return any(config.workspace_folder.rglob("planted"))


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
async def test_a_folder_that_a_tool_made_a_repository_is_not_obeyed(tmp_path: Path) -> None:
    assert not await run_beside_planted_files(tmp_path)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
async def test_without_the_guard_it_would_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = importlib.import_module("oneclaw.tools.execute_shell_command")
    monkeypatch.setattr(tool, "_UNASKED", {})
    assert await run_beside_planted_files(tmp_path)
