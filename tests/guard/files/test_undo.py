"""Undo: what calls changed is restored, and nothing that somebody else changed is lost."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.tools.desk import Desk

from oneclaw.core.errors import ToolError
from oneclaw.core.session import Root, UndoFolder, Workspace
from oneclaw.core.tool import Tool
from oneclaw.guard.files import kept
from oneclaw.guard.files.kept import ChangeHead, ChangeKeeper, FileStep, KeptChange, new_change_id
from oneclaw.guard.files.undo import UndoneFile, take_back
from oneclaw.guard.files.undo_plan import UndoPlan, make_plan
from oneclaw.tools.copy_file import copy_file
from oneclaw.tools.delete_file import delete_file
from oneclaw.tools.edit_file import edit_file
from oneclaw.tools.make_folder import make_folder
from oneclaw.tools.move_file import move_file
from oneclaw.tools.restore_file import restore_file
from oneclaw.tools.write_file import write_file


class UndoDesk(Desk):
    """A workspace whose changes are undone."""

    @property
    def changes(self) -> list[KeptChange]:
        return kept.read_changes(self.undo)

    def plan(self, changes: list[KeptChange]) -> UndoPlan:
        undid = {key for each in self.changes if not each.is_done for key in each.undid}
        steps = [each for change in changes for each in change.keyed if each[0] not in undid]
        return make_plan(Workspace(self.folder, self.roots), self.undo, steps)

    def take_back(self, plan: UndoPlan, changes: list[KeptChange]) -> list[UndoneFile]:
        return take_back(Workspace(self.folder, self.roots), self.undo, self.head(changes), plan.tasks)

    def head(self, changes: list[KeptChange]) -> ChangeHead:
        undoes = tuple(change.head.id for change in changes)
        return ChangeHead(id=new_change_id(), session="s1", undoes=undoes)

    def back(self, changes: list[KeptChange], force: bool = False) -> list[UndoneFile]:
        plan = self.plan(changes)
        assert force or not plan.conflicts, list(map(str, plan.conflicts))
        return self.take_back(plan, changes)

    def conflicts(self) -> list[str]:
        return list(map(str, self.plan(self.changes[:1]).conflicts))


@pytest.fixture
def desk(tmp_path: Path) -> UndoDesk:
    return UndoDesk(tmp_path)


Step = tuple[Tool, dict[str, Any]]


@pytest.mark.parametrize(
    ("before", "steps", "did"),
    [
        ({}, [(write_file, {"path": "a", "content": "new"})], ["removed a"]),
        ({"a": "old"}, [(write_file, {"path": "a", "content": "new"})], ["restored a"]),
        ({"a": "old"}, [(write_file, {"path": "a", "content": "x", "mode": "append"})], ["restored a"]),
        ({"a": "old"}, [(edit_file, {"path": "a", "old": "o", "new": "u"})], ["restored a"]),
        ({}, [(write_file, {"path": "d/e/a", "content": ""})], ["removed d/e/a", "removed d/e", "removed d"]),
        ({"a": "old"}, [(move_file, {"source": "a", "destination": "d/b"})], ["moved a", "removed d"]),
        (
            {"a": "one", "b": "two"},
            [(move_file, {"source": "a", "destination": "b", "overwrite": True})],
            ["moved a", "restored b"],
        ),
        ({"d/a": "x"}, [(move_file, {"source": "d", "destination": "e"})], ["moved d"]),
        ({"a": "old"}, [(copy_file, {"source": "a", "destination": "b"})], ["removed b"]),
        (
            {"a": "one", "b": "two"},
            [(copy_file, {"source": "a", "destination": "b", "overwrite": True})],
            ["restored b"],
        ),
        ({"a": "old"}, [(delete_file, {"path": "a"})], ["restored a"]),
        ({"d/a": "x", "d/b": "y"}, [(delete_file, {"path": "d"})], ["restored d"]),
        ({}, [(make_folder, {"path": "d/e"})], ["removed d/e", "removed d"]),
        (
            {"a": "old"},
            [(delete_file, {"path": "a"}), (restore_file, {"path": "a"})],
            ["removed a", "restored a"],
        ),
        (
            {"d/a": "v0"},
            [
                (write_file, {"path": "d/a", "content": "v1"}),
                (move_file, {"source": "d", "destination": "e"}),
                (write_file, {"path": "e/a", "content": "v2"}),
                (delete_file, {"path": "e"}),
            ],
            ["restored e", "restored e/a", "moved d", "restored d/a"],
        ),
    ],
)
def test_each_kind_of_change_is_undone_and_the_undo_as_well(
    desk: UndoDesk, before: dict[str, str], steps: list[Step], did: list[str]
) -> None:
    for path, content in before.items():
        desk.put(path, content)
    first = desk.tree
    for tool, arguments in steps:
        desk.call(tool, **arguments)
    last = desk.tree
    changes = desk.changes
    assert [f"{each.did} {each.path}" for each in desk.back(changes)] == did
    assert desk.tree == first
    desk.back(desk.changes[:1])
    assert desk.tree == last


PATHS = ("a", "b", "d/a", "d/b", "e/a", "d", "e")


def random_step(chance: random.Random) -> Step:
    one, other = chance.sample(PATHS, 2)
    return chance.choice(
        [
            (write_file, {"path": one, "content": chance.choice("xyz")}),
            (write_file, {"path": one, "content": chance.choice("xyz"), "mode": "append"}),
            (edit_file, {"path": one, "old": "x", "new": "z", "all": True}),
            (move_file, {"source": one, "destination": other, "overwrite": True}),
            (copy_file, {"source": one, "destination": other, "overwrite": True}),
            (delete_file, {"path": one}),
            (restore_file, {"path": one}),
            (make_folder, {"path": one}),
        ]
    )


def play(desk: UndoDesk, chance: random.Random, steps: int) -> None:
    for _ in range(steps):
        tool, arguments = random_step(chance)
        try:
            desk.call(tool, **arguments)
        except ToolError:
            continue  # a path that is not there, or a folder in the way


@pytest.mark.parametrize("seed", range(25))
def test_any_story_of_calls_is_undone_whole(tmp_path: Path, seed: int) -> None:
    chance, desk = random.Random(seed), UndoDesk(tmp_path)
    desk.put("a", "first")
    desk.put("d/a", "second")
    before = desk.tree
    play(desk, chance, 12)
    after, changes = desk.tree, desk.changes
    desk.back(changes)
    assert desk.tree == before
    if desk.changes != changes:
        desk.back(desk.changes[:1])
    assert desk.tree == after


class Killed(BaseException):
    """Stands for a kill."""


@pytest.mark.parametrize("is_after", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_an_undo_that_stops_anywhere_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, is_after: bool
) -> None:
    """Each new try writes one line more of its record before it stops."""
    chance, desk = random.Random(seed), UndoDesk(tmp_path)
    desk.put("a", "first")
    desk.put("d/a", "second")
    before = desk.tree
    play(desk, chance, 8)
    changes = desk.changes
    written: Callable[[ChangeKeeper, bytes], None] = vars(ChangeKeeper)["_write"]
    left = 0

    def write(self: ChangeKeeper, lines: bytes) -> None:
        nonlocal left
        left -= 1
        if left < 0 and not is_after:
            raise Killed
        written(self, lines)
        if left < 0:
            raise Killed

    monkeypatch.setattr(ChangeKeeper, "_write", write)
    for most in range(1, 100):
        left = most % 3 + 1
        try:
            desk.back(changes)
            break
        except Killed:
            if desk.changes[0].is_done:
                break
    assert desk.tree == before


def change_content(desk: UndoDesk) -> None:
    desk.put("a", "of a person")


def remove(desk: UndoDesk) -> None:
    (desk.folder / "a").unlink()


def make_a_folder(desk: UndoDesk) -> None:
    (desk.folder / "a").unlink()
    desk.put("a/b", "of a person")


def make_a_link(desk: UndoDesk) -> None:
    desk.put("other", "of a person")
    (desk.folder / "a").unlink()
    (desk.folder / "a").symlink_to("other")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (change_content, "a was changed since"),
        (remove, "a is gone"),
        (make_a_folder, "a was changed since"),
        (make_a_link, "a was changed since"),
    ],
)
def test_what_was_changed_since_stops_an_undo_and_force_keeps_it(
    desk: UndoDesk, change: Callable[[UndoDesk], None], reason: str
) -> None:
    desk.put("a", "first")
    desk.call(write_file, path="a", content="second")
    change(desk)
    theirs = desk.tree
    assert desk.conflicts() == [reason]
    desk.back(desk.changes[:1], force=True)
    assert desk.tree["a"] == "first"
    assert desk.tree.get("other") in (None, "of a person")
    desk.back(desk.changes[:1])
    assert desk.tree == theirs


def test_a_deleted_file_does_not_come_back_over_another_one(desk: UndoDesk) -> None:
    desk.put("a", "first")
    desk.call(delete_file, path="a")
    desk.put("a", "of a person")
    assert desk.conflicts() == ["a is there again"]
    desk.back(desk.changes[:1], force=True)
    assert desk.tree == {"a": "first"}
    desk.back(desk.changes[:1])
    assert desk.tree == {"a": "of a person"}


def test_a_change_that_is_made_between_the_plan_and_the_undo_is_not_lost(desk: UndoDesk) -> None:
    desk.put("a", "first")
    desk.call(write_file, path="a", content="second")
    desk.call(write_file, path="b", content="made")
    changes = desk.changes
    plan = desk.plan(changes)
    desk.put("a", "of a person")
    with pytest.raises(ToolError, match=r"a was changed while it was being undone\. 1 of 2 steps"):
        desk.take_back(plan, changes)
    assert desk.tree == {"a": "of a person"}


def is_always(one: object, other: object) -> bool:
    return True


def test_an_undo_that_compared_nothing_would_lose_it(desk: UndoDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: without the comparison the words of the person are overwritten."""
    monkeypatch.setattr("oneclaw.guard.files.undo.is_same", is_always)
    desk.put("a", "first")
    desk.call(write_file, path="a", content="second")
    plan = desk.plan(desk.changes)
    desk.put("a", "of a person")
    desk.take_back(plan, desk.changes)
    assert desk.tree == {"a": "first"}


