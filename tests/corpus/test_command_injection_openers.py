"""Command lines as names and addresses to open: the desktop's program gets one word, no shell reads it."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.corpus.conftest import Judged, Rows, texts_of
from tests.corpus.test_command_injection import is_address
from tests.tools.desktop import Desktop

from oneclaw.core.errors import ToolError
from oneclaw.core.session import Network, Session, Workspace
from oneclaw.core.tool import Context
from oneclaw.tools.open_file import open_file_tool
from oneclaw.tools.open_url import open_url_tool

STARTED: list[tuple[Any, ...]] = []
IS_WATCHED = [False]


def hear(event: str, arguments: tuple[Any, ...]) -> None:
    if IS_WATCHED[0] and event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn"):
        STARTED.append((event, *arguments))


@pytest.fixture(scope="module")
def hook() -> None:
    sys.addaudithook(hear)  # it cannot be taken back, only told to be still


@pytest.fixture
def started(hook: None) -> Iterator[list[tuple[Any, ...]]]:
    """Every program this process starts, with its words."""
    STARTED.clear()
    IS_WATCHED[0] = True
    yield STARTED
    IS_WATCHED[0] = False


@pytest.fixture
def context(tmp_path: Path) -> Context:
    (tmp_path / "work").mkdir()
    network = Network(private_hosts=("127.0.0.1",))
    return Context(session=Session(workspace=Workspace(tmp_path / "work"), network=network))


@pytest.fixture
def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    made = Desktop(tmp_path, monkeypatch)
    made.start()
    return made


def can_be_made(path: Path, work: Path) -> bool:
    """Whether a file of that name could be made in the workspace."""
    if os.path.normpath(path) != str(path) or not path.is_relative_to(work) or not path.suffix:
        return False
    try:
        path.write_text("x")
    except (OSError, ValueError):
        return False
    return True


@pytest.mark.slow
async def test_as_the_name_of_a_file_it_is_one_word(
    rows: Rows,
    desktop: Desktop,
    context: Context,
    started: list[tuple[Any, ...]],
    tmp_path: Path,
    judged: Judged,
) -> None:
    for each, text in texts_of(rows, "command_injection").items():
        with judged(each):
            started.clear()
            path = tmp_path / "work" / f"{text}.txt"
            if not can_be_made(path, tmp_path / "work"):
                with pytest.raises(ToolError):
                    await open_file_tool().execute({"path": f"{text}.txt"}, context)
                assert started == []
                continue
            await open_file_tool().execute({"path": f"{text}.txt"}, context)
            _, program, words, *_ = started.pop()
            assert (program, words) == (str(tmp_path / "bin" / "xdg-open"), [program, str(path)])
            assert (tmp_path / "told").read_bytes() == f"{path}\n".encode()
    assert {entry.name for entry in tmp_path.iterdir()} <= {"bin", "told", "told.env", "work"}


@pytest.mark.slow
async def test_as_an_address_it_is_refused_and_inside_one_it_is_one_word(
    rows: Rows,
    desktop: Desktop,
    context: Context,
    started: list[tuple[Any, ...]],
    tmp_path: Path,
    judged: Judged,
) -> None:
    for each, text in texts_of(rows, "command_injection").items():
        with judged(each):
            started.clear()
            if not is_address(text):
                with pytest.raises(ToolError):
                    await open_url_tool().execute({"url": text}, context)
            assert started == []
            try:
                await open_url_tool().execute({"url": f"http://127.0.0.1:9/?q={text}"}, context)
            except ToolError:
                assert started == []
                continue
            _, program, words, *_ = started.pop()
            assert words[0] == program
            assert len(words) == 2
            assert words[1].startswith("http://127.0.0.1:9/?q=")
            assert not any(char.isspace() for char in words[1])
            assert desktop.told == [words[1]]
    assert {entry.name for entry in tmp_path.iterdir()} <= {"bin", "told", "told.env", "work"}
