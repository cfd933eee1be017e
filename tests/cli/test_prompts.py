"""The question on a terminal: which words answer it, and how the choices are laid out."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from oneclaw.cli.answer_words import CHOICES, KEYS
from oneclaw.cli.prompts import in_lines


def test_a_letter_and_its_word_mean_the_same() -> None:
    for key, _, answer in CHOICES:
        assert KEYS[key] == KEYS[answer] == answer
    assert KEYS["yes"] == "once"


@pytest.mark.parametrize("typed", ["", "sudo", "all", "nothing", "yesterday", "yn"])
def test_what_only_begins_like_an_answer_is_none(typed: str) -> None:
    assert typed not in KEYS


def test_no_choice_is_broken_where_the_screen_is_narrow() -> None:
    choices = [f"[{key}] {text}" for key, text, _ in CHOICES]
    assert in_lines(choices, 200) == ["  ".join(choices)]
    for width in (30, 60, 80):
        lines = in_lines(choices, width)
        assert max(map(len, lines)) <= width
        assert [choice for line in lines for choice in line.split("  ")] == choices


def test_nobody_is_asked_where_the_question_would_not_be_seen(tmp_path: Path) -> None:
    """A person types, but what is written goes to a file: the call is refused and does not wait."""
    terminal, keyboard = os.openpty()
    try:
        words = ("--home", str(tmp_path), "--mode", "ask", "call", "write_file", "path=a", "content=b")
        ended = subprocess.run(
            [sys.executable, "-m", "oneclaw.cli.main", *words],
            stdin=keyboard,
            capture_output=True,
            text=True,
            timeout=60,
        )
    finally:
        os.close(terminal)
        os.close(keyboard)
    assert ended.returncode == 5
    assert "permission_denied" in ended.stderr
