"""Loads and validates settings from oneclaw.toml, the environment and Python.

The file is the one named by `--config` or ONECLAW_CONFIG, else oneclaw.toml in the user's own
configuration folder. A file that merely lies in the current folder is not read: it may have come
with somebody else's code, and settings decide what tools may do.
"""

import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from oneclaw.core.errors import InvalidConfig
from oneclaw.core.settings.schema import VARIABLES, explain, read
from oneclaw.core.settings.tree import Mode, Settings

WORKSPACE = "workspace"
"""The folder of the workspace in the data folder, where nobody names another."""


@dataclass(frozen=True, slots=True, init=False)
class Config:
    """Checked settings, and where things are kept.

    `settings` has all of them with their types, as `config.settings.permissions.mode`; `values` has what is
    set, by full key. `Config(values={...})` takes dotted keys and nested tables alike and raises
    `InvalidConfig` as a settings file does; `workspace` and `mode` win over what `values` says of them.
    Without `home`, things are kept where the command line keeps them. No settings file is read.
    """

    home: Path
    file: Path | None
    values: Mapping[str, Any]
    settings: Settings = field(init=False, compare=False, repr=False)
    tool_folders: tuple[Path, ...] = field(init=False, compare=False, repr=False)
    """Every folder with tools of the user's own: `tools_folder`, and those of `tools.folders`."""

    def __init__(
        self,
        home: Path | str | None = None,
        file: Path | None = None,
        workspace: Path | None = None,
        mode: Mode | None = None,
        values: Mapping[str, Any] | None = None,
    ) -> None:
        home = _home(os.environ) if home is None else Path(home)
        kept, settings = read({} if values is None else values)
        said = {"workspace.folder": workspace, "permissions.mode": mode}
        said = {key: value for key, value in said.items() if value is not None}
        if said:
            kept, settings = read(kept | said)
        _check_rules(settings.shell.allow)
        _check_denied(settings.shell.deny)
        beside = file.parent if file else Path()
        named = [(beside / Path(folder).expanduser()).absolute() for folder in settings.tools.folders]
        folders = tuple(dict.fromkeys((home / "tools", *named)))
        for name, value in (("home", home), ("file", file), ("values", kept), ("settings", settings)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "tool_folders", folders)

    def get(self, key: str) -> Any:
        """The value of a key, or its default."""
        return self.values[key] if key in self.values else explain(key).value

    def under(self, prefix: str) -> dict[str, Any]:
        """The settings below a key, by the rest of the key: `under("switches")`."""
        start = prefix + "."
        return {key[len(start) :]: value for key, value in self.values.items() if key.startswith(start)}

    @property
    def mode(self) -> Mode:
        return self.settings.permissions.mode

    @property
    def workspace(self) -> Path | None:
        """The workspace that was named, if any."""
        return self.settings.workspace.folder

    @property
    def workspace_folder(self) -> Path:
        return self.workspace or self.home / WORKSPACE

    @property
    def project_folder(self) -> Path:
        """The project's own folder for OneClaw, with its tools. No tool may write there."""
        return self.workspace_folder / ".oneclaw"

    @property
    def tools_folder(self) -> Path:
        """The user's own tools."""
        return self.home / "tools"

    @property
    def cache_folder(self) -> Path:
        return user_folder("cache")

    @property
    def store_file(self) -> Path:
        return self.home / "oneclaw.db"

    @property
    def secrets_file(self) -> Path:
        return self.settings.secrets.file or self.home / "secrets.toml"


def load_config(file: Path | None = None, environment: Mapping[str, str] | None = None) -> Config:
    """Read and check the settings. Raises `InvalidConfig` with file, line, field and remedy."""
    environment = os.environ if environment is None else environment
    named = file or _named_file(environment)
    path = named or settings_file(environment=environment)
    if named is not None and not path.is_file():
        raise InvalidConfig(f"The settings file {path} is not there. Make it, or name another one.")
    values = read_settings(path) if path.is_file() else {}
    return Config(
        home=_home(environment),
        file=path if path.is_file() else None,
        values=values | _said(environment),
    )


