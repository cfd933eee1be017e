"""Parses and validates a path from a model."""

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
        raise _impossible(workspace, path, f"The path {spell(path)} contains a NUL character.")
    try:
        raw = os.fsencode(path)
    except UnicodeEncodeError:
        message = f"The path {spell(path)} contains half a surrogate pair and can name no file."
        raise _impossible(workspace, path, message) from None
    if len(raw) > PATH_BYTES:
        message = f"The path {spell(path)} has {len(raw):,} bytes; at most {PATH_BYTES:,} are possible."
        raise _impossible(workspace, path, message)
    parts = components(os.fsdecode(raw))
    for name in parts:
        if len(name) * 4 > NAME_BYTES and len(os.fsencode(name)) > NAME_BYTES:
            message = f"The name {spell(name)} is longer than {NAME_BYTES} bytes."
            raise _impossible(workspace, path, message)
    if path == "~" or path.startswith("~/"):
        raise ToolError(
            "Access denied: ~ means a home folder, which is outside the workspace; for a file of that"
            " name, write ./~.",
            Kind.PATH_NOT_ALLOWED,
        )
    is_folder = path.endswith(("/", "/.", "/..")) or path in (".", "..")
    return Route(
        "/" if path.startswith("/") else spell_root(os.fspath(workspace.folder)).given, parts, is_folder
    )


def _impossible(workspace: Workspace, path: str, message: str) -> ToolError:
    """A path that can name no file is wrong; one that leads out by its text is denied all the same."""
    folders = (workspace.folder, *(root.folder for root in workspace.roots if root.access != "none"))
    spellings = [spell_root(os.fspath(folder)) for folder in folders]
    text = os.path.normpath(os.path.join(spellings[0].given, path.replace("\0", "?")))
    roots = [root.rstrip("/") + "/" for one in spellings for root in (one.given, one.real)]
    if f"/{text.lstrip('/')}/".startswith(tuple(roots)):
        return ToolError(message, Kind.VALIDATION_ERROR)
    return ToolError(f"Access denied: {spell(path)} is outside the workspace.", Kind.PATH_NOT_ALLOWED)


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


def name_in(workspace: Workspace, real: str) -> str:
    """A path for people: from the workspace folder where it lies in it."""
    folder = spell_root(os.fspath(workspace.folder)).real
    return os.path.relpath(real, folder) if f"{real}/".startswith(f"{folder.rstrip('/')}/") else real
