"""delete_file and restore_file: what goes comes back, whole, to the path it had."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.tools.desk import Desk

from oneclaw.core.call import ToolCall
from oneclaw.core.engine import Engine
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.registry import Registry
from oneclaw.core.session import Root, Session, Workspace
from oneclaw.core.tool import Context
from oneclaw.run.runner import CallRunner
from oneclaw.tools.delete_file import delete_file
from oneclaw.tools.restore_file import restore_file


def test_a_file_is_deleted_and_restored_as_it_was(desk: Desk) -> None:
    desk.put("docs/a.txt", "held").chmod(0o640)
    said = desk.call(delete_file, path="docs/a.txt")
    assert said == "Deleted docs/a.txt; restore_file brings it back"
    assert desk.tree == {"docs": None}
    assert desk.call(restore_file, path="docs/a.txt") == "Restored docs/a.txt"
    assert desk.tree == {"docs": None, "docs/a.txt": "held"}
    assert (desk.folder / "docs/a.txt").stat().st_mode & 0o777 == 0o640


def test_a_folder_goes_and_comes_back_with_all_that_is_in_it(desk: Desk) -> None:
    desk.put("a/b/c.txt", "held")
    (desk.folder / "a/link").symlink_to("b")
    (desk.folder / "a/empty").mkdir()
    before = desk.tree
    assert desk.call(delete_file, path="a/") == "Deleted the folder a/; restore_file brings it back"
    assert desk.tree == {}
    desk.call(restore_file, path="a")
    assert desk.tree == before


def test_the_last_one_deleted_at_a_path_comes_back_first(desk: Desk) -> None:
    for content in ("one", "two"):
        desk.put("a.txt", content)
        desk.call(delete_file, path="a.txt")
    desk.call(restore_file, path="./a.txt")
    assert desk.tree == {"a.txt": "two"}
    (desk.folder / "a.txt").unlink()
    desk.call(restore_file, path="a.txt")
    assert desk.tree == {"a.txt": "one"}


def test_missing_folders_are_made_and_paths_with_links_are_understood(desk: Desk) -> None:
    desk.put("real/a.txt", "held")
    (desk.folder / "link").symlink_to("real")
    desk.call(delete_file, path="link/a.txt")
    assert desk.tree == {"real": None, "link": "-> real"}
    desk.call(restore_file, path="link/a.txt")
    assert desk.tree["real/a.txt"] == "held"
    desk.call(delete_file, path="real/a.txt")
    desk.call(delete_file, path="real")
    desk.call(restore_file, path="real/a.txt")
    assert desk.tree["real/a.txt"] == "held"


def test_nothing_is_restored_over_what_is_there(desk: Desk) -> None:
    desk.put("a.txt", "old")
    desk.call(delete_file, path="a.txt")
    desk.put("a.txt", "new")
    assert desk.refusal(restore_file, path="a.txt") == (
        f"{desk.folder.resolve()}/a.txt is there again; move it away first."
    )


def test_what_was_not_deleted_is_not_found_and_what_was_is_named(desk: Desk, tmp_path: Path) -> None:
    assert desk.refusal(restore_file, path="b") == "b is not in the trash; the trash is empty."
    desk.put("a.txt")
    desk.call(delete_file, path="a.txt")
    assert desk.refusal(restore_file, path="b") == "b is not in the trash; the trash holds: a.txt."
    (tmp_path / "other").mkdir()
    other = Desk(tmp_path / "other")
    other.undo = desk.undo
    assert other.refusal(restore_file, path="b") == "b is not in the trash; the trash is empty."


def test_a_link_is_deleted_and_what_it_points_to_stays(desk: Desk) -> None:
    desk.put("a.txt", "held")
    (desk.folder / "link").symlink_to("a.txt")
    desk.call(delete_file, path="link")
    assert desk.tree == {"a.txt": "held"}
    desk.call(restore_file, path="link")
    assert desk.tree == {"a.txt": "held", "link": "-> a.txt"}


def test_what_is_outside_closed_or_read_only_is_not_deleted(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (desk.folder / "out").symlink_to(tmp_path)
    desk.put("project/.git/config")
    desk.put("locked").chmod(0o444)
    desk.put("box/kept/x")
    desk.roots = (Root(desk.folder / "box/kept", "none"),)
    sentences = {
        "../secret": "is outside the workspace",
        "out/secret": "is outside the workspace",
        ".": "must stay",
        "project": "project/.git may not be changed by tools",
        "project/.git": "may be read but not written",
        "locked": "locked is read-only",
        "box": "the settings name",
        "box/kept/x": "is closed to tools",
        "gone": "File not found: gone",
    }
    for path, sentence in sentences.items():
        with pytest.raises(ToolError, match=sentence):
            desk.call(delete_file, path=path)
    assert (tmp_path / "secret").read_text() == "secret"
    assert (desk.folder / "box/kept/x").exists()


def test_what_a_program_obeys_is_asked_about(desk: Desk) -> None:
    desk.put("inner/.husky/pre-commit")
    desk.says_yes = False
    desk.refusal(delete_file, path="inner")
    assert [need for need, _ in desk.asked] == ["files.protected"]


def test_what_the_trash_cannot_hold_is_not_deleted(desk: Desk) -> None:
    desk.put("a/big", "x" * 3_000_000)
    desk.undo = replace(desk.undo, total_bytes=2 << 20)
    assert desk.refusal(delete_file, path="a") == (
        "a has 2 MB, more than the trash holds (2 MB, see undo.total_mb); ask the user to delete it."
    )


def test_without_a_trash_nothing_is_deleted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("held")
    with pytest.raises(ToolError, match="There is no trash here"):
        delete_file.execute({"path": "a.txt"}, Context(session=Session(workspace=Workspace(tmp_path))))
    assert (tmp_path / "a.txt").read_text() == "held"


async def test_deleting_asks_a_person_and_where_nobody_is_there_it_is_refused(desk: Desk) -> None:
    desk.put("a.txt")
    engine = Engine(Registry([delete_file]), CallRunner(), session=desk.context.session)
    result = await engine.call(ToolCall("delete_file", {"path": "a.txt"}))
    assert result.kind is Kind.PERMISSION_DENIED
    assert "files.delete" in result.message
    assert desk.tree == {"a.txt": "text"}
