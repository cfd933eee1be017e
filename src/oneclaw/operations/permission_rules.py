"""Shows and changes the mode and the rules for commands, in the settings file and in this program at once."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oneclaw.config import settings_file
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.permit.need import MODES, Mode
from oneclaw.operations.rules import RuleList, change_rule
from oneclaw.operations.settings_file import set_setting

if TYPE_CHECKING:
    from oneclaw.app import App


@dataclass(frozen=True, slots=True)
class PermissionRules:
    """The mode, the modes there are with their meaning, and the rules for commands; `file` holds them.

    `winner` is the variable of the environment that wins over the file when the program starts again.
    """

    mode: Mode
    modes: Mapping[Mode, str]
    allow: tuple[str, ...]
    deny: tuple[str, ...]
    file: Path
    winner: str = ""


def show_rules(app: "App") -> PermissionRules:
    shell = app.config.settings.shell
    file = settings_file(app.config.file)
    return PermissionRules(app.permissions.mode, MODES, tuple(shell.allow), tuple(shell.deny), file)


def set_mode(app: "App", mode: str) -> PermissionRules:
    """Have another mode from the next call on, and after a restart; raises `InvalidConfig`."""
    if mode not in MODES:
        raise InvalidConfig(f"There is no mode {mode[:80]!r}; choose {', '.join(MODES)}.")
    change = set_setting(settings_file(app.config.file), "permissions.mode", [mode])
    _take_up(app, {"permissions.mode": mode})
    return replace(show_rules(app), winner=change.winner)


def set_rule(app: "App", to: RuleList, rule: str, *, remove: bool = False) -> PermissionRules:
    """Add a rule for commands, or remove it; it holds from the next call on. Raises `InvalidConfig`."""
    changed = change_rule(settings_file(app.config.file), to, rule, remove=remove)
    shell = app.config.settings.shell
    known = [each for each in (shell.allow if to == "allow" else shell.deny) if each != changed.rule]
    _take_up(app, {f"shell.{to}": known if remove else [*known, changed.rule]})
    return show_rules(app)


def _take_up(app: "App", values: Mapping[str, Any]) -> None:
    app.take_up(replace(app.config, values={**app.config.values, **values}))
