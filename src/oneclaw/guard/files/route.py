"""A path as a model wrote it: checked, split into names, and spelled for people."""

import json
import os
from typing import NamedTuple

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Workspace
from oneclaw.guard.files.descent import components
from oneclaw.guard.files.places import spell_root

PATH_BYTES = 4095
NAME_BYTES = 255
SHOWN_CHARS = 200


class Route(NamedTuple):
    """The names to go down from `base`; `is_folder` when the spelling asks for a folder, as `src/` does."""

    base: str
    parts: list[str]
    is_folder: bool


def parse(workspace: Workspace, path: str) -> Route:
    """Split a path, or raise `ToolError` for one that can name no file."""
    if not path:
        raise ToolError("The path is empty; use . for the workspace folder.", Kind.VALIDATION_ERROR)
    if "\0" in path:
        raise ToolError(f"The path {spell(path)} contains a NUL character.", Kind.VALIDATION_ERROR)
    try:
        raw = os.fsencode(path)
    except UnicodeEncodeError:
        message = f"The path {spell(path)} contains half a surrogate pair and can name no file."
        raise ToolError(message, Kind.VALIDATION_ERROR) from None
    if len(raw) > PATH_BYTES:
        message = f"The path {spell(path)} has {len(raw):,} bytes; at most {PATH_BYTES:,} are possible."
        raise ToolError(message, Kind.VALIDATION_ERROR)
    parts = components(os.fsdecode(raw))
    for name in parts:
        if len(name) * 4 > NAME_BYTES and len(os.fsencode(name)) > NAME_BYTES:
            message = f"The name {spell(name)} is longer than {NAME_BYTES} bytes."
            raise ToolError(message, Kind.VALIDATION_ERROR)
    if path == "~" or path.startswith("~/"):
        raise ToolError(
            "Access denied: ~ stands for a home folder, which is outside the workspace; for a file of that"
            " name, write ./~.",
            Kind.PATH_NOT_ALLOWED,
        )
    is_folder = path.endswith(("/", "/.", "/..")) or path in (".", "..")
    return Route(
        "/" if path.startswith("/") else spell_root(os.fspath(workspace.folder)).given, parts, is_folder
    )


def spell(path: str) -> str:
    """`spell_whole` for a sentence: the middle of a very long path is left out."""
    shown = spell_whole(path if len(path) <= SHOWN_CHARS else path[:SHOWN_CHARS] + path[-SHOWN_CHARS:])
    half = SHOWN_CHARS // 2
    return shown if len(shown) <= SHOWN_CHARS else f"{shown[:half]}…{shown[-half:]}"


def spell_whole(path: str) -> str:
    """A path for people and models: as it is, or as a JSON string where something in it does not show."""
    if path.isprintable() and not path.startswith('"') and path == path.strip():
        return path
    return json.dumps(path)
