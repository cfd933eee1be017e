"""Where plugins are looked for, and what is not taken for one."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from oneclaw.plugins.discovery import find_files, find_packages
from oneclaw.plugins.source import InvalidPlugin, read_file

Home = Any


def test_files_are_found_by_name_and_private_ones_are_not(tmp_path: Path) -> None:
    for name in ("b.py", "a.py", "_helper.py", ".hidden.py", "c.js", "d.txt"):
        (tmp_path / name).write_text("")
    assert [found.name for found in find_files(tmp_path)] == ["a", "b"]
    assert find_files(tmp_path / "not-there") == []


def test_a_package_in_the_current_folder_is_nobodys_choice(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.install("sunny", {"sunny.py": ""}, "x = sunny\n")
    assert [found.name for found in find_packages(sys.path)] == ["sunny"]
    monkeypatch.chdir(home.packages)
    assert find_packages(["", *sys.path]) == []


def test_a_current_folder_that_is_gone_is_no_reason_to_fail(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.install("sunny", {"sunny.py": ""}, "x = sunny\n")
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert [found.name for found in find_packages(["", "relative", *sys.path])] == ["sunny"]


def test_of_two_installs_of_a_package_the_first_on_the_path_counts(home: Home, tmp_path: Path) -> None:
    home.install("sunny", {"sunny.py": ""}, "x = sunny\n", version="1.0")
    (home.packages / "sunny-1.0.dist-info").rename(tmp_path / "sunny-1.0.dist-info")
    home.install("Sunny", {}, "x = sunny\n", version="2.0")
    both = [str(tmp_path), str(home.packages)]
    assert [found.version for found in find_packages(both)] == ["1.0"]
    assert [found.version for found in find_packages(reversed(both))] == ["2.0"]


def test_broken_metadata_of_other_packages_harms_nobody(home: Home) -> None:
    home.install("sunny", {"sunny.py": ""}, "# a comment\nx = sunny.tools : all [extra]\n\ny=sunny\n")
    (home.packages / "broken-1.dist-info").mkdir()
    (home.packages / "broken-1.dist-info" / "entry_points.txt").write_bytes(b"\xff[oneclaw.tools\n=\n")
    (home.packages / "file-1.dist-info").write_text("")
    (home.packages / "loop-1.dist-info").symlink_to("loop-1.dist-info")
    (found,) = find_packages([str(home.packages), "/not/there", sys.executable])
    assert (found.name, found.references) == ("sunny", ("sunny.tools:all", "sunny"))
    assert (found.version, found.about) == ("1.0", "Tools for tests.")


def test_a_file_that_others_can_change_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "open.py"
    file.write_text("x = 1")
    assert read_file(file) == b"x = 1"
    file.chmod(0o666)
    with pytest.raises(InvalidPlugin, match="chmod o-w"):
        read_file(file)
    # What is installed lies where everything else is that we import.
    assert read_file(file, is_own=False) == b"x = 1"


def test_a_link_to_where_tools_may_write_is_refused(tmp_path: Path) -> None:
    folder, work = tmp_path / "tools", tmp_path / "work"
    for place in (folder, work):
        place.mkdir()
        (place / "code.py").write_text("x = 1")
    (folder / "out.py").symlink_to(work / "code.py")
    (folder / "beside.py").symlink_to("code.py")
    (tmp_path / "linked").symlink_to(folder)
    with pytest.raises(InvalidPlugin, match="leads out of its folder"):
        read_file(folder / "out.py")
    assert read_file(folder / "beside.py") == read_file(tmp_path / "linked" / "code.py") == b"x = 1"


def test_a_pipe_or_a_folder_or_a_flood_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "large.py").write_bytes(b"#" * (1 << 20) + b"#")
    for name, reason in (("pipe", "plain file"), ("folder", "folder.py"), ("large", "larger than")):
        with pytest.raises(InvalidPlugin, match=reason):
            read_file(tmp_path / f"{name}.py")
