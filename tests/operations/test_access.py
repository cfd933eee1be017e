"""The file of logins and tokens is changed by several programs at once, and loses nothing."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from oneclaw.core.errors import InvalidConfig
from oneclaw.guard.files import own_file
from oneclaw.operations.access import AccessBook

PROGRAMS = 16


def make_tokens(file: Path) -> int:
    """How many tokens are kept after each program made one, all at once."""

    def make(number: int) -> None:
        with suppress(InvalidConfig):
            AccessBook(file).make_token(f"program-{number}")

    with ThreadPoolExecutor(PROGRAMS) as programs:
        list(programs.map(make, range(PROGRAMS)))
    return len(AccessBook(file).tokens())


def test_every_token_is_kept(tmp_path: Path) -> None:
    assert make_tokens(tmp_path / "access.json") == PROGRAMS


def test_without_the_lock_some_are_lost_or_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def take_no_lock(folder: int, check: Callable[[], None]) -> None: ...

    monkeypatch.setattr(own_file, "lock", take_no_lock)
    kept = [make_tokens(tmp_path / f"{turn}.json") for turn in range(20)]
    assert min(kept) < PROGRAMS
