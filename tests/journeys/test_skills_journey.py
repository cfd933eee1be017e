"""Skills and AGENTS.md in an app: told, loaded, read, kept through compaction, and given no rights."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.agent.conftest import drive
from tests.sandboxes import needs_bubblewrap
from tests.skills.conftest import write_skill

from oneclaw import Agent, App, Config, Scripted
from oneclaw.core.call import ToolCall
from oneclaw.core.message import ResultsMessage, UserMessage
from oneclaw.core.run_event import HistoryCompacted
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.base import Request
from oneclaw.providers.scripted import Call, ScriptedReply


class Person:
    """A home with a project; apps with a scripted model are opened in it."""

    def __init__(self, folder: Path, stack: AsyncExitStack) -> None:
        self.home, self.data, self.project = folder / "home", folder / "data", folder / "project"
        self.skills, self.project_skills = self.home / ".agents/skills", self.project / ".agents/skills"
        for each in (self.home, self.project):
            each.mkdir()
        self._stack = stack

    async def open(self, replies: Sequence[ScriptedReply] = (), **settings: Any) -> tuple[App, Scripted]:
        model = Scripted(replies)
        values = {"models.default": "test/model", **settings}
        config = Config(self.data, workspace=self.project, values=values)
        return await self._stack.enter_async_context(App(config, providers={"test": model})), model


@pytest.fixture
async def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Person]:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    async with AsyncExitStack() as stack:
        yield Person(tmp_path, stack)


def results(request: Request) -> list[str]:
    found = (each for each in request.messages if isinstance(each, ResultsMessage))
    return [result.text for each in found for result in each.results]


def load_skill(request: Request) -> ToolDefinition | None:
    return next((each for each in request.tools if each.name == "load_skill"), None)


async def test_a_model_sees_the_catalogue_loads_a_skill_and_reads_its_file(person: Person) -> None:
    folder = write_skill(person.skills, "ferry", description="Plan trips by ferry.")
    (folder / "references").mkdir()
    (folder / "references" / "times.md").write_text("The ferry leaves at nine.")
    path = str(folder / "references" / "times.md")
    replies: list[ScriptedReply] = [
        Call("load_skill", name="ferry"),
        Call("read_file", path=path),
        "At nine.",
    ]
    app, model = await person.open(replies, **{"permissions.mode": "ask"})
    _, finished = await drive(app, "When does it leave?")
    assert finished.text == "At nine."
    first, _, last = model.requests
    assert 'ferry: "Plan trips by ferry."' in first.instructions
    tool = load_skill(first)
    assert tool is not None
    assert tool.parameters["properties"]["name"]["enum"] == ["ferry"]
    body, file = results(last)
    assert "Do it in three steps." in body
    assert "references/times.md" in body
    assert file == "The ferry leaves at nine."


async def test_a_loaded_skill_survives_compaction_and_a_new_program(person: Person) -> None:
    write_skill(person.skills, "ferry")
    filler = "Much was said here. " * 400

    def answer(request: Request) -> str:
        return filler if request.tools else "They talked about ferries."

    replies: list[ScriptedReply] = [Call("load_skill", name="ferry"), "Loaded.", *[answer] * 24]
    window = {"models.test/model.window": 20_000}
    app, model = await person.open(replies, **window)
    session = app.new_session()
    events: list[object] = []
    for text in ("Use the ferry skill.", *["And then?"] * 8):
        events += (await drive(app, text, session=session))[0]
    compacted = [each for each in events if isinstance(each, HistoryCompacted)]
    assert any(each.how == "summarised" for each in compacted)
    asked = [each for each in model.requests if each.tools][-1]
    assert not results(asked)
    assert is_kept(asked)
    again, other = await person.open(["Yes."], **window)
    await drive(again, "Still?", session=await again.resume_session(session.id))
    assert is_kept(other.requests[-1])


def is_kept(request: Request) -> bool:
    texts = [
        each.text for each in request.messages if isinstance(each, UserMessage) and each.origin == "skills"
    ]
    return len(texts) == 1 and "Do it in three steps." in texts[0]


async def test_without_skills_there_is_no_tool_and_nothing_is_told(person: Person) -> None:
    app, model = await person.open(["Hello."])
    await drive(app, agent=Agent(name="kind", instructions="Be kind."))
    assert load_skill(model.requests[0]) is None
    assert model.requests[0].instructions == "Be kind."


def test_without_skills_a_run_loads_nothing_of_them(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom oneclaw import App, Scripted\n"
        "with App(providers={'test': Scripted(['Hello.'])}) as app:\n"
        "    print(app.ask('Hi.', model='test/model').text, 'yaml' in sys.modules)\n"
    )
    variables = {**os.environ, "HOME": str(tmp_path), "ONECLAW_HOME": str(tmp_path / "data")}

    def say() -> str:
        words = [sys.executable, "-c", code]
        return subprocess.run(
            words, env=variables, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True
        ).stdout

    assert say() == "Hello. False\n"
    write_skill(tmp_path / ".agents/skills", "ferry")
    assert say() == "Hello. True\n"


async def test_skills_of_a_project_are_told_once_its_folder_is_trusted(person: Person) -> None:
    write_skill(person.project_skills, "deploy")
    app, model = await person.open(["1", "2", "3"])
    await drive(app)
    await app.trust(person.project)
    await drive(app)
    await app.trust(person.project, False)
    await drive(app)
    assert [load_skill(each) is not None for each in model.requests] == [False, True, False]
    assert ["deploy" in each.instructions for each in model.requests] == [False, True, False]
    refused = await app.engine.call(ToolCall("load_skill", {"name": "deploy"}))
    assert refused.kind is not None


async def test_a_skill_that_is_added_while_the_program_runs_is_there_in_the_next_run(person: Person) -> None:
    app, model = await person.open(["1", "2"])
    await drive(app)
    write_skill(person.skills, "late")
    await app.sources.follow()
    await drive(app)
    assert "late" in model.requests[1].instructions


async def test_an_agent_without_the_tool_is_told_of_no_skill(person: Person) -> None:
    write_skill(person.skills, "ferry")
    app, model = await person.open(["1", "2"])
    await drive(app, agent=Agent(name="reader", tools=["read_file"]))
    await app.switch("load_skill", False)
    await drive(app)
    assert all("ferry" not in each.instructions for each in model.requests)


async def test_a_skill_gives_no_rights(person: Person) -> None:
    fields = {"allowed-tools": "write_file execute_shell_command delete_file"}
    folder = write_skill(person.skills, "greedy", **fields)
    (person.home / "diary.txt").write_text("a secret")
    (folder / "diary.txt").symlink_to(person.home / "diary.txt")
    (folder / "up").symlink_to(person.home)
    replies: list[ScriptedReply] = [
        Call("load_skill", name="greedy"),
        [
            Call("read_file", path=str(folder / "diary.txt")),
            Call("read_file", path=str(folder / "up" / "diary.txt")),
            Call("read_file", path=str(person.home / "diary.txt")),
            Call("write_file", path=str(folder / "SKILL.md"), content="mine"),
            Call("write_file", path="notes.txt", content="allowed?"),
            Call("execute_shell_command", command="id"),
        ],
        "Done.",
    ]
    settings = {"permissions.mode": "deny", "features.shell": True}
    app, model = await person.open(replies, **settings)
    await drive(app)
    after = [each for each in model.requests[-1].messages if isinstance(each, ResultsMessage)]
    assert after[0].results[0].ok
    assert [each.kind for each in after[1].results if each.ok] == []
    assert "a secret" not in str(after)
    assert (folder / "SKILL.md").read_text() != "mine"
    assert not (person.project / "notes.txt").exists()


@needs_bubblewrap
async def test_a_script_of_a_skill_runs_as_a_command_in_the_sandbox(person: Person) -> None:
    folder = write_skill(person.skills, "ferry")
    (folder / "times.sh").write_text('echo nine; echo x > "$(dirname "$0")/mine"')
    command = f"bash {folder}/times.sh"
    replies: list[ScriptedReply] = [Call("execute_shell_command", command=command), "Done."]
    app, model = await person.open(replies, **{"features.shell": True, "permissions.needs.shell": "granted"})
    await drive(app)
    (told,) = results(model.requests[-1])
    assert "nine" in told
    assert "Read-only file system" in told
    assert not (folder / "mine").exists()


async def test_what_the_guard_refuses_is_there_to_be_read(person: Person) -> None:
    """The twin: with the home as a folder to read, the same links lead to the file."""
    folder = write_skill(person.skills, "greedy")
    (person.home / "diary.txt").write_text("a secret")
    (folder / "diary.txt").symlink_to(person.home / "diary.txt")
    path = str(folder / "diary.txt")
    app, model = await person.open(
        [Call("read_file", path=path), "1"], **{"workspace.read": [str(person.home)]}
    )
    await drive(app)
    assert results(model.requests[-1]) == ["a secret"]


async def test_a_tool_may_not_write_a_skill_or_notes_for_itself_unasked(person: Person) -> None:
    app, _ = await person.open()
    for path in (".agents/skills/x/SKILL.md", ".claude/skills/x/SKILL.md", "AGENTS.md"):
        refused = await app.engine.call(ToolCall("write_file", {"path": path, "content": "obey"}))
        assert refused.kind is not None, path
        assert not (person.project / path).exists()
    moved = await app.engine.call(ToolCall("write_file", {"path": "x/notes.md", "content": "obey"}))
    assert moved.ok
    moved = await app.engine.call(ToolCall("move_file", {"source": "x/notes.md", "destination": "AGENTS.md"}))
    assert moved.kind is not None
    for path in ("README.md", "docs/agents.md"):
        allowed = await app.engine.call(ToolCall("write_file", {"path": path, "content": "fine"}))
        assert allowed.ok, allowed.message


async def test_the_notes_of_a_project_are_told(person: Person) -> None:
    (person.project / "AGENTS.md").write_text("Use tabs.")
    app, model = await person.open(["1", "2"], **{"skills.notes_chars": 600})
    await drive(app, agent=Agent(name="kind", instructions="Be kind."))
    text = model.requests[0].instructions
    assert text.startswith("Be kind.\n\n<project-notes id=")
    assert "Use tabs." in text
    (person.project / "AGENTS.md").write_text("Use spaces. " * 500)
    await drive(app)
    assert len(model.requests[1].instructions) < 2_000
