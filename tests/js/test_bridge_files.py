"""fs in JavaScript tools: what is read and written, what is refused, and by whom."""

import os
from pathlib import Path

import pytest
from tests.js.conftest import Evaluate

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Root, Session, Workspace
from oneclaw.core.tool import Context
from oneclaw.js import bridge_files
from oneclaw.js.bridges import Bridges

THROWN = """
    const thrown = (work) => {
        try { work() } catch (error) { return [error instanceof Error, error.message, error.kind] }
        return 'nothing was thrown';
    };
"""


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path / "work"


async def test_files_are_written_read_found_and_listed(evaluate: Evaluate, work: Path) -> None:
    told = await evaluate("""
        const nothing = fs.writeFile('sub/deep/note.txt', 'größe\\n');
        fs.writeFile('sub/empty', '');
        return [nothing, fs.readFile('sub/deep/note.txt'), await fs.readFile('sub/deep/note.txt', 'utf8'),
                fs.readFile('sub/empty'), fs.exists('sub/deep'), fs.exists('sub/deep/note.txt'),
                    fs.exists('gone'),
                fs.exists('sub/empty/below'), fs.list('sub'), fs.list().map(({ name }) => name)];
    """)
    assert told == [
        *[None, "größe\n", "größe\n", "", True, True, False, False],
        [{"name": "deep", "kind": "folder", "size": None}, {"name": "empty", "kind": "file", "size": 0}],
        ["sub"],
    ]
    assert (work / "sub/deep/note.txt").read_text(encoding="utf-8") == "größe\n"


async def test_bytes_go_out_and_in_as_they_are(evaluate: Evaluate, work: Path) -> None:
    data = bytes(range(256)) * 100
    (work / "in.bin").write_bytes(data)
    told = await evaluate("""
        const bytes = fs.readFile('in.bin', { encoding: 'bytes' });
        fs.writeFile('array', bytes);
        fs.writeFile('buffer', bytes.buffer);
        fs.writeFile('view', new DataView(bytes.buffer, 10, 5));
        fs.writeFile('wide', new Uint16Array([0x0201]));
        return [bytes instanceof Uint8Array, bytes.length];
    """)
    assert told == [True, len(data)]
    assert (work / "array").read_bytes() == (work / "buffer").read_bytes() == data
    assert (work / "view").read_bytes() == data[10:15]
    assert (work / "wide").read_bytes() == b"\x01\x02"


async def test_text_in_other_encodings_is_read_and_what_is_no_text_refused(
    evaluate: Evaluate, work: Path
) -> None:
    (work / "wide").write_bytes("aé".encode("utf-16"))
    (work / "latin").write_bytes("aé".encode("latin-1"))
    (work / "broken").write_bytes(b"a\xffb")
    (work / "image").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    told = await evaluate(
        THROWN
        + """
        return [fs.readFile('wide'), fs.readFile('latin', 'latin1'), fs.readFile('broken'),
                thrown(() => fs.readFile('image'))[1], thrown(() => fs.readFile('wide', 'klingon'))[1]];
    """
    )
    assert told == [
        *["aé", "aé", "a\ufffdb"],
        "image looks like a PNG image (58 bytes), which is not text;"
        " read it with fs.readFile(path, 'bytes').",
        "Unsupported encoding: 'klingon'; use for example 'utf-8', 'latin1' or 'bytes'.",
    ]


async def test_what_lies_outside_is_refused_with_the_sentence_of_the_guard(
    evaluate: Evaluate, work: Path
) -> None:
    secret = work.parent / "secret.txt"
    secret.write_text("the secret")
    (work / "link").symlink_to(secret)
    (work / "folder").mkdir()
    told = await evaluate(
        THROWN
        + """
        const paths = ['../secret.txt', 'link', p.secret, '/etc/passwd', 'folder/../../secret.txt'];
        return [...paths.flatMap((path) => [thrown(() => fs.readFile(path)), thrown(() => fs.writeFile(path,
            'x')),
                                            thrown(() => fs.exists(path))]),
                thrown(() => fs.list('..')), thrown(() => fs.readFile('gone')),
                    thrown(() => fs.readFile('folder'))];
    """,
        {"secret": str(secret)},
    )
    denied = told[:-2]
    assert len(denied) == 16
    for is_error, message, kind in denied:
        assert (is_error, kind) == (True, "path_not_allowed")
        assert message.startswith("Access denied: ")
        assert message.endswith(" is outside the workspace.")
    assert told[-2] == [True, "File not found: gone", "file_not_found"]
    assert told[-1][1].startswith("Path is a directory, not a file: folder")
    assert secret.read_text() == "the secret"
    # Where the tool did not name it itself, it is not told where the workspace lies.
    assert not any(str(work) in message for _, message, _ in told if str(secret) not in message)


