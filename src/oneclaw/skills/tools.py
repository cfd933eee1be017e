"""Tool source of `load_skill`; empty if there are no skills."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.load import LoadProblem
from oneclaw.core.source import Changed
from oneclaw.core.tool import Context, Tool, ToolDefinition
from oneclaw.skills.block import BODY_CHARS, TOOL
from oneclaw.skills.library import SkillLibrary, SkillsSeen
from oneclaw.skills.skill import SkippedSkill

_MORE_CHARS = 10_000


class SkillTools:
    """The tool over a library; it is read when the source is opened, and again when its files change."""

    name = "skills"
    is_outside = False
    health = ""
    problems: Sequence[LoadProblem] = ()

    def __init__(self, library: SkillLibrary) -> None:
        self.library = library
        self.tools: Sequence[Tool] = ()
        self._changed: Changed = lambda: None
        self._names: tuple[str, ...] = ()
        self._is_open = False

    @property
    def seen(self) -> SkillsSeen:
        return self.library.seen

    def look(self) -> SkillsSeen:
        return self.library.look()

    async def open(self, changed: Changed) -> None:
        self._changed, self._is_open = changed, True
        if self.library.seen or self.library.has_places():  # a thread is not worth it for nothing
            await asyncio.to_thread(self.library.scan)
        self._take()

    async def close(self) -> None:
        self._changed, self._is_open = (lambda: None), False

    def trust(self, is_trusted: Callable[[Path], bool]) -> None:
        """Say which folders are trusted; an open source takes that up at once."""
        self.library.trust(is_trusted)
        if self._is_open:
            self.library.scan()
            self._take()

    def _take(self) -> None:
        names = tuple(name for name, skill in self.library.skills.items() if not skill.is_manual)
        if names != self._names:
            self._names = names
            self.tools = (Tool(_definition(names), self._load, "skills"),) if names else ()
            self._changed()

    def _load(self, arguments: dict[str, Any], context: Context) -> str:
        skill = self.library.skills.get(arguments["name"])
        if skill is None or skill.is_manual:
            raise ToolError(f"There is no skill {arguments['name']!r:.80} now.", Kind.VALIDATION_ERROR)
        try:
            return self.library.load(skill)
        except SkippedSkill as reason:
            message = f"The skill {skill.name} cannot be loaded: {reason}."
            raise ToolError(message, Kind.EXECUTION_ERROR) from None


def _definition(names: Sequence[str]) -> ToolDefinition:
    parameters: Mapping[str, Any] = {
        "type": "object",
        "properties": {"name": {"type": "string", "enum": list(names), "description": "The skill to load."}},
        "required": ["name"],
    }
    return ToolDefinition(
        name=TOOL,
        description="Load the instructions of a skill. Do it once, before the work that the skill is for.",
        parameters=parameters,
        label="Load a skill",
        effect="read",
        isolation="thread",
        group="skills",
        chars=BODY_CHARS + _MORE_CHARS,
        spill=False,
        seconds=10,
    )
