"""search_text: matching lines, with what was left out said; other patterns cannot stall it."""

import os
import threading
import time
from pathlib import Path

import pytest

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Root, Session, Workspace
from oneclaw.core.tool import Context
from oneclaw.guard.secret.redactor import SecretRedactor
from oneclaw.tools import search_text as module
from oneclaw.tools.search_text import search_text


@pytest.fixture
def context(tmp_path: Path) -> Context:
    work = tmp_path / "work"
    (work / "src/core").mkdir(parents=True)
    (work / ".git").mkdir()
    (work / "notes.txt").write_text("alpha\nBeta\ngamma alpha\n")
    (work / "src/main.py").write_text("import alpha\n\n\ndef beta():\n    return alpha\n")
    (work / "src/core/tool.js").write_text("// alpha\n")
    (work / ".env").write_text("alpha=1\n")
    (work / ".git/config").write_text("alpha\n")
    (tmp_path / "secret").write_text("alpha outside\n")
    return Context(session=Session(workspace=Workspace(work)))


def search(context: Context, pattern: str, **arguments: object) -> list[str]:
    return search_text.execute({"pattern": pattern, **arguments}, context).split("\n")


def test_matching_lines_are_shown_with_path_and_number(context: Context) -> None:
    assert search(context, "alpha") == [
        *("notes.txt:1: alpha", "notes.txt:3: gamma alpha", "src/core/tool.js:1: // alpha"),
        *("src/main.py:1: import alpha", "src/main.py:5:     return alpha", "(5 matches in 3 files.)"),
    ]


def test_nothing_found_says_how_much_was_searched(context: Context) -> None:
    assert search(context, "omega") == ["(no matches in 3 files.)"]


def test_case_can_be_ignored(context: Context) -> None:
    assert search(context, "beta", path="notes.txt") == ["(no matches in 1 file.)"]
    assert search(context, "beta", path="notes.txt", ignore_case=True)[0] == "notes.txt:2: Beta"


def test_path_and_glob_narrow_the_search(context: Context) -> None:
    assert search(context, "alpha", path="src", glob="*.js") == [
        "src/core/tool.js:1: // alpha",
        "(1 match in 1 file.)",
    ]
    assert len(search(context, "alpha", glob="src/*.py")) == 3
    assert search(context, "alpha", path="./src/main.py")[0] == "./src/main.py:1: import alpha"


def test_hidden_files_are_searched_when_asked_for_or_named(context: Context) -> None:
    assert ".env:1: alpha=1" in search(context, "alpha", hidden=True)
    assert not any(".git" in line for line in search(context, "alpha", hidden=True))
    assert search(context, "alpha", path=".env")[0] == ".env:1: alpha=1"
    assert search(context, "alpha", path=".git")[0] == ".git/config:1: alpha"


def test_lines_around_a_match_are_shown_once(context: Context) -> None:
    assert search(context, "alpha|def", path="src/main.py", around=1) == [
        *("src/main.py:1: import alpha", "src/main.py-2- ", "src/main.py-3- ", "src/main.py:4: def beta():"),
        *("src/main.py:5:     return alpha", "(3 matches in 1 file.)"),
    ]
    (context.workspace.folder / "long").write_text("".join(f"{n}\n" for n in range(1, 31)))
    assert search(context, "^(5|20)$", path="long", around=1) == [
        *("long-4- 4", "long:5: 5", "long-6- 6", "--", "long-19- 19", "long:20: 20", "long-21- 21"),
        "(2 matches in 1 file.)",
    ]


def test_the_limit_ends_the_search_and_says_so(context: Context) -> None:
    lines = search(context, "alpha", limit=2)
    assert len(lines) == 3
    assert "stopped at 2 matches" in lines[-1]
    assert "stopped" not in search(context, "alpha", limit=6)[-1]


def test_a_long_line_shows_the_part_around_the_match(context: Context) -> None:
    (context.workspace.folder / "min.js").write_text("é" * 5_000 + "needle" + "z" * 5_000)
    line = search(context, "needle")[0]
    assert "needle" in line
    assert len(line) < 400
    assert line.startswith("min.js:1: …é")
    assert line.endswith("z…")


def test_windows_lines_and_other_encodings_are_searched(context: Context) -> None:
    folder = context.workspace.folder
    (folder / "windows.txt").write_bytes(b"one needle\r\ntwo\r\n")
    (folder / "wide.txt").write_bytes("Zoë needle\n".encode("utf-16"))
    (folder / "marked.txt").write_bytes("needle first\n".encode("utf-8-sig"))
    (folder / "broken.txt").write_bytes(b"caf\xe9 needle\n")
    assert search(context, "needle$|^needle") == [
        *("broken.txt:1: caf\ufffd needle", "marked.txt:1: needle first", "wide.txt:1: Zoë needle"),
        *("windows.txt:1: one needle", "(4 matches in 7 files.)"),
    ]