def test_a_folder_that_is_in_use_is_left(desk: UndoDesk) -> None:
    desk.call(write_file, path="d/a", content="made")
    desk.put("d/mine", "of a person")
    assert [each.did for each in desk.back(desk.changes)] == ["removed", "left"]
    assert desk.tree == {"d": None, "d/mine": "of a person"}


def test_nothing_outside_of_the_workspace_is_touched(desk: UndoDesk, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("first")
    with outside.open("rb") as old:
        keeper = ChangeKeeper(desk.undo, ChangeHead(id=new_change_id(), session="s1"))
        keeper.put(str(outside), old, None)
    outside.unlink()
    with pytest.raises(ToolError, match="outside the workspace"):
        desk.plan(desk.changes)
    desk.roots = (Root(tmp_path, "write"),)  # the twin: opened, it is restored
    desk.back(desk.changes)
    assert outside.read_text() == "first"


def test_a_folder_exchanged_for_a_link_leads_nowhere(desk: UndoDesk) -> None:
    desk.put("d/a", "first")
    desk.call(write_file, path="d/a", content="second")
    (desk.folder / "d").rename(desk.folder / "e")
    (desk.folder / "d").symlink_to("e")
    with pytest.raises(ToolError, match="leads through a link now"):
        desk.plan(desk.changes)
    assert desk.tree["e/a"] == "second"


def test_a_file_that_was_too_large_to_keep_says_so(desk: UndoDesk) -> None:
    desk.undo = UndoFolder(desk.undo.folder, file_bytes=10)
    desk.put("a", "x" * 11)
    desk.call(write_file, path="a", content="small")
    [reason] = desk.conflicts()
    assert reason.startswith("a is not kept in its earlier form")
    assert desk.plan(desk.changes).conflicts[0].is_final


def test_modes_come_back(desk: UndoDesk) -> None:
    desk.put("a", "#!").chmod(0o750)
    desk.put("b", "x")
    desk.call(move_file, source="b", destination="a", overwrite=True)
    desk.back(desk.changes)
    assert (desk.folder / "a").stat().st_mode & 0o777 == 0o750
    assert desk.tree == {"a": "#!", "b": "x"}


def test_a_step_of_an_effect_that_never_began_needs_nothing(desk: UndoDesk) -> None:
    desk.put("a", "first")
    keeper = ChangeKeeper(desk.undo, ChangeHead(id=new_change_id(), session="s1"))
    with (desk.folder / "a").open("rb") as old, (desk.put("b", "second")).open("rb") as new:
        keeper.put(str((desk.folder / "a").resolve()), old, new)
    (desk.folder / "b").unlink()
    plan = desk.plan(desk.changes)
    assert not plan.conflicts
    assert all(task.is_empty for task in plan.tasks)


def test_steps_are_read_as_they_were_kept(desk: UndoDesk) -> None:
    desk.call(make_folder, path="d")
    [change] = desk.changes
    real = str((desk.folder / "d").resolve())
    assert change.steps == (FileStep("make", real, after=kept.FileState("folder")),)
    assert not change.is_done
    desk.back([change])
    assert desk.changes[0].is_done
