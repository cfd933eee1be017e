"""`oneclaw doctor`: what cannot work is said before it is tried."""

from pathlib import Path
from typing import Any

import pytest

from oneclaw.cli.doctor import can_be_made

Cli = Any


@pytest.mark.parametrize(("option", "topic"), [("--home", "store"), ("--workspace", "workspace")])
def test_a_folder_that_cannot_be_made_is_found_and_the_remedy_named(
    cli: Cli, tmp_path: Path, option: str, topic: str
) -> None:
    (tmp_path / "file").write_text("in the way")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        ended = cli(option, str(folder), "doctor", "--json")
        finding = next(one for one in ended.json if one["topic"] == topic)
        assert (ended.code, finding["state"]) == (1, "bad")
        assert str(folder) in finding["text"]
        assert option in finding["remedy"]


def test_a_folder_that_is_not_there_yet_can_be_made(tmp_path: Path) -> None:
    assert can_be_made(tmp_path)
    assert can_be_made(tmp_path / "not" / "yet")
