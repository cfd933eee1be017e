"""move_file: in one step, into folders, over nothing that is there, past no guard."""

import os
import tempfile
from pathlib import Path

import pytest
from tests.tools.desk import Desk

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Root
from oneclaw.tools.move_file import move_file


def test_a_file_gets_another_name_and_missing_folders_are_made(desk: Desk) -> None:
    desk.put("a.txt", "held")
    assert desk.call(move_file, source="a.txt", destination="b.txt") == "Moved a.txt to b.txt"
    assert (
        desk.call(move_file, source="b.txt", destination="new/deep/c.txt") == "Moved b.txt to new/deep/c.txt"
    )
    assert desk.tree == {"new": None, "new/deep": None, "new/deep/c.txt": "held"}


@pytest.mark.parametrize("destination", ["docs", "docs/", "./docs/.", "there"])
def test_a_folder_that_is_there_takes_the_file_in(desk: Desk, destination: str) -> None:
    desk.put("a.txt", "held")
    desk.put("docs/other.txt")
    (desk.folder / "there").symlink_to("docs")
    assert desk.call(move_file, source="a.txt", destination=destination) == "Moved a.txt to docs/a.txt"
    assert desk.tree["docs/a.txt"] == "held"


def test_a_path_with_a_slash_at_its_end_is_made_a_folder(desk: Desk) -> None:
    desk.put("a.txt", "held")
    assert desk.call(move_file, source="a.txt", destination="old/") == "Moved a.txt to old/a.txt"


def test_a_folder_is_moved_whole(desk: Desk) -> None:
    desk.put("a/b/c.txt", "held")
    assert desk.call(move_file, source="a", destination="z") == "Moved a to z"
    assert desk.tree == {"z": None, "z/b": None, "z/b/c.txt": "held"}


def test_nothing_is_replaced_unless_it_is_asked_for_and_a_person_agrees(desk: Desk) -> None:
    desk.put("a.txt", "new")
    desk.put("b.txt", "old")
    said = desk.refusal(move_file, source="a.txt", destination="b.txt")
    assert said == "b.txt is there already; choose another path, or pass overwrite=true."
    desk.says_yes = False
    assert (
        desk.refusal(move_file, source="a.txt", destination="b.txt", overwrite=True) == "The person said no."
    )
    desk.says_yes = True
    desk.call(move_file, source="a.txt", destination="b.txt", overwrite=True)
    reason = "b.txt is there already; what it holds would be replaced."
    assert desk.asked == [("files.overwrite", reason)] * 2
    assert desk.tree == {"b.txt": "new"}


def test_overwriting_where_nothing_is_there_asks_nobody(desk: Desk) -> None:
    desk.put("a.txt")
    desk.call(move_file, source="a.txt", destination="b.txt", overwrite=True)
    assert desk.asked == []


def test_a_folder_is_never_replaced_nor_put_over_a_file(desk: Desk) -> None:
    desk.put("a/x")
    desk.put("docs/a/y")
    desk.put("file")
    for source, destination in (("a", "docs"), ("a", "file")):
        said = desk.refusal(move_file, source=source, destination=destination, overwrite=True)
        assert said.endswith("is there already, and folders are not replaced; choose another path.")


@pytest.mark.parametrize("destination", ["a", "./a", "a/../a", "a/b", "a/new/deeper", "a/"])
def test_a_folder_does_not_go_into_itself_and_no_folder_is_made_on_the_way(
    desk: Desk, destination: str
) -> None:
    desk.put("a/b/c.txt")
    said = desk.refusal(move_file, source="a", destination=destination)
    assert "itself" in said or "are the same; nothing would change" in said


def test_the_same_file_by_two_names_is_not_moved(desk: Desk) -> None:
    file = desk.put("a.txt")
    os.link(file, desk.folder / "b.txt")
    for destination in ("a.txt", "b.txt"):
        assert "are the same; nothing would change" in desk.refusal(
            move_file, source="a.txt", destination=destination
        )


def test_letters_of_a_name_may_change_their_case(desk: Desk) -> None:
    desk.put("Notes.txt", "held")
    desk.call(move_file, source="Notes.txt", destination="notes.txt")
    assert desk.tree == {"notes.txt": "held"}


def test_a_link_is_moved_itself(desk: Desk) -> None:
    desk.put("a.txt", "held")
    (desk.folder / "link").symlink_to("a.txt")
    desk.call(move_file, source="link", destination="other")
    assert desk.tree == {"a.txt": "held", "other": "-> a.txt"}