def settings_file(file: Path | None = None, environment: Mapping[str, str] | None = None) -> Path:
    """The settings file: the one that is named, else the user's own. It may not be there yet."""
    environment = os.environ if environment is None else environment
    return file or _named_file(environment) or user_folder("config") / "oneclaw.toml"


def _home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("ONECLAW_HOME") or user_folder("data")).expanduser().absolute()


def _named_file(environment: Mapping[str, str]) -> Path | None:
    return Path(environment["ONECLAW_CONFIG"]) if environment.get("ONECLAW_CONFIG") else None


def _said(environment: Mapping[str, str]) -> dict[str, Any]:
    """The settings that variables set; a variable that is empty sets nothing."""
    values = {
        one.key: one.check(environment[name], name)
        for name, one in VARIABLES.items()
        if environment.get(name)
    }
    if "workspace.folder" in values:  # as seen from where the program was started
        values["workspace.folder"] = str(Path(values["workspace.folder"]).expanduser().absolute())
    return values


def user_folder(kind: Literal["config", "data", "cache", "state"]) -> Path:
    """The user's folder of this kind, as the environment of this moment has it."""
    return _user_folder(kind, os.environ.get("HOME"), os.environ.get(f"XDG_{kind.upper()}_HOME"))


@lru_cache(64)
def _user_folder(kind: str, *_: str | None) -> Path:
    import platformdirs

    if kind == "config":
        return platformdirs.user_config_path("oneclaw")
    if kind == "cache":
        return platformdirs.user_cache_path("oneclaw")
    if kind == "state":
        return platformdirs.user_state_path("oneclaw")
    return platformdirs.user_data_path("oneclaw")


def read_settings(path: Path) -> dict[str, Any]:
    """Reads and checks a settings file: values by full key."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidConfig(f"{path} cannot be read: {error}. Mend the file or move it away.") from error
    return check_settings(text, path)


def check_settings(text: str, path: Path) -> dict[str, Any]:
    """Checks the text of a settings file: values by full key. Errors name `path` and the line."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidConfig(f"{path} cannot be read: {error}. Mend the file or move it away.") from error
    values, settings = read(document, lambda key: f"{path}, line {line_of(text, key)}: ")
    _check_rules(settings.shell.allow, lambda rule: f"{path}, line {_line_of_rule(text, rule)}: ")
    _check_denied(settings.shell.deny, f"{path}: ")
    return values


def _check_rules(rules: Sequence[str], where: Callable[[str], str] = lambda rule: "") -> None:
    """Refuse a rule for commands that cannot be one."""
    if not rules:
        return
    from oneclaw.guard.command.rule import parse_rule

    for rule in rules:
        try:
            parse_rule(rule)
        except InvalidConfig as error:
            raise InvalidConfig(f"{where(rule)}{error}") from error


def _check_denied(rules: Sequence[str], where: str = "") -> None:
    if rules:
        from oneclaw.guard.command.denied import parse_denied

        try:
            parse_denied(rules)
        except InvalidConfig as error:
            raise InvalidConfig(f"{where}{error}") from error


def _line_of_rule(text: str, rule: str) -> int:
    first = line_of(text, "shell.allow")
    lines = text.splitlines()[first - 1 :]
    return next((number for number, line in enumerate(lines, first) if rule.strip() in line), first)


def line_of(text: str, key: str) -> int:
    """The line a key is set on; the line of the nearest table above when it is written another way."""
    table, best = "", 1
    for number, line in enumerate(text.splitlines(), 1):
        head = line.strip()
        if head.startswith("["):
            table = _plain_key(head.strip("[] ")) + "."
            if key.startswith(table):
                best = number
        elif "=" in head and table + _plain_key(head.split("=")[0]) == key:
            return number
    return best


def _plain_key(text: str) -> str:
    return "".join(text.split()).replace('"', "").replace("'", "")