async def test_a_root_that_may_only_be_read_is_not_written(evaluate: Evaluate, work: Path) -> None:
    (work / "fixed").mkdir()
    (work / "fixed/a").write_text("a")
    (work / "closed").mkdir()
    roots = (Root(work / "fixed", "read"), Root(work / "closed", "none"))
    context = Context(session=Session(workspace=Workspace(work, roots)))
    body = """
        return [fs.readFile('fixed/a'), thrown(() => fs.writeFile('fixed/a', 'b'))[1],
                thrown(() => fs.exists('closed'))[1], thrown(() => fs.list('closed'))[1]];
    """
    assert await evaluate(THROWN + body, context=context) == [
        "a",
        "Access denied: fixed/a may be read but not written.",
        "Access denied: closed is closed to tools.",
        "Access denied: closed is closed to tools.",
    ]


async def test_each_operation_needs_its_permission(evaluate: Evaluate, work: Path) -> None:
    (work / "a").write_text("a")
    body = """
        return [thrown(() => fs.readFile('a')), thrown(() => fs.exists('a')), thrown(() => fs.list('.')),
                thrown(() => fs.writeFile('b', 'b'))];
    """
    denied = "permission_denied"
    readable = await evaluate(THROWN + body, needs=["files.read"])
    assert readable[:3] == ["nothing was thrown"] * 3
    assert readable[3] == [
        True,
        "fs.writeFile needs the permission files.write: add it to requiredPermissions of probe.",
        denied,
    ]
    told = await evaluate(THROWN + body, needs=["files.write", "network"])
    assert told[3] == "nothing was thrown"
    for what, (is_error, message, kind) in zip(("readFile", "exists", "list"), told, strict=False):
        assert is_error
        assert message == (
            f"fs.{what} needs the permission files.read: add it to requiredPermissions of probe."
        )
        assert kind == denied
    assert (await evaluate(THROWN + body, needs=[]))[3][2] == denied


def allow(_bridges: Bridges, _need: str, _what: str) -> None:
    """The check that is none."""


async def test_without_the_check_a_tool_without_permission_would_read_and_write(
    evaluate: Evaluate, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work / "a").write_text("a")
    monkeypatch.setattr(Bridges, "_need", allow)
    assert await evaluate("fs.writeFile('b', 'b'); return fs.readFile('a')", needs=[]) == "a"
    assert (work / "b").read_text() == "b"


async def test_a_file_that_is_too_large_is_refused_and_not_cut(evaluate: Evaluate, work: Path) -> None:
    with (work / "big").open("wb") as file:
        file.truncate(bridge_files.MAX_BYTES + 1)
    (work / "fits").write_bytes(b"x" * bridge_files.MAX_BYTES)
    told = await evaluate(
        THROWN + "return [thrown(() => fs.readFile('big')), fs.readFile('fits').length, fs.list()[0].size]"
    )
    message = f"File is too large ({bridge_files.MAX_BYTES + 1} bytes): fs.readFile reads at most"
    assert told[0][1].startswith(message)
    assert told[0][2] == "file_too_large"
    assert told[1:] == [bridge_files.MAX_BYTES, bridge_files.MAX_BYTES + 1]


async def test_a_folder_with_too_many_entries_is_refused_and_not_cut(
    evaluate: Evaluate, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        (work / f"{number}").touch()
    monkeypatch.setattr(bridge_files, "ENTRIES", 5)
    told = await evaluate(THROWN + "return thrown(() => fs.list('.'))")
    assert told[1] == ". has more than 5 entries, which is the most fs.list gives."
    (work / "0").unlink()
    assert len(await evaluate("return fs.list('.')")) == 5


async def test_what_cannot_be_written_is_named(evaluate: Evaluate, work: Path) -> None:
    told = await evaluate(
        THROWN
        + """
        return [thrown(() => fs.writeFile('a', 'x\\ud800')), thrown(() => fs.writeFile('a', { a: 1 })),
                thrown(() => fs.readFile(7)), thrown(() => fs.readFile('')),
                    thrown(() => fs.readFile('a\\0b'))];
    """
    )
    assert [message for _, message, *_ in told] == [
        "content has half a surrogate pair at character 1, which no file can hold.",
        "fs.writeFile needs text or bytes to write; make text of other values with JSON.stringify.",
        "fs.readFile needs a path, as text.",
        "The path is empty; use . for the workspace folder.",
        'The path "a\\u0000b" contains a NUL character.',
    ]
    assert list(work.iterdir()) == []


async def test_names_that_are_no_text_can_be_listed_and_opened(evaluate: Evaluate, work: Path) -> None:
    try:
        (work / os.fsdecode(b"caf\xe9")).write_text("odd")
    except OSError:
        pytest.skip("this file system has only names in UTF-8")
    assert await evaluate("return fs.readFile(fs.list()[0].name)") == "odd"


async def test_a_call_that_is_over_writes_nothing_more(work: Path) -> None:
    work.mkdir()
    context = Context(session=Session(workspace=Workspace(work)))
    context.cancel()
    with pytest.raises(ToolError) as caught:
        bridge_files.write(context, "late", "x", False)
    assert caught.value.kind is Kind.CANCELLED
    assert list(work.iterdir()) == []
