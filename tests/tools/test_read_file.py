"""read_file: whole texts, pieces of long ones, odd encodings, and what is no text."""

import gzip
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneclaw.core.call import Output
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Root, Session, Workspace
from oneclaw.core.tool import Context
from oneclaw.guard.secret.redactor import SecretRedactor
from oneclaw.tools.read_file import CHARS, MAX_BYTES, read_file, take


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return Context(session=Session(workspace=Workspace(tmp_path)))


def read(context: Context, path: str, **arguments: object) -> str:
    answer = read_file.execute({"path": path, **arguments}, context)
    return answer.value if isinstance(answer, Output) else answer


def refused(context: Context, path: str, **arguments: object) -> ToolError:
    with pytest.raises(ToolError) as caught:
        read(context, path, **arguments)
    return caught.value


@pytest.mark.covers("FEAT004-AC-13", "FEAT004-FT-02", "RFC004-UT-05a")
@pytest.mark.parametrize(
    "text", ["", "a", "a\n", "\n", "\n\n", "héllo\r\nwörld\r\n", "\t x \x0c\n", "𝄞 𝒳\n", "a\x00b"]
)
def test_a_text_is_returned_exactly(context: Context, tmp_path: Path, text: str) -> None:
    (tmp_path / "note.txt").write_bytes(text.encode())
    assert read(context, "note.txt") == text


@pytest.mark.covers(
    "FEAT004-FT-03", "FEAT004-ES-06", "RFC004-ET-06", "RFC004-ET-07", "RFC004-UT-05a", "RFC004-UT-05b"
)
def test_what_is_missing_or_outside_is_refused(context: Context) -> None:
    error = refused(context, "nothing.txt")
    assert (error.kind, error.message) == (Kind.FILE_NOT_FOUND, "File not found: nothing.txt")
    error = refused(context, "/etc/passwd")
    assert error.kind is Kind.PATH_NOT_ALLOWED
    assert "outside the workspace" in error.message


