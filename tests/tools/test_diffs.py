"""What the tools that change files tell of it: a diff beside the text, and before, in the question."""

from pathlib import Path
from typing import Any

import pytest
from tests.tools.desk import Desk

from oneclaw.core.call import Output, ToolCall, ToolResult
from oneclaw.core.engine import Engine
from oneclaw.core.event import Event, QuestionAsked
from oneclaw.core.event_json import fields_of, read_event
from oneclaw.core.permit.broker import Broker
from oneclaw.core.permit.permission import Permissions
from oneclaw.core.question import Question
from oneclaw.core.registry import Registry
from oneclaw.core.session import Session, Workspace
from oneclaw.core.tool import Tool
from oneclaw.run.runner import CallRunner
from oneclaw.tools.copy_file import copy_file
from oneclaw.tools.delete_file import delete_file
from oneclaw.tools.edit_file import edit_file
from oneclaw.tools.make_folder import make_folder
from oneclaw.tools.move_file import move_file
from oneclaw.tools.write_file import write_file

CASES: dict[str, tuple[Tool, dict[str, Any], str, int, int]] = {
    "a new file": (
        write_file,
        {"path": "new/n.txt", "content": "a\nb\n"},
        "--- /dev/null\n+++ new/n.txt\n@@ -0,0 +1,2 @@\n+a\n+b",
        2,
        0,
    ),
    "a file written anew": (
        write_file,
        {"path": "note.txt", "content": "one\n2\n"},
        "--- note.txt\n+++ note.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2",
        1,
        1,
    ),
    "a file that is added to": (
        write_file,
        {"path": "note.txt", "content": "three\n", "mode": "append"},
        "--- note.txt\n+++ note.txt\n@@ -1,2 +1,3 @@\n one\n two\n+three",
        1,
        0,
    ),
    "an edit": (
        edit_file,
        {"path": "note.txt", "old": "two", "new": "2"},
        "--- note.txt\n+++ note.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2",
        1,
        1,
    ),
    "a deleted file": (
        delete_file,
        {"path": "note.txt"},
        "--- note.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two",
        0,
        2,
    ),
    "a move": (
        move_file,
        {"source": "note.txt", "destination": "b.txt"},
        "rename from note.txt\nrename to b.txt",
        0,
        0,
    ),
    "a copy": (
        copy_file,
        {"source": "note.txt", "destination": "b.txt"},
        "copy from note.txt\ncopy to b.txt",
        0,
        0,
    ),
}


@pytest.fixture
def note(desk: Desk) -> Desk:
    desk.put("note.txt", "one\ntwo\n")
    return desk


@pytest.mark.parametrize("case", CASES)
def test_the_result_has_the_diff_beside_its_text(note: Desk, case: str) -> None:
    tool, arguments, text, added, removed = CASES[case]
    said: Output = tool.execute(arguments, note.context)
    diff = said.details["diff"]
    assert (diff["text"], diff["added"], diff["removed"]) == (text, added, removed)
    assert "@@" not in said.value


def test_what_changes_no_text_has_no_diff(note: Desk) -> None:
    for tool, arguments in (
        (write_file, {"path": "note.txt", "content": "one\ntwo\n"}),
        (make_folder, {"path": "folder"}),
        (delete_file, {"path": "folder"}),
    ):
        assert tool.execute(arguments, note.context).details == {}


class Person:
    """Somebody in the mode `ask` who looks at the file when asked, and answers."""

    def __init__(self, folder: Path, answer: str = "once") -> None:
        self.folder, self.answer = folder, answer
        self.asked: list[Question] = []
        self.seen: list[str | None] = []
        self.events: list[Event] = []
        self.broker = Broker(seconds=60, emit=self.events.append)
        self.broker.bind(self.show)

    def show(self, question: Question) -> None:
        note = self.folder / "note.txt"
        self.asked.append(question)
        self.seen.append(note.read_text() if note.exists() else None)
        self.broker.answer(question.id, self.answer)

    async def call(self, tool: Tool, arguments: dict[str, Any], session: Session) -> ToolResult:
        permissions = Permissions(mode="ask", broker=self.broker)
        engine = Engine(Registry([tool]), CallRunner(), permissions=permissions, session=session)
        return await engine.call(ToolCall(tool.name, arguments))


@pytest.mark.parametrize("case", CASES)
async def test_the_question_shows_the_diff_before_anything_is_changed(note: Desk, case: str) -> None:
    tool, arguments, text, added, removed = CASES[case]
    person = Person(note.folder)
    result = await person.call(tool, arguments, note.context.session)
    (question,) = person.asked
    assert question.diff is not None
    assert (question.diff["text"], question.diff["added"], question.diff["removed"]) == (text, added, removed)
    assert person.seen == ["one\ntwo\n"]
    assert result.ok
    assert result.details is not None
    assert result.details["diff"] == question.diff  # what was shown is what was done
    asked = next(event for event in person.events if isinstance(event, QuestionAsked))
    assert asked.diff == question.diff
    assert read_event("question_asked", fields_of(asked)).diff == asked.diff


async def test_the_question_names_every_argument_and_says_which_of_them_the_diff_shows(note: Desk) -> None:
    person = Person(note.folder)
    for content in ("short\n", "long\n" * 900, "\ufeffmarked\n"):
        await person.call(write_file, {"path": "note.txt", "content": content}, note.context.session)
    short, long, marked = person.asked
    for question in person.asked:
        assert f"\n  content = {question.arguments['content']}\n" in question.text
    assert (short.in_diff, long.in_diff, marked.in_diff) == (("content",), (), ())
    assert long.diff is not None
    assert long.diff["more"] > 0


async def test_a_no_leaves_the_file_and_a_call_that_cannot_work_is_asked_about_without_a_diff(
    note: Desk,
) -> None:
    person = Person(note.folder, "no")
    result = await person.call(
        edit_file, {"path": "note.txt", "old": "two", "new": "2"}, note.context.session
    )
    assert not result.ok
    assert note.tree == {"note.txt": "one\ntwo\n"}
    wrong = {"path": "note.txt", "old": "nowhere", "new": "2"}
    await person.call(edit_file, wrong, note.context.session)
    assert person.asked[-1].diff is None


async def test_secrets_are_taken_out_of_the_diff(note: Desk) -> None:
    person = Person(note.folder)
    permissions = Permissions(mode="ask", broker=person.broker, redact=_without_secret)
    engine = Engine(
        Registry([write_file]), CallRunner(), permissions=permissions, session=note.context.session
    )
    await engine.call(ToolCall("write_file", {"path": "note.txt", "content": "hunter2\n"}))
    assert person.asked[0].diff is not None
    assert "hunter2" not in str(person.asked[0].diff)


def _without_secret(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_secret(each) for name, each in value.items()}  # pyright: ignore[reportUnknownVariableType]
    return value.replace("hunter2", "***") if isinstance(value, str) else value


async def test_a_preview_reads_nothing_outside(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "work/link").symlink_to(tmp_path / "secret")
    person = Person(tmp_path)
    session = Session(workspace=Workspace(tmp_path / "work"))
    for path in ("../secret", "link"):
        await person.call(write_file, {"path": path, "content": "x"}, session)
        assert person.asked[-1].diff is None
