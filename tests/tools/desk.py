"""A workspace for the tests of tools that change files."""

from pathlib import Path
from typing import Any

import pytest

from oneclaw.core.call import Output
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Root, Session, UndoFolder, Workspace
from oneclaw.core.tool import Context, Tool


class Desk:
    """A workspace in which files are changed, with a trash and a person who answers what is asked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        self.undo = UndoFolder(folder / "undo")
        self.asked: list[tuple[str, str]] = []
        self.says_yes = True
        self.roots: tuple[Root, ...] = ()

    @property
    def context(self) -> Context:
        workspace = Workspace(self.folder, self.roots)
        return Context("call", Session("s1", workspace=workspace, undo=self.undo), require=self._answer)

    async def _answer(self, need: str, reason: str) -> None:
        self.asked.append((need, reason))
        if not self.says_yes:
            raise ToolError("The person said no.", Kind.PERMISSION_DENIED)

    def call(self, tool: Tool, **arguments: Any) -> str:
        said: Output = tool.execute(arguments, self.context)
        return said.value

    def refusal(self, tool: Tool, **arguments: Any) -> str:
        """The sentence by which a call is refused; nothing is changed."""
        before = self.tree
        with pytest.raises(ToolError) as caught:
            self.call(tool, **arguments)
        assert self.tree == before
        return caught.value.message

    def put(self, path: str, content: str = "text") -> Path:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
        return file

    @property
    def tree(self) -> dict[str, str | None]:
        """Every path in the workspace: a file's text, a link's target, None for a folder."""
        return {str(each.relative_to(self.folder)): _held(each) for each in self.folder.rglob("*")}


def _held(path: Path) -> str | None:
    if path.is_symlink():
        return f"-> {path.readlink()}"
    return None if path.is_dir() else path.read_text()
