"""One setting: key, type, bounds, default and check."""

import os
from collections.abc import Sequence
from dataclasses import MISSING, Field, dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args, get_origin

from oneclaw.core.errors import InvalidConfig
from oneclaw.core.settings.tree import MOST

_SHOWN_CHARS = 100
_WORDS = {bool: "true or false", int: "whole number", float: "number", str: "text", Path: "text"}


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its key, where `*` stands for a name of the owner's, and its field in the tree.

    `path` leads to it through the tree; `kind` is its type without None; `names` is a pattern for the name.
    """

    key: str
    path: tuple[str, ...]
    kind: Any
    field: Field[Any]
    names: str = ""

    @property
    def meaning(self) -> str:
        return self.field.metadata["meaning"]

    @property
    def environment(self) -> str:
        """The variable that wins over the settings file, or nothing."""
        return self.field.metadata.get("environment", "")

    @property
    def value(self) -> Any:
        """The default."""
        return None if self.field.default is MISSING else self.field.default

    @property
    def default(self) -> str:
        """The default in words."""
        value = self.value
        if value is None:
            return self.field.metadata["unset"]
        if isinstance(value, bool | tuple):
            return str(value).lower() if isinstance(value, bool) else "[]"
        return f"{value:g}" if isinstance(value, float) else str(value)

    @property
    def is_limit(self) -> bool:
        """Whether `false` takes it away."""
        return "is_limit" in self.field.metadata

    @property
    def is_inline(self) -> bool:
        """Whether names of the owner's own stand beside those of settings."""
        return self.field.metadata.get("inline", False)

    @property
    def choices(self) -> tuple[str, ...]:
        """The words it can be, where they are few."""
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()

    @property
    def type(self) -> str:
        """The type in words."""
        if self.choices:
            *first, last = self.choices
            return f"{', '.join(first)} or {last}"
        words = "list of texts" if get_origin(self.kind) is tuple else _WORDS[self.kind]
        return f"{words} or false" if self.is_limit else words

    @property
    def bounds(self) -> str:
        """The bounds of a number in words, else nothing."""
        if self.kind not in (int, float):
            return ""
        about = self.field.metadata
        least, most = about.get("least"), about.get("most", MOST)
        return f"above 0, at most {most:,}" if least is None else f"from {least:,} to {most:,}"

    @property
    def demand(self) -> str:
        """The expected value, as errors say it."""
        if self.bounds:
            off = ", or false to take it away" if self.is_limit else ""
            return f"a {_WORDS[self.kind]} {self.bounds}{off}"
        if self.kind is Path or Path in get_args(self.kind):
            return "a path, where `~` is your home" if self.kind is Path else "a list of paths"
        if self.kind is str:
            return "a text that is not empty"
        return "a list of texts, none of them empty" if get_origin(self.kind) is tuple else self.type

    def check(self, value: Any, named: str) -> Any:
        """The value as the settings keep it; raises `InvalidConfig` with the name it was given by."""
        kept = [_as_text(one) for one in cast("Sequence[Any]", value)] if self._is_list(value) else value
        kept = _as_text(kept) if self.kind is Path else kept
        if self._fits(kept):
            return kept
        shown = repr(value)
        shown = shown if len(shown) <= _SHOWN_CHARS else f"{shown[:_SHOWN_CHARS]}…"
        raise InvalidConfig(f"{named} is {shown}; it must be {self.demand}.")

    def _is_list(self, value: Any) -> bool:
        return get_origin(self.kind) is tuple and isinstance(value, list | tuple)

    def _fits(self, value: Any) -> bool:
        if self.is_limit and value is False:
            return True
        if get_origin(self.kind) is tuple:
            is_right = _is_path if Path in get_args(self.kind) else _is_text
            return isinstance(value, list) and all(map(is_right, cast("list[Any]", value)))
        if self.kind in (str, Path):
            return _is_path(value) if self.kind is Path else _is_text(value)
        if self.choices:
            return isinstance(value, str) and value in self.choices
        if self.kind is bool or isinstance(value, bool):
            return self.kind is bool and isinstance(value, bool)
        if not isinstance(value, int if self.kind is int else int | float):
            return False
        about = self.field.metadata
        least = about.get("least")
        return (value > 0 if least is None else value >= least) and value <= about.get("most", MOST)

    def read(self, value: Any) -> Any:
        """A checked value as the tree has it."""
        if self.is_limit and value is False:
            return None
        if self.kind is Path:
            return _as_path(value)
        if get_origin(self.kind) is tuple:
            return tuple(map(_as_path, value) if Path in get_args(self.kind) else value)
        return value


def _as_text(value: Any) -> Any:
    """A path as its text; anything else as it is."""
    return os.fspath(cast("os.PathLike[Any]", value)) if isinstance(value, os.PathLike) else value


def _is_path(value: Any) -> bool:
    """Whether it is a path; `~nobody` is none where there is no such user."""
    return _is_text(value) and not os.path.expanduser(value).startswith("~")


def _as_path(text: str) -> Path:
    """The path; `~` is the person's home."""
    return Path(os.path.expanduser(text))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and "\0" not in value
