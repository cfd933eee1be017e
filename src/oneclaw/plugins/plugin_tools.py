"""Plugins as a tool source."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from oneclaw.core.load import Loaded, LoadProblem
from oneclaw.core.source import Changed
from oneclaw.core.tool import Tool
from oneclaw.guard.files.seen import Seen, look_at
from oneclaw.plugins.loader import Look, PluginSettings


class PluginTools:
    """The tools of all plugins. What is known of them is there from the start; the others are asked when the
    source is opened, side by side, and the tools of each come as soon as it has answered."""

    name = "plugins"
    is_outside = True
    health = ""

    def __init__(self, config: PluginSettings, only: Sequence[Path] | None = None) -> None:
        """With `only`, the Python files of these folders are the only plugins."""
        self._config = config
        self._only = only
        self.seen = self.look()
        self._looked = Look(config, only=only)
        self._is_fresh = True

    @property
    def tools(self) -> Sequence[Tool]:
        return self._loaded.tools

    @property
    def problems(self) -> Sequence[LoadProblem]:
        return self._loaded.problems

    @property
    def _loaded(self) -> Loaded:
        return self._looked.loaded

    def look(self) -> Seen:
        """The files of single-file plugins and their manifests, as they are now."""
        folders = self._config.tool_folders if self._only is None else self._only
        return look_at(folders, (".py", ".toml"))

    async def open(self, changed: Changed) -> None:
        if not self._is_fresh or self.look() != self.seen:
            self.seen = self.look()
            look = partial(Look, self._config, is_fresh=True, before=self._looked, only=self._only)
            self._looked = await asyncio.to_thread(look)
        self._is_fresh = False
        changed()
        await self._looked.ask(changed)

    async def close(self) -> None:
        pass