def test_what_is_left_out_is_counted(context: Context, tmp_path: Path) -> None:
    folder = context.workspace.folder
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\nalpha")
    (folder / "large.txt").write_bytes(b"alpha\n" * 200_000)
    os.link(tmp_path / "secret", folder / "hard")
    (folder / "link").symlink_to(tmp_path / "secret")
    lines = search(context, "alpha")
    assert not any("outside" in line for line in lines[:-1])
    assert lines[-1] == (
        "(5 matches in 3 files; left out: 1 binary, 1 too large, 1 closed or with hard links outside.)"
    )
    assert search(context, "alpha", path="large.txt", limit=1)[0] == "large.txt:1: alpha"


def test_a_named_file_that_is_far_too_large_is_refused(context: Context) -> None:
    with (context.workspace.folder / "huge").open("wb") as file:
        file.truncate(module.MAX_NAMED_BYTES + 1)
    with pytest.raises(ToolError) as caught:
        search(context, "alpha", path="huge")
    assert caught.value.kind is Kind.FILE_TOO_LARGE


def test_nothing_outside_or_closed_is_searched(context: Context, tmp_path: Path) -> None:
    work = context.workspace.folder
    (work / "up").symlink_to(tmp_path)
    for path in ("..", "/etc", "up", "../secret", "up/secret"):
        with pytest.raises(ToolError) as caught:
            search(context, "alpha", path=path)
        assert caught.value.kind is Kind.PATH_NOT_ALLOWED
    closed = Context(session=Session(workspace=Workspace(work, (Root(work / "src", "none"),))))
    assert search(closed, "alpha")[-1] == "(2 matches in 1 file.)"


@pytest.mark.parametrize(
    "arguments",
    [
        {"pattern": "("},
        {"pattern": "a(?=b)"},
        {"pattern": r"(a)\1"},
        {"pattern": "x" * 5000},
        {"pattern": "\ud800"},
        {"pattern": "a", "glob": "../*"},
        {"pattern": "a", "limit": 0},
        {"pattern": "a", "around": -1},
    ],
)
def test_what_cannot_be_meant_is_refused_with_the_reason(
    context: Context, arguments: dict[str, object]
) -> None:
    with pytest.raises(ToolError) as caught:
        search_text.execute(arguments, context)
    assert caught.value.kind is Kind.VALIDATION_ERROR
    assert len(caught.value.message) < 600


def test_a_file_in_a_read_only_root_is_searched(context: Context, tmp_path: Path) -> None:
    work = context.workspace.folder
    wide = Context(session=Session(workspace=Workspace(work, (Root(tmp_path / "secret", "read"),))))
    assert search(wide, "alpha", path=str(tmp_path / "secret"))[0].endswith("secret:1: alpha outside")


def test_a_call_that_is_over_stops_between_files(context: Context) -> None:
    context.cancel()
    with pytest.raises(ToolError) as caught:
        search(context, "alpha")
    assert caught.value.kind is Kind.CANCELLED


def test_a_search_that_takes_too_long_gives_what_it_has(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_SECONDS", -1.0)
    assert "stopped after" in search(context, "alpha")[-1]


def test_other_threads_go_on_while_a_heavy_pattern_runs(context: Context) -> None:
    (context.workspace.folder / "a.txt").write_bytes(b"a" * 200_000)
    worker = threading.Thread(target=search, args=(context, "(?:a{0,30}){8}z"))
    worker.start()
    longest, last = 0.0, time.monotonic()
    while worker.is_alive():
        worker.join(0.001)
        now = time.monotonic()
        longest, last = max(longest, now - last), now
    assert longest < 0.5


def test_a_secret_is_neither_found_letter_by_letter_nor_cut_in_two(tmp_path: Path) -> None:
    key = "k3y-5f19d0c27be84a6d"
    (tmp_path / "a.txt").write_bytes(
        b"API_KEY=" + key.encode() + b"\n\xff" + b"x" * 290 + key.encode() + b"end\n"
    )
    session = Session(workspace=Workspace(tmp_path))
    knowing = Context(session=session, redact=SecretRedactor({"API_KEY": key}).redact)
    assert search(knowing, "KEY=k3y") == ["(no matches in 1 file.)"]
    for pattern in (r"\[redacted", "end", "x.{8}$", "x"):
        shown = "\n".join(search(knowing, pattern))
        assert not any(key[start : start + 4] in shown for start in range(len(key) - 3))
    assert "KEY=[redacted:API_KEY]" in "\n".join(search(knowing, "API_KEY="))
    unknowing = Context(session=session)
    assert key[:4] in "\n".join(search(unknowing, "KEY=k3y"))
