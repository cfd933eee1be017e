"""What is said of an exception."""

import asyncio
import pickle
from typing import Any

import pytest

from oneclaw.core.errors import Kind, ToolError, describe


class Mute(Exception):
    def __str__(self) -> str:
        raise SystemExit(1)


class Odd(Exception):
    def __str__(self) -> Any:
        return 5


class Sly(str):
    def splitlines(self, keepends: bool = False) -> list[str]:
        raise KeyboardInterrupt


class Nameless(type):
    @property
    def __name__(cls) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        raise RuntimeError


class Hidden(Exception, metaclass=Nameless):
    pass


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("boom"), "boom"),
        (ValueError("one\ntwo"), "one"),
        (ValueError("\n\n  one\u2028two"), "one"),
        (ValueError(), "ValueError"),
        (KeyError("x"), "KeyError: 'x'"),
        (SystemExit(3), "SystemExit: 3"),
        (asyncio.CancelledError(), "CancelledError"),
        (Mute(), "Mute (its text cannot be read)"),
        (Odd(), "Odd (its text cannot be read)"),
        (ValueError(Sly("a\nb")), "a"),
        (Hidden("x"), "an error that cannot be described"),
        (ValueError("half \ud800"), "half ?"),
        (ExceptionGroup("some failed", [OSError("disk full"), ValueError()]), "disk full"),
    ],
)
def test_an_exception_is_described_by_its_first_line(error: BaseException, text: str) -> None:
    assert describe(error).endswith(text)
    if not isinstance(error, ExceptionGroup):
        assert describe(error) == text


def test_a_long_text_is_cut_at_400_characters() -> None:
    assert len(describe(ValueError("x" * 10_000))) == 400


def test_a_tool_error_keeps_its_parts_when_copied_to_another_process() -> None:
    error = pickle.loads(pickle.dumps(ToolError("No.", Kind.TIMEOUT, "possible")))
    assert (error.message, error.kind, error.effects) == ("No.", Kind.TIMEOUT, "possible")
