"""Creates, reloads and trusts files of external tools."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from oneclaw.core.errors import DuplicateTool, InvalidConfig
from oneclaw.core.load import LoadProblem
from oneclaw.operations.tools import place_of

if TYPE_CHECKING:
    from oneclaw.app import App
    from oneclaw.core.tool import Tool


@dataclass(frozen=True, slots=True)
class NewTool:
    """The files that were written and the names of their tools; `is_loaded` if their folder is read."""

    files: tuple[Path, ...]
    tools: tuple[str, ...]
    is_loaded: bool


@dataclass(frozen=True, slots=True)
class ToolFile:
    """A tool from outside, the file it comes from, and whether nothing is wrong with its entry there."""

    name: str
    origin: str
    place: str
    function: str
    is_right: bool


@dataclass(frozen=True, slots=True)
class ToolFiles:
    """The tools that were read from files, and what is wrong or odd about the files."""

    tools: tuple[ToolFile, ...]
    problems: tuple[LoadProblem, ...]

    @property
    def ok(self) -> bool:
        return all(problem.is_warning for problem in self.problems)


@dataclass(frozen=True, slots=True)
class ProjectTrust:
    """A project that is trusted or not; `tools` are those it has here, if it is the workspace."""

    folder: Path
    trusted: bool
    changed: bool
    tools: tuple[str, ...]
    is_workspace: bool


def file_of(tool: "Tool", is_right: bool = True) -> ToolFile:
    function = getattr(tool.execute, "function", "")
    return ToolFile(tool.name, tool.origin, place_of(tool), function, is_right)


def brought_tools(app: "App") -> "list[Tool]":
    """The tools from outside that did not come with us."""
    return [tool for tool in app.sources.outside if tool.origin != "built-in"]


def new_tool(
    app: "App", name: str, *, folder: Path | None = None, is_group: bool = False, is_python: bool = False
) -> NewTool:
    """Write the files of a new tool, group or plugin, which works as it is; nothing is overwritten.

    Raises `DuplicateTool`, `InvalidName`, or `InvalidConfig` when the files cannot be written.
    """
    place = folder or app.config.tools_folder
    tools = (f"{name}_count", f"{name}_longest") if is_group else (name,)
    for tool in tools:
        taken = app.registry.find(tool)
        if taken is not None:
            whose = taken.tool.origin or "code"
            raise DuplicateTool(
                f"{name!r} cannot be made: there is a tool {tool} already, from {whose}; choose another name."
            )
    try:
        files = _write(place, name, is_group, is_python)
    except FileExistsError as error:
        raise InvalidConfig(str(error)) from None
    except OSError as error:
        raise InvalidConfig(f"{place} cannot be written ({error.strerror}).") from None
    return NewTool(
        tuple(files), tools, place in (*app.config.tool_folders, app.config.project_folder / "tools")
    )


def _write(folder: Path, name: str, is_group: bool, is_python: bool) -> Sequence[Path]:
    if is_python:
        from oneclaw.plugins.template import write_template as write_plugin

        return write_plugin(folder, name)
    from oneclaw.js.template import write_template

    return write_template(folder, name, is_group=is_group)


async def reload_tools(app: "App") -> ToolFiles:
    """Have every program that uses the store load its tools from outside again."""
    problems = await app.reload()
    return ToolFiles(tuple(map(file_of, brought_tools(app))), problems)


async def trust_project(app: "App", folder: Path | None = None, is_trusted: bool = True) -> ProjectTrust:
    """Have the tools of a project, or of the workspace, loaded or no longer; raises `InvalidConfig`."""
    here = _real(app.config.workspace_folder)
    folder = here if folder is None else _real(folder)
    if is_trusted and not folder.is_dir():
        raise InvalidConfig(f"{folder} is no folder; name the folder of a project.")
    is_new = await app.trust(folder, is_trusted)
    tools = (tool.name for tool in app.sources.outside if tool.origin == "project" and folder == here)
    return ProjectTrust(folder, is_trusted, is_new, tuple(tools), folder == here)


def _real(folder: Path) -> Path:
    return Path(os.path.realpath(os.path.expanduser(folder)))
