"""write_file: whole, confirmed with its size, and nothing when the call is over."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Root, Session, Workspace
from oneclaw.core.tool import Context
from oneclaw.tools.write_file import write_file


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return Context(session=Session(workspace=Workspace(tmp_path)))


def write(context: Context, path: str, content: str, mode: str = "overwrite") -> str:
    return write_file.execute({"path": path, "content": content, "mode": mode}, context).value


@pytest.mark.covers("FEAT004-AC-14", "RFC004-UT-06d", "RFC004-EC-05")
def test_a_file_is_written_and_confirmed_in_bytes(context: Context, tmp_path: Path) -> None:
    said = write_file.execute({"path": "a/b/note.txt", "content": "héllo\n"}, context)
    assert said.value == "Successfully wrote 7 bytes to a/b/note.txt (mode: overwrite)"
    assert (tmp_path / "a/b/note.txt").read_bytes() == "héllo\n".encode()


@pytest.mark.covers("FEAT004-FT-04", "RFC004-UT-06a", "RFC004-UT-06b")
def test_overwriting_replaces_and_appending_adds(context: Context, tmp_path: Path) -> None:
    write(context, "note", "a much longer text than the next one")
    write(context, "note", "one\n")
    assert write(context, "note", "two\n", "append") == "Successfully wrote 4 bytes to note (mode: append)"
    write(context, "new/note", "made by appending", "append")
    assert (tmp_path / "note").read_text() == "one\ntwo\n"
    assert (tmp_path / "new/note").read_text() == "made by appending"


@pytest.mark.parametrize(
    "content", ["", "\r\n", "no newline", "nul\x00inside", "𝄞\u202e\ufeff", "x" * 3_000_000]
)
def test_content_is_written_exactly(context: Context, tmp_path: Path, content: str) -> None:
    write(context, "note", content)
    write(context, "note", content, "append")
    assert (tmp_path / "note").read_bytes() == content.encode() * 2


def test_appending_keeps_the_encoding_of_the_file(context: Context, tmp_path: Path) -> None:
    for encoding in ("utf-16", "utf-8-sig", "utf-32"):
        (tmp_path / "note").write_bytes("Grüße\n".encode(encoding))
        write(context, "note", "Zoë\n", "append")
        assert (tmp_path / "note").read_bytes().decode(encoding) == "Grüße\nZoë\n"


def test_half_a_surrogate_pair_is_refused_and_nothing_is_written(context: Context, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="character 3") as caught:
        write(context, "folder/note", "abc\ud83d")
    assert caught.value.kind is Kind.VALIDATION_ERROR
    assert os.listdir(tmp_path) == []


@pytest.mark.covers("FEAT004-EC-06", "RFC004-UT-06c")
@pytest.mark.parametrize("mode", ["overwrite", "append"])
def test_what_is_outside_or_read_only_is_not_written(tmp_path: Path, mode: str) -> None:
    (tmp_path / "work/kept").mkdir(parents=True)
    (tmp_path / "work-evil").mkdir()
    workspace = Workspace(tmp_path / "work", (Root(tmp_path / "work/kept", "read"),))
    context = Context(session=Session(workspace=workspace))
    for path in ("../work-evil/x", "../x", str(tmp_path / "x"), "kept/x", "kept/new/x", "/etc/oneclaw-test"):
        with pytest.raises(ToolError) as caught:
            write(context, path, "x", mode)
        assert caught.value.kind is Kind.PATH_NOT_ALLOWED
    found = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*"))
    assert found == ["work", "work-evil", "work/kept"]


@pytest.mark.parametrize("mode", ["overwrite", "append"])
def test_a_call_that_is_over_writes_nothing(context: Context, tmp_path: Path, mode: str) -> None:
    write(context, "note", "before")
    context.cancel()
    for path in ("note", "new/note"):
        with pytest.raises(ToolError) as caught:
            write(context, path, "too late", mode)
        assert caught.value.kind is Kind.CANCELLED
    assert (tmp_path / "note").read_text() == "before"
    assert os.listdir(tmp_path) == ["note"]


async def test_many_appends_at_once_are_all_kept(context: Context, tmp_path: Path) -> None:
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(8) as pool:
        spellings = ("log", "./log", f"{tmp_path}/log", "x/../log")
        (tmp_path / "x").mkdir()
        calls = [
            loop.run_in_executor(pool, write, context, spellings[number % 4], f"{number}\n", "append")
            for number in range(80)
        ]
        await asyncio.gather(*calls)
    assert sorted(map(int, (tmp_path / "log").read_text().split())) == list(range(80))


def test_the_definition_says_what_it_does() -> None:
    definition = write_file.definition
    assert (definition.effect, definition.needs, definition.resource) == (
        "write",
        ("files.write",),
        "file:{path}",
    )
    assert definition.parameters["properties"]["mode"]["enum"] == ["overwrite", "append"]
    assert definition.parameters["required"] == ["path", "content"]