def test_what_is_not_there_or_not_ours_is_not_moved(desk: Desk, tmp_path: Path) -> None:
    desk.put("a.txt")
    (tmp_path / "outside.txt").write_text("secret")
    cases = {
        ("gone", "b"): Kind.FILE_NOT_FOUND,
        ("../outside.txt", "b"): Kind.PATH_NOT_ALLOWED,
        ("a.txt", "../b"): Kind.PATH_NOT_ALLOWED,
        ("a.txt", "/etc/b"): Kind.PATH_NOT_ALLOWED,
        (".", "b"): Kind.VALIDATION_ERROR,
        ("a.txt/", "b"): Kind.VALIDATION_ERROR,
    }
    for (source, destination), kind in cases.items():
        with pytest.raises(ToolError) as caught:
            desk.call(move_file, source=source, destination=destination)
        assert caught.value.kind is kind, (source, destination, caught.value.message)
    assert desk.tree == {"a.txt": "text"}
    assert (tmp_path / "outside.txt").read_text() == "secret"


def test_a_link_out_of_the_workspace_is_no_way_out(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (desk.folder / "out").symlink_to(tmp_path / "other")
    desk.put("a.txt")
    assert "is outside the workspace" in desk.refusal(move_file, source="a.txt", destination="out/b")
    assert "is outside the workspace" in desk.refusal(move_file, source="a.txt", destination="out")


def test_what_is_read_only_stays(desk: Desk) -> None:
    desk.put("a.txt").chmod(0o444)
    assert "a.txt is read-only" in desk.refusal(move_file, source="a.txt", destination="b")
    desk.put("b.txt")
    said = desk.refusal(move_file, source="b.txt", destination="a.txt", overwrite=True)
    assert "a.txt is read-only" in said


def test_what_a_program_obeys_is_asked_about_at_its_old_and_its_new_place(desk: Desk) -> None:
    desk.put(".envrc")
    desk.put("plain")
    desk.put("inner/.vscode/tasks.json")
    desk.put("mise/config.toml")
    desk.says_yes = False
    moves = [(".envrc", "away"), ("plain", ".envrc2/.envrc"), ("inner", "outer"), ("mise", ".config/mise")]
    for source, destination in moves:
        with pytest.raises(ToolError):
            desk.call(move_file, source=source, destination=destination)
    assert [need for need, _ in desk.asked] == ["files.protected"] * 4
    desk.put("box/mise/config.toml")
    desk.asked.clear()
    with pytest.raises(ToolError):  # what is obeyed at its new place only
        desk.call(move_file, source="box", destination=".config")
    assert desk.asked == [
        ("files.protected", ".config/mise is run or obeyed without asking you by: direnv, mise, asdf.")
    ]


def test_a_folder_with_something_closed_inside_stays(desk: Desk) -> None:
    desk.put("project/.git/config")
    said = desk.refusal(move_file, source="project", destination="other")
    assert said == "project/.git may not be changed by tools, so project must stay as it is."
    desk.put("box/kept/x")
    desk.roots = (Root(desk.folder / "box/kept", "read"),)
    assert "the settings name" in desk.refusal(move_file, source="box", destination="other")
    assert "may be read but not written" in desk.refusal(move_file, source="box/kept/x", destination="y")
    desk.put("free")
    assert "may be read but not written" in desk.refusal(move_file, source="free", destination="box/kept/y")


def test_a_call_that_is_over_moves_nothing(desk: Desk) -> None:
    desk.put("a.txt")
    context = desk.context
    context.cancel()
    with pytest.raises(ToolError) as caught:
        move_file.execute({"source": "a.txt", "destination": "b.txt"}, context)
    assert caught.value.kind is Kind.CANCELLED
    assert desk.tree == {"a.txt": "text"}


@pytest.fixture
def other_disk(tmp_path: Path) -> Path:
    shared = Path("/dev/shm")
    if (
        not shared.is_dir()
        or shared.stat().st_dev == tmp_path.stat().st_dev
        or not os.access(shared, os.W_OK)
    ):
        pytest.skip("there is no second file system that can be written")
    return Path(tempfile.mkdtemp(dir=shared))


def test_a_file_goes_to_another_disk_and_a_folder_does_not(desk: Desk, other_disk: Path) -> None:
    try:
        desk.roots = (Root(other_disk, "write"),)
        desk.put("a.txt", "held").chmod(0o640)
        desk.put("folder/x")
        desk.call(move_file, source="a.txt", destination=str(other_disk / "b.txt"))
        assert (other_disk / "b.txt").read_text() == "held"
        assert (other_disk / "b.txt").stat().st_mode & 0o777 == 0o640
        said = desk.refusal(move_file, source="folder", destination=str(other_disk / "folder"))
        assert "would be moved to another disk, which works for files only" in said
    finally:
        for each in other_disk.iterdir():
            each.unlink()
        other_disk.rmdir()
