"""make_folder: a folder and those on the way to it, once."""

from pathlib import Path

from tests.tools.desk import Desk

from oneclaw.tools.make_folder import make_folder


def test_a_folder_is_made_with_those_on_the_way(desk: Desk) -> None:
    assert desk.call(make_folder, path="a/b/c") == "Made the folder a/b/c"
    assert desk.tree == {"a": None, "a/b": None, "a/b/c": None}
    assert desk.call(make_folder, path="a/b/") == "The folder a/b/ is there already"
    assert desk.call(make_folder, path=".") == "The folder . is there already"


def test_a_file_is_no_folder(desk: Desk) -> None:
    desk.put("a")
    assert desk.refusal(make_folder, path="a") == "Part of a is a file, not a folder."
    assert desk.refusal(make_folder, path="a/b") == "Part of a/b is a file, not a folder."


def test_none_is_made_outside_or_where_tools_may_only_read(desk: Desk, tmp_path: Path) -> None:
    (desk.folder / ".git").mkdir()
    (desk.folder / "out").symlink_to(tmp_path)
    assert "is outside the workspace" in desk.refusal(make_folder, path="../a")
    assert "is outside the workspace" in desk.refusal(make_folder, path="out/a")
    assert "may be read but not written" in desk.refusal(make_folder, path=".git/hooks")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["work"]


def test_what_a_program_obeys_is_asked_about(desk: Desk) -> None:
    desk.says_yes = False
    desk.refusal(make_folder, path="a/.husky/x")
    assert [need for need, _ in desk.asked] == ["files.protected"]
