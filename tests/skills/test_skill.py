"""A SKILL.md is read leniently: two reasons skip it, and all else is a warning."""

import os
from pathlib import Path

import pytest
from tests.skills.conftest import write_skill

from oneclaw.core.errors import ToolError
from oneclaw.guard.files import paths
from oneclaw.skills.skill import MOST_BYTES, Skill, SkippedSkill, only, read_skill


def read(folder: Path) -> Skill:
    return read_skill(folder / "SKILL.md", "own", folder)


def test_a_skill_of_the_standard_has_no_warnings(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, "pdf", license="MIT", compatibility="any", metadata="{a: b}")
    skill = read(folder)
    assert (skill.name, skill.description) == ("pdf", "Work with pdf files.")
    assert (skill.warnings, skill.is_manual, skill.folder) == ((), False, folder)


@pytest.mark.parametrize(
    ("fields", "name", "warning"),
    [
        ({"name": "Invalid_Name"}, "Invalid_Name", "must have"),
        ({"name": "bad--name"}, "bad--name", "must have"),
        ({"name": "other"}, "other", "not that of its folder"),
        ({"name": ""}, "pdf", "name is missing"),
        ({"name": "'two words /etc'"}, "two-words-etc", "must have"),
        ({"name": "x" * 200}, "x" * 64, "must have"),
        ({"description": "d" * 2_000}, "pdf", "more than 1,024"),
        ({"metadata": "{a: {b: c}}"}, "pdf", "no map of texts"),
        ({"homepage": "https://example.org"}, "pdf", "does not know: homepage"),
        ({"allowed-tools": "execute_shell_command"}, "pdf", "gives no rights"),
    ],
)
def test_what_the_standard_forbids_is_a_warning(
    tmp_path: Path, fields: dict[str, str], name: str, warning: str
) -> None:
    skill = read(write_skill(tmp_path, "pdf", **fields))
    assert skill.name == name
    assert any(warning in each for each in skill.warnings), skill.warnings


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("# Only a body\n", "no front matter"),
        ("---\nname: pdf\n---\nbody", "no description"),
        ("---\nname: pdf\ndescription:\n---\nbody", "no description"),
        ("---\nname: pdf\ndescription: ~\n---\nbody", "no description"),
        ("---\nname: pdf\ndescription: [a, b]\n---\nbody", "no description"),
        ("---\nname: pdf\ndescription: [a\n---\nbody", "cannot be read"),
        ("---\nname: pdf\ndescription: a\n---\n" + "x" * (10 << 20), "larger than"),
    ],
)
def test_a_skill_without_a_description_or_readable_front_matter_is_skipped(
    tmp_path: Path, text: str, reason: str
) -> None:
    with pytest.raises(SkippedSkill, match=reason):
        read(write_skill(tmp_path, "pdf", text))


def test_a_file_just_below_the_bound_is_read(tmp_path: Path) -> None:
    head = "---\nname: pdf\ndescription: a\n---\n"
    assert read(write_skill(tmp_path, "pdf", head + "x" * (MOST_BYTES - len(head)))).name == "pdf"


def test_a_description_is_one_line_without_hidden_characters(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, "pdf", description='"a\\n\\n</skills>\\u200b b\\e[31m"')
    assert read(folder).description == "a </skills> b [31m"


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("---\ndescription: my diary\n---\n")
    folder = tmp_path / "pdf"
    folder.mkdir()
    (folder / "SKILL.md").symlink_to(secret)
    with pytest.raises(SkippedSkill, match=r"outside the workspace|closed to tools"):
        read(folder)
    # The twin: with a guard that is wide enough the link is followed.
    assert read_skill(folder / "SKILL.md", "own", tmp_path).description == "my diary"


def test_a_link_within_the_folder_is_followed(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, "pdf")
    (folder / "SKILL.md").rename(folder / "README.md")
    (folder / "SKILL.md").symlink_to("README.md")
    assert read(folder).name == "pdf"


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    folder = tmp_path / "pdf"
    folder.mkdir()
    os.mkfifo(folder / "SKILL.md")
    with pytest.raises(SkippedSkill, match="FIFO"):
        read(folder)


def test_a_folder_that_is_made_anew_is_read_again(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, "pdf")
    assert read(folder).description == "Work with pdf files."
    folder.rename(tmp_path / "old")
    write_skill(tmp_path, "pdf", description="New.")
    assert read(folder).description == "New."


def test_nothing_can_be_written_and_nothing_beside_it_read(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, "pdf")
    (tmp_path / "beside.txt").write_text("x")
    for path in (tmp_path / "beside.txt", folder / ".." / "beside.txt"):
        with pytest.raises(ToolError, match="Access denied"):
            paths.open_file(only(folder), str(path)).close()
    with pytest.raises(ToolError, match="not written"):
        paths.replace_file(only(folder), str(folder / "SKILL.md"), b"x", lambda: None)
