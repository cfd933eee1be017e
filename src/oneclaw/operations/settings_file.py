"""Changes the settings file: one value or the whole text, checked before anything is written."""

import os
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_origin

from oneclaw.config import check_settings
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.settings.schema import explain, find
from oneclaw.core.settings.setting import Setting
from oneclaw.core.text.toml_edit import remove_value, set_value
from oneclaw.guard.files.own_file import change_file
from oneclaw.guard.secret.shapes import mask

SWITCHES = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}
TEMPLATE = """\
# Settings of OneClaw. `oneclaw config list` names every setting with its default.

"""


@dataclass(frozen=True, slots=True)
class SettingChange:
    """A setting that was set or unset.

    value        now in the file; None where it is unset
    has_changed  whether the file is another than before
    winner       the variable of the environment that wins over the file, or nothing
    """

    key: str
    value: Any
    default: str
    file: Path
    has_changed: bool
    winner: str = ""


def set_setting(file: Path, key: str, words: Sequence[str]) -> SettingChange:
    """Set a setting to what the words of a command line say; raises `InvalidConfig` and writes nothing."""
    one, path = _place(key)
    value = one.check(_parsed(one, words), key)
    if one.key == "providers.*.key" and mask(value) != value:
        raise InvalidConfig(
            f"{key} is the name of a secret, and this looks like the key itself. Keep the key with"
            f" `oneclaw keys set {path[1]}`."
        )

    def change(text: str) -> str:
        return _checked(set_value(_read_toml(text, file), path, value), file)

    return _change(file, one, key, value, change)


def unset_setting(file: Path, key: str) -> SettingChange:
    """Take a setting out of the file, so that its default holds."""
    one, path = _place(key)

    def change(text: str) -> str:
        made = remove_value(_read_toml(text, file), path)
        return text if made == text else _checked(made, file)

    if not file.exists():
        return SettingChange(key, None, one.default, file, has_changed=False)
    return _change(file, one, key, None, change)


def read_text(file: Path) -> str:
    """The text of the settings file, or that of a new one."""
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return TEMPLATE
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidConfig(f"{file} cannot be read: {error}. Mend the file or move it away.") from None


def write_text(file: Path, before: str, after: str) -> None:
    """Check a new text and write it in place of `before`; raises `InvalidConfig` and writes nothing."""

    def change(text: str) -> str:
        if (text or TEMPLATE) != before:
            raise InvalidConfig(f"Another program has changed {file} meanwhile; edit it again.")
        return _checked(after, file)

    change_file(file, change)


def _change(file: Path, one: Setting, key: str, value: Any, change: Any) -> SettingChange:
    has_changed = change_file(file, change)
    winner = one.environment if one.environment and os.environ.get(one.environment) else ""
    return SettingChange(key, value, one.default, file, has_changed, winner)


def _place(key: str) -> tuple[Setting, tuple[str, ...]]:
    """The setting of a key, and the names that lead to it in the file; raises `InvalidConfig`."""
    one = explain(key)
    found = find(key)
    assert found is not None
    if "*" in key:
        raise InvalidConfig(f"{key} has a * in it; write a name in its place.")
    start, star, end = one.key.partition("*")
    if not star:
        return one, tuple(key.split("."))
    return one, (*filter(None, start.split(".")), found[1], *filter(None, end.split(".")))


def _parsed(one: Setting, words: Sequence[str]) -> Any:
    """The value that words mean for a setting; words that fit nothing stay as they are, for the check."""
    if get_origin(one.kind) is tuple:
        return _as_list(words)
    text = " ".join(words)
    if (one.kind is bool or one.is_limit) and text.lower() in SWITCHES:
        return SWITCHES[text.lower()]
    if one.kind in (int, float):
        for kind in (int, float):
            try:
                return kind(text.replace("_", ""))
            except ValueError:
                continue
    return text


def _as_list(words: Sequence[str]) -> Any:
    """The words themselves, or one word that is a list in TOML, as `["a", "b"]`."""
    if len(words) == 1 and words[0].startswith("["):
        try:
            return tomllib.loads(f"value = {words[0]}")["value"]
        except tomllib.TOMLDecodeError:
            return words[0]
    return list(words)


def _read_toml(text: str, file: Path) -> str:
    """The text, once it is known to be TOML: its values may be wrong, and be set right here."""
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidConfig(
            f"{file} cannot be read: {error}. Mend it with an editor: oneclaw config edit"
        ) from None
    return text or TEMPLATE


def _checked(text: str, file: Path) -> str:
    try:
        check_settings(text, file)
    except InvalidConfig as error:
        raise InvalidConfig(f"{error} Nothing was written.") from None
    return text