def test_a_folder_is_refused_with_a_hint(context: Context, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    error = refused(context, "sub")
    assert error.kind is Kind.VALIDATION_ERROR
    assert "directory" in error.message
    assert "list_files" in error.message


@pytest.mark.covers("FEAT004-EC-05", "RFC004-ET-08", "RFC004-UT-05c")
def test_one_megabyte_is_read_and_a_byte_more_is_not(context: Context, tmp_path: Path) -> None:
    (tmp_path / "fits").write_bytes(b"x\n" * (MAX_BYTES // 2))
    assert "Go on with" in read(context, "fits")
    (tmp_path / "large").write_bytes(b"x\n" * (MAX_BYTES // 2) + b"!")
    error = refused(context, "large")
    assert error.kind is Kind.FILE_TOO_LARGE
    assert str(MAX_BYTES + 1) in error.message
    assert "offset" in error.message


# Pieces


def lines_of(count: int) -> str:
    return "".join(f"line {number}\n" for number in range(1, count + 1))


def test_lines_are_counted_from_one(context: Context, tmp_path: Path) -> None:
    (tmp_path / "ten").write_text(lines_of(10))
    assert read(context, "ten", offset=1, limit=2).startswith("line 1\nline 2\n\n(")
    assert read(context, "ten", offset=3, limit=1).startswith("line 3\n\n(These are lines 3-3 of 10 lines. ")
    assert "offset=4" in read(context, "ten", offset=3, limit=1)
    assert read(context, "ten", offset=9) == read(context, "ten", offset=9, limit=2) == "line 9\nline 10\n"
    assert read(context, "ten", offset=0) == lines_of(10)


def test_a_line_that_is_not_there_is_an_error(context: Context, tmp_path: Path) -> None:
    (tmp_path / "ten").write_text(lines_of(10))
    error = refused(context, "ten", offset=11)
    assert error.kind is Kind.VALIDATION_ERROR
    assert "10 lines" in error.message
    (tmp_path / "empty").write_bytes(b"")
    assert read(context, "empty", offset=1, limit=5) == ""
    assert refused(context, "empty", offset=2).kind is Kind.VALIDATION_ERROR


@pytest.mark.parametrize("arguments", [{"offset": -1}, {"limit": 0}, {"limit": -3}, {"skip_chars": -1}])
def test_numbers_that_make_no_sense_are_refused(
    context: Context, tmp_path: Path, arguments: dict[str, int]
) -> None:
    (tmp_path / "ten").write_text(lines_of(10))
    assert refused(context, "ten", **arguments).kind is Kind.VALIDATION_ERROR


def read_by_pieces(context: Context, path: str, limit: int | None = None) -> tuple[str, int]:
    """Follows what the last line of each piece says, as a model would."""
    text, offset, skip_chars, pieces = "", 1, 0, 0
    while True:
        first = {"limit": limit or 10**6} if pieces == 0 else {"limit": limit} if limit else {}
        piece = read(context, path, offset=offset, skip_chars=skip_chars, **first)
        pieces += 1
        assert len(piece) <= read_file.definition.chars
        body, found, note = piece.rpartition("\n(These are ")
        if not found:
            return text + piece, pieces
        text += body
        told = dict(part.split("=") for part in note.split() if "=" in part)
        offset = int(told["offset"].rstrip(".)"))
        skip_chars = int(told.get("skip_chars", "0").rstrip(".)"))


def test_a_long_text_is_read_whole_by_following_the_last_line(context: Context, tmp_path: Path) -> None:
    text = lines_of(300_000)
    (tmp_path / "long").write_text(text)
    whole, pieces = read_by_pieces(context, "long", limit=50_000)
    assert whole == text
    assert pieces > len(text) // CHARS


def test_one_line_of_five_megabytes_in_a_read_only_root_is_read_in_pieces(tmp_path: Path) -> None:
    spill, work = tmp_path / "spill", tmp_path / "work"
    spill.mkdir()
    work.mkdir()
    text = "".join(f"{number:07}é" for number in range(5_000_000 // 9))
    (spill / "call.txt").write_text(text)
    context = Context(session=Session(workspace=Workspace(work, (Root(spill, "read"),))))
    assert refused(context, str(spill / "call.txt")).kind is Kind.FILE_TOO_LARGE
    whole, pieces = read_by_pieces(context, str(spill / "call.txt"))
    assert whole == text
    assert pieces == -(-len(text) // CHARS)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.text(alphabet="ab\né\u0301👍🏽\r", max_size=9), max_size=40),
    st.integers(1, 6),
    st.integers(1, 4),
    st.integers(0, 3),
)
def test_any_cut_of_any_text_loses_nothing(
    chunks: list[str], offset: int, limit: int, skip_chars: int
) -> None:
    text = "".join(chunks)
    lines = text.split("\n")
    piece = take(iter(chunks), offset, limit, skip_chars, is_counted=True)
    assert piece.lines == len(lines) - (lines[-1] == "")
    rest = "\n".join(lines[offset - 1 :])
    rest = rest[min(skip_chars, len(lines[offset - 1])) :] if offset <= len(lines) else ""
    assert rest.startswith(piece.text)
    assert piece.is_last == (piece.text == rest)
    assert piece.text.count("\n") <= limit


# Encodings


@pytest.mark.covers("RFC004-UT-05d")
@pytest.mark.parametrize(
    ("encoding", "asked"),
    [
        *((name, "utf-8") for name in ("utf-8-sig", "utf-16", "utf-32")),
        *((name, name) for name in ("UTF-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252", "iso-8859-15")),
    ],
)
def test_other_encodings_are_read(context: Context, tmp_path: Path, encoding: str, asked: str) -> None:
    text = "Grüße,\nfaçade\n"
    (tmp_path / "note").write_bytes(text.encode(encoding))
    assert read(context, "note", encoding=asked) == text


def test_both_byte_orders_are_told_by_their_mark(context: Context, tmp_path: Path) -> None:
    for mark, name in (("\ufeff", "utf-16-le"), ("\ufeff", "utf-16-be"), ("\ufeff", "utf-32-be")):
        (tmp_path / "note").write_bytes((mark + "Zoë\n" * 3).encode(name))
        assert read(context, "note") == "Zoë\n" * 3


@pytest.mark.covers("RFC004-UT-05d")
@pytest.mark.parametrize("name", ["klingon", "zlib", "rot13", "hex", "undefined", "", "a\0b", "x" * 10_000])
def test_an_unknown_encoding_is_refused(context: Context, tmp_path: Path, name: str) -> None:
    (tmp_path / "note").write_text("text")
    error = refused(context, "note", encoding=name)
    assert error.kind is Kind.VALIDATION_ERROR
    assert len(error.message) < 400


def test_bytes_that_fit_nothing_are_replaced_and_counted(context: Context, tmp_path: Path) -> None:
    (tmp_path / "note").write_bytes(b"caf\xe9 \xe2\x82 \xef\xbf\xbd ok\n")
    answer = read_file.execute({"path": "note"}, context)
    assert isinstance(answer, Output)
    assert answer.value == "caf\ufffd \ufffd \ufffd ok\n"
    assert answer.note == "2 places are not utf-8 and shown as \ufffd; try encoding='windows-1252'"
    assert answer.details == {"replaced": 2}


def test_a_character_on_the_border_of_two_reads_is_whole(context: Context, tmp_path: Path) -> None:
    (tmp_path / "note").write_bytes(b"a" * (64 * 1024 - 1) + "é€𝄞".encode() * 10)
    assert read(context, "note", skip_chars=64 * 1024 - 1) == "é€𝄞" * 10


# Not text


@pytest.mark.covers("RFC004-EC-04")
@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "PNG image"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "PDF"),
        (gzip.compress(b"hello", mtime=0), "gzip"),
        (b"PK\x03\x04" + b"x" * 20, "ZIP"),
        (b"\x7fELF\x02\x01\x01" + bytes(60), "program"),
        (b"SQLite format 3\x00" + bytes(100), "SQLite"),
        (bytes(range(256)) * 4, "binary data"),
        (b"\x00\x01\x02\x03", "binary data"),
        ("Grüße, Welt! ".encode("utf-16-le") * 20, "utf-16-le"),
    ],
)
def test_what_is_not_text_is_named_with_its_size(
    context: Context, tmp_path: Path, data: bytes, what: str
) -> None:
    (tmp_path / "thing").write_bytes(data)
    error = refused(context, "thing")
    assert what in error.message
    assert f"{len(data)} bytes" in error.message


def test_text_that_only_looks_odd_is_text(context: Context, tmp_path: Path) -> None:
    for data in (
        b"\x1b[31mred\x1b[0m\n" * 20,
        b"log\x00" + b"line of a log\n" * 20,
        "привет\n".encode("koi8-r") * 20,
    ):
        (tmp_path / "note").write_bytes(data)
        assert read(context, "note") == data.decode("utf-8", "replace")


@pytest.mark.parametrize(
    ("text", "encoding", "said"),
    [
        ("Grüße aus Köln, façade", "windows-1252", "windows-1252"),
        ("Привет, мир! Как дела?", "windows-1251", "windows-1251"),
        ("日本語のテキスト、です。", "shift_jis", "shift_jis"),
        ("简体中文文本，你好世界。", "gb18030", "gb18030"),
    ],
)
def test_the_model_is_told_which_encoding_to_try(
    context: Context, tmp_path: Path, text: str, encoding: str, said: str
) -> None:
    (tmp_path / "note").write_bytes(f"{text}\n".encode(encoding) * 20)
    assert f"not utf-8 and shown as \ufffd; try encoding='{said}'" in note_of(context)
    assert read(context, "note", encoding=said) == f"{text}\n" * 20
    (tmp_path / "note").write_text(f"{text}\n" * 20)
    assert read(context, "note") == f"{text}\n" * 20
    assert "not ascii and shown as \ufffd; try encoding='utf-8'" in note_of(context, encoding="ascii")


def note_of(context: Context, **more: str) -> str:
    answer = read_file.execute({"path": "note", **more}, context)
    assert isinstance(answer, Output)
    return answer.note


def test_a_pipe_is_refused_at_once(context: Context, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refused(context, "pipe").kind is Kind.VALIDATION_ERROR


def test_a_cancelled_call_stops_reading(context: Context, tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"x\n" * 10_000_000)
    context.cancel()
    assert refused(context, "large", offset=9_999_999).kind is Kind.CANCELLED


KEY = "k3y-5f19d0c27be84a6d"


@pytest.fixture
def knowing(tmp_path: Path) -> Context:
    """A context in which a secret is known, and a file that holds it."""
    (tmp_path / ".env").write_text(f"API_KEY={KEY}\nNAME=x\n")
    return Context(
        session=Session(workspace=Workspace(tmp_path)), redact=SecretRedactor({"API_KEY": KEY}).redact
    )


@pytest.mark.parametrize("skip", range(0, 40, 3))
def test_a_piece_of_a_line_holds_no_part_of_a_secret(knowing: Context, skip: int) -> None:
    text = read(knowing, ".env", limit=1, skip_chars=skip)
    assert not any(KEY[start : start + 4] in text for start in range(len(KEY) - 3))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "cp037", "cp500", "cp1026"])
def test_an_encoding_that_hides_a_secret_is_refused(knowing: Context, tmp_path: Path, encoding: str) -> None:
    error = refused(knowing, ".env", encoding=encoding)
    assert error.kind is Kind.VALIDATION_ERROR
    assert "it holds a known secret in plain letters; leave encoding out" in error.message
    (tmp_path / ".env").write_bytes(f"API_KEY={KEY}".encode(encoding))
    assert "[redacted:API_KEY]" in read(knowing, ".env", encoding=encoding)


@pytest.mark.parametrize("before", [65_536 - 30, 65_536 - 10, 65_536 - 1, 65_536, 3 * 65_536 - 7])
def test_a_secret_where_two_chunks_meet_is_found(knowing: Context, tmp_path: Path, before: int) -> None:
    (tmp_path / "long.txt").write_text("x" * before + KEY + "y" * 100_000)
    text = read(knowing, "long.txt", skip_chars=before - 100)
    assert "x[redacted:API_KEY]y" in text
    assert "long.txt" in refused(knowing, "long.txt", encoding="cp037").message


def test_without_the_redaction_before_the_cut_the_rest_of_a_secret_is_shown(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"API_KEY={KEY}\n")
    context = Context(session=Session(workspace=Workspace(tmp_path)))
    text = read(context, ".env", skip_chars=9)
    assert KEY[1:] in SecretRedactor({"API_KEY": KEY}).redact(text)
