"""Overwriting where the session asks for it each time: a person says yes, or the file stays as it is."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.person import Person

from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.engine import Engine
from oneclaw.core.errors import Kind
from oneclaw.core.permit.grant import Grant, MemoryBook, definition_hash, new_id
from oneclaw.core.permit.need import NEEDS, OVERWRITE, Mode, State
from oneclaw.core.permit.permission import Permissions
from oneclaw.core.question import PermissionAnswer
from oneclaw.core.registry import Registry
from oneclaw.core.session import Session, Workspace
from oneclaw.run.runner import CallRunner
from oneclaw.tools.write_file import write_file


class House:
    """A workspace with a file, and an engine whose session asks before a file is replaced."""

    def __init__(self, folder: Path, **permissions: Any) -> None:
        self.file = folder / "report.txt"
        self.file.write_text("old")
        self.session = Session("s1", workspace=Workspace(folder), asks=(OVERWRITE,))
        self.engine = Engine(Registry([write_file]), CallRunner(), permissions=Permissions(**permissions))

    async def write(self, path: str = "report.txt", mode: str = "overwrite") -> ToolResult:
        call = ToolCall("write_file", {"path": path, "content": "new", "mode": mode})
        return await self.engine.call(call, self.session)


ALL_GRANTED = dict.fromkeys(NEEDS, State.GRANTED)
MODES: tuple[Mode, ...] = ("auto", "ask", "deny")


@pytest.mark.parametrize("mode", MODES)
async def test_where_nobody_can_answer_the_file_stays_whatever_is_granted(tmp_path: Path, mode: Mode) -> None:
    book = MemoryBook()
    digest = definition_hash(write_file.definition)
    for need in (OVERWRITE, "changes", "files.write"):
        await book.add(
            Grant(
                id=new_id(), need=need, tool="write_file", verdict="allow", scope="everywhere", digest=digest
            )
        )
    house = House(tmp_path, mode=mode, states=ALL_GRANTED, grants=book)
    result = await house.write()
    assert result.kind is Kind.PERMISSION_DENIED
    assert "report.txt is there already; what it holds would be lost." in result.message
    assert "to granted" not in result.message  # no setting would help
    assert house.file.read_text() == "old"
    assert (await house.write("fresh.txt")).ok


@pytest.mark.parametrize("mode", MODES)
async def test_without_the_guard_it_would_be_overwritten(tmp_path: Path, mode: Mode) -> None:
    house = House(tmp_path, mode=mode, states=ALL_GRANTED)
    house.session = replace(house.session, asks=())
    assert (await house.write()).ok
    assert house.file.read_text() == "new"


async def test_a_yes_holds_for_one_time_and_is_not_kept(tmp_path: Path) -> None:
    person = Person("once")
    house = House(tmp_path, broker=person.broker)
    assert (await house.write()).ok
    assert house.file.read_text() == "new"
    house.file.write_text("old again")
    assert (await house.write()).ok
    assert [prompt.needs for prompt in person.asked] == [(OVERWRITE,), (OVERWRITE,)]
    assert person.asked[0].answers == ("once", "no", "never")


@pytest.mark.parametrize("answer", ["no", "never"])
async def test_a_no_keeps_the_file(tmp_path: Path, answer: PermissionAnswer) -> None:
    house = House(tmp_path, broker=Person(answer).broker, states=ALL_GRANTED)
    assert (await house.write()).kind is Kind.PERMISSION_DENIED
    assert house.file.read_text() == "old"


async def test_a_new_file_and_an_addition_ask_nobody(tmp_path: Path) -> None:
    house = House(tmp_path, mode="auto")
    assert (await house.write("a/b.txt")).ok
    assert (await house.write(mode="append")).ok
    assert house.file.read_text() == "oldnew"


async def test_an_agent_that_such_a_session_asks_is_bound_too(tmp_path: Path) -> None:
    house = House(tmp_path, states=ALL_GRANTED)
    house.session = Session("s2", workspace=house.session.workspace, parent=house.session)
    assert (await house.write()).kind is Kind.PERMISSION_DENIED
    assert house.file.read_text() == "old"


async def test_a_link_to_a_file_is_that_file(tmp_path: Path) -> None:
    house = House(tmp_path, states=ALL_GRANTED)
    (tmp_path / "link.txt").symlink_to("report.txt")
    assert (await house.write("link.txt")).kind is Kind.PERMISSION_DENIED
    assert house.file.read_text() == "old"
