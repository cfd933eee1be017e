"""Shows settings and file locations, without passwords."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from oneclaw.config import Config, user_folder
from oneclaw.guard.secret.shapes import mask


@dataclass(frozen=True, slots=True)
class SettingsState:
    """The places by what they hold, the mode among them, and each value that is set by its key."""

    places: Mapping[str, str]
    values: Mapping[str, Any]


def read_settings(config: Config) -> SettingsState:
    places = {
        "settings file": str(config.file or f"none ({user_folder('config') / 'oneclaw.toml'} would be read)"),
        "data folder": str(config.home),
        "workspace": str(config.workspace_folder),
        "store": str(config.store_file),
        "secrets": str(config.secrets_file),
        "mode": config.mode,
    }
    return SettingsState(places, masked(dict(config.values)))


def masked(value: Any) -> Any:
    """The value without what looks like a password: a proxy may have one."""
    return json.loads(mask(json.dumps(value)))
