"""Adds the skills and the project notes to the instructions of a run."""

from dataclasses import replace

from oneclaw.core.engine import Engine
from oneclaw.core.session import Session
from oneclaw.core.settings.tree import SkillSettings
from oneclaw.skills.block import TOOL
from oneclaw.skills.catalogue import write_catalogue
from oneclaw.skills.library import SkillLibrary
from oneclaw.skills.project_notes import find_notes, write_notes


class KnowHow:
    """The catalogue of skills and AGENTS.md, as they stand now; without both, nothing is read and told."""

    def __init__(self, engine: Engine, library: SkillLibrary, settings: SkillSettings) -> None:
        self._engine = engine
        self._library = library
        self._settings = settings

    def instructions(self, session: Session) -> str:
        """The text for the instructions; the catalogue is for those who may load skills."""
        told = write_notes(find_notes(session.workspace.folder, self._settings.notes_chars))
        if self._library.skills and any(each.name == TOOL for each in self._engine.available(session)):
            told += write_catalogue(self._library.skills.values(), self._settings.catalogue_chars)
        return told

    def opened(self, session: Session) -> Session:
        """The session with the folders of skills to read."""
        workspace = session.workspace
        more = tuple(root for root in self._library.roots if root not in workspace.roots)
        if not more:
            return session
        return replace(session, workspace=replace(workspace, roots=(*workspace.roots, *more)))
