"""A person with a skill in the terminal: found, trusted, followed, its file read, its script asked about."""

from pathlib import Path
from typing import Any

import pytest
from tests.cli.vt import Terminal, environment, script
from tests.sandboxes import needs_bubblewrap

SKILL = """\
---
name: ferry
description: Plan trips by ferry. Use it when somebody asks about ferries.
---

# Ferry

Read references/times.md before you answer. Run scripts/price.sh to see what it costs.
"""


class Traveller:
    """Somebody with a project that has a skill, which is written for other agents and not yet trusted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project = folder / "trip"
        self.skill = self.project / ".claude/skills/ferry"
        for part in ("references", "scripts"):
            (self.skill / part).mkdir(parents=True)
        (self.skill / "SKILL.md").write_text(SKILL)
        (self.skill / "references/times.md").write_text("The ferry leaves at nine.")
        (self.skill / "scripts/price.sh").write_text("echo 12 euros")
        (self.project / "AGENTS.md").write_text("Answer in one sentence.")
        (folder / "home").mkdir()

    def chat(self, *replies: Any, settings: str = "") -> Terminal:
        config = self.folder / "config/oneclaw"
        config.mkdir(parents=True, exist_ok=True)
        (config / "oneclaw.toml").write_text(settings)
        words = ("chat", "--model", script(self.folder, *replies), "--workspace", str(self.project))
        variables = environment(self.folder / "home", HOME=str(self.folder / "home"))
        return Terminal(*words, environment=variables, columns=110)


@pytest.fixture
def traveller(tmp_path: Path) -> Traveller:
    return Traveller(tmp_path)


def call(tool: str, **arguments: str) -> dict[str, Any]:
    return {"call": tool, "arguments": arguments}


def test_a_skill_is_trusted_loaded_and_its_file_read_without_a_question(traveller: Traveller) -> None:
    path = ".claude/skills/ferry/references/times.md"
    replies = (call("load_skill", name="ferry"), call("read_file", path=path), "At nine.")
    with traveller.chat(*replies) as terminal:
        terminal.wait("1 skill of this project is not loaded")
        terminal.wait("/trust")
        terminal.say("/trust")
        terminal.wait("is trusted")
        terminal.wait("ferry")
        terminal.say("When does it leave?")
        terminal.wait("At nine.")
        text = terminal.screen.text
        assert "✓ load_skill name=ferry" in text
        assert "✓ read_file path=.claude/skills/ferry/references/times.md" in text
        assert "Read references/times.md before you answer" not in text
        assert terminal.leave() == 0
    with traveller.chat("Hello.") as terminal:
        terminal.wait("/help lists")
        assert "not loaded" not in terminal.screen.text
        assert terminal.leave() == 0


@needs_bubblewrap
def test_the_script_of_a_skill_is_asked_about_as_every_command(traveller: Traveller) -> None:
    command = "bash .claude/skills/ferry/scripts/price.sh"
    replies = (call("execute_shell_command", command=command), "It costs 12 euros.")
    with traveller.chat(*replies, settings="[features]\nshell = true\n") as terminal:
        terminal.say("/trust")
        terminal.wait("is trusted")
        terminal.say("/ferry what does it cost?")
        terminal.wait("price.sh")
        terminal.say("y")
        terminal.wait("It costs 12 euros.")
        assert "12 euros" in terminal.screen.text
        assert terminal.leave() == 0
