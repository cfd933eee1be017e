"""The history of what was typed: one file, for its owner only, shared by chats."""

import stat
import threading
from pathlib import Path

from oneclaw.cli.line import ENTRY_CHARS, MOST_ENTRIES, add_to_history, read_history


def test_entries_come_back_as_they_were_also_with_several_lines(tmp_path: Path) -> None:
    file = tmp_path / "history"
    entries = ["one", "two\nlines", 'a "quoted" \\ word', "日本語 \x00 \ud800"]
    for entry in entries:
        add_to_history(file, entry)
    assert read_history(file) == entries
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_file_is_cut_when_it_grows(tmp_path: Path) -> None:
    file = tmp_path / "history"
    for number in range(2 * MOST_ENTRIES + 1):
        add_to_history(file, str(number))
    kept = read_history(file)
    assert kept == [str(number) for number in range(MOST_ENTRIES + 1, 2 * MOST_ENTRIES + 1)]
    assert len(file.read_text().splitlines()) == MOST_ENTRIES
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["history"]


def test_what_is_broken_or_missing_is_no_trouble(tmp_path: Path) -> None:
    assert read_history(tmp_path / "nowhere") == []
    file = tmp_path / "history"
    file.write_text('"good"\n{"no": "text"}\nhalf a li\n"last"\n')
    assert read_history(file) == ["good", "last"]
    file.write_bytes(b"\xff\xfe")
    assert read_history(file) == []
    add_to_history(tmp_path / "no" / "folder", "x")  # a chat goes on without


def test_a_very_long_entry_is_not_kept(tmp_path: Path) -> None:
    file = tmp_path / "history"
    add_to_history(file, "x" * (ENTRY_CHARS + 1))
    assert not file.exists()


def test_two_chats_write_to_it_at_once(tmp_path: Path) -> None:
    file = tmp_path / "history"

    def write(name: str) -> None:
        for number in range(200):
            add_to_history(file, f"{name}{number}")

    threads = [threading.Thread(target=write, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    entries = read_history(file)
    assert [each for each in entries if each[0] == "a"] == [f"a{number}" for number in range(200)]
    assert len(entries) == 400
