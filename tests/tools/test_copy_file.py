"""copy_file: the same content and mode at another path, and nothing replaced that nobody agreed to."""

import os
from pathlib import Path

import pytest
from tests.tools.desk import Desk

from oneclaw.core.errors import Kind, ToolError
from oneclaw.tools.copy_file import copy_file


def test_a_copy_has_the_content_and_the_mode(desk: Desk) -> None:
    desk.put("run.sh", "echo").chmod(0o750)
    assert desk.call(copy_file, source="run.sh", destination="new/run2.sh") == "Copied run.sh to new/run2.sh"
    assert desk.tree == {"run.sh": "echo", "new": None, "new/run2.sh": "echo"}
    assert (desk.folder / "new/run2.sh").stat().st_mode & 0o777 == 0o750


def test_a_program_with_its_owners_rights_loses_them(desk: Desk) -> None:
    desk.put("run").chmod(0o4755)
    desk.call(copy_file, source="run", destination="run2")
    assert (desk.folder / "run2").stat().st_mode & 0o7777 == 0o755


def test_a_folder_takes_the_copy_in(desk: Desk) -> None:
    desk.put("a.txt", "held")
    desk.put("docs/x")
    assert desk.call(copy_file, source="a.txt", destination="docs") == "Copied a.txt to docs/a.txt"


def test_nothing_is_replaced_unless_it_is_asked_for_and_a_person_agrees(desk: Desk) -> None:
    desk.put("a.txt", "new")
    desk.put("b.txt", "old").chmod(0o600)
    assert "is there already" in desk.refusal(copy_file, source="a.txt", destination="b.txt")
    desk.says_yes = False
    desk.refusal(copy_file, source="a.txt", destination="b.txt", overwrite=True)
    desk.says_yes = True
    desk.call(copy_file, source="a.txt", destination="b.txt", overwrite=True)
    assert [need for need, _ in desk.asked] == ["files.overwrite"] * 2
    assert desk.tree == {"a.txt": "new", "b.txt": "new"}
    assert (desk.folder / "b.txt").stat().st_mode & 0o777 == 0o600  # as on any write, it keeps its mode


def test_a_file_is_not_copied_onto_itself(desk: Desk) -> None:
    os.link(desk.put("a.txt"), desk.folder / "b.txt")
    for destination in ("a.txt", "b.txt", "."):
        said = desk.refusal(copy_file, source="a.txt", destination=destination, overwrite=True)
        assert "are the same file; nothing would change" in said


def test_a_link_is_followed_and_a_folder_is_not_copied(desk: Desk, tmp_path: Path) -> None:
    desk.put("a.txt", "held")
    (desk.folder / "link").symlink_to("a.txt")
    desk.call(copy_file, source="link", destination="b.txt")
    assert desk.tree["b.txt"] == "held"
    desk.put("folder/x")
    assert "Path is a directory" in desk.refusal(copy_file, source="folder", destination="other")
    (tmp_path / "secret").write_text("secret")
    (desk.folder / "out").symlink_to(tmp_path / "secret")
    assert "is outside the workspace" in desk.refusal(copy_file, source="out", destination="c.txt")


def test_what_a_program_obeys_is_asked_about(desk: Desk) -> None:
    desk.put("a.txt")
    desk.says_yes = False
    desk.refusal(copy_file, source="a.txt", destination=".vscode")
    assert [need for need, _ in desk.asked] == ["files.protected"]
    (desk.folder / ".git").mkdir()
    assert "may be read but not written" in desk.refusal(copy_file, source="a.txt", destination=".git/config")


def test_a_call_that_is_over_copies_nothing(desk: Desk) -> None:
    desk.put("a.txt")
    context = desk.context
    context.cancel()
    with pytest.raises(ToolError) as caught:
        copy_file.execute({"source": "a.txt", "destination": "new/b.txt"}, context)
    assert caught.value.kind is Kind.CANCELLED
    assert desk.tree == {"a.txt": "text"}
