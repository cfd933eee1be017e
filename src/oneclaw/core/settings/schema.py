"""Finds settings by key, validates values and builds the tree."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Union, cast, get_args, get_origin

from oneclaw.core.errors import InvalidConfig
from oneclaw.core.settings.setting import Setting
from oneclaw.core.settings.tree import DEFAULTS, Settings


def _walk(table: Any, key: str = "", path: tuple[str, ...] = (), names: str = "") -> Iterator[Setting]:
    for each in fields(table):
        kind, way = cast("Any", each.type), (*path, each.name)
        if get_origin(kind) in (UnionType, Union):
            kind = next(one for one in get_args(kind) if one is not NoneType)
        inner = key if each.metadata.get("inline") else f"{key}{each.name}."
        if get_origin(kind) is Mapping:
            kind, way, inner = get_args(kind)[1], (*way, "*"), f"{inner}*."
        pattern = each.metadata.get("names", names)
        if is_dataclass(kind):
            yield from _walk(kind, inner, way, pattern)
        else:
            yield Setting(inner[:-1], way, kind, each, pattern)


SETTINGS = tuple(_walk(Settings))
"""Every setting there is, in the order of the tree."""
VARIABLES = {one.environment: one for one in SETTINGS if one.environment}
"""The settings that a variable of the environment sets, by its name."""
ENVIRONMENT = {
    "ONECLAW_CONFIG": "The settings file to read.",
    "ONECLAW_HOME": "The data folder: store, sessions, secrets, workspace.",
} | {name: f"{one.meaning} Wins over `{one.key}`." for name, one in VARIABLES.items()}
"""The variables that are read, with their meanings."""

_EXACT = {one.key: one for one in SETTINGS if not one.names}
_OPEN = [(*one.key.split("*"), one) for one in SETTINGS if one.names]


def find(key: str) -> tuple[Setting, str] | None:
    """The setting of a key, and the name that stands for its `*`; None where there is none."""
    if key in _EXACT:
        return _EXACT[key], ""
    for start, end, one in _OPEN:
        if key.startswith(start) and key.endswith(end):
            name = key[len(start) : len(key) - len(end)]
            if re.fullmatch(one.names, name) and not (one.is_inline and _is_slip(name, start)):
                return one, name
    return None


def _is_slip(name: str, start: str) -> bool:
    """Whether a name of the owner's own is a slip of the setting beside it, as `features.memroy`.

    A longer name is none: `features.sandboxes` is not `features.sandbox`.
    """
    from difflib import get_close_matches

    beside = [key.removeprefix(start) for key in _EXACT if key.startswith(start)]
    return bool(get_close_matches(name, [one for one in beside if len(one) >= len(name)], n=1, cutoff=0.75))


def explain(key: str) -> Setting:
    """The setting of a key; raises `InvalidConfig` with the nearest one."""
    found = find(key)
    if found is None:
        raise InvalidConfig(_unknown(key))
    return found[0]


def read(
    values: Mapping[str, Any], where: Callable[[str], str] = lambda key: ""
) -> tuple[dict[str, Any], Settings]:
    """Checked settings: by full key, and as the tree. Raises `InvalidConfig`.

    Dotted keys and nested tables are alike. `where` says where a key stands, to begin an error with.
    """
    kept: dict[str, Any] = {}
    given: dict[str, Any] = {}
    for key, value in _flatten(values, ""):
        found = find(key)
        if found is None:
            if isinstance(value, Mapping) and _is_table(key):
                continue
            raise InvalidConfig(where(key) + _unknown(key))
        if key in kept:
            raise InvalidConfig(f"{where(key)}{key} is set twice; set it once.")
        one, name = found
        kept[key] = one.check(value, f"{where(key)}{key}")
        *path, last = (name if step == "*" else step for step in one.path)
        table = given
        for step in path:
            table = table.setdefault(step, {})
        table[last] = one.read(kept[key])
    return kept, _build(Settings, given) if given else DEFAULTS


def _flatten(table: Any, start: str) -> Iterator[tuple[str, Any]]:
    """Flattens a table to full keys; an empty table is kept."""
    if not isinstance(table, Mapping):
        raise InvalidConfig(f"The settings are a {type(table).__name__}; they must be a mapping of names.")
    for name, value in cast("Mapping[Any, Any]", table).items():
        if not isinstance(name, str) or not name:
            raise InvalidConfig(f"A setting is named {name!r}; a name must be a text, as 'tools.deny'.")
        if isinstance(value, Mapping) and value:
            yield from _flatten(value, f"{start}{name}.")
        else:
            yield start + name, value


def _is_table(key: str) -> bool:
    """Whether settings can stand below a key."""
    tables = {(one.key[: dot.start()], one.names) for one in SETTINGS for dot in re.finditer(r"\.", one.key)}
    return any(re.fullmatch(re.escape(table).replace(r"\*", names), key) for table, names in tables)


def _unknown(key: str) -> str:
    """The error for an unknown key."""
    from difflib import get_close_matches

    steps = key[:200].split(".")
    known: list[str] = []
    for one in SETTINGS:  # with the name that this key has in the place of the owner's
        at = one.key.split(".").index("*") if one.names else len(steps)
        known.append(one.key.replace("*", steps[at]) if at < len(steps) else one.key)
    near = get_close_matches(key[:200], [each for each in known if each != key], n=1, cutoff=0.6)
    hint = f"Did you mean {near[0]}?" if near else "`oneclaw config --all` lists them all."
    return f"{key[:200]!r} is no setting. {hint}"


def _build(kind: Any, given: Mapping[str, Any]) -> Any:
    """A table of the tree from what is set in it."""
    made: dict[str, Any] = {}
    for name, value in given.items():
        inner = kind.__dataclass_fields__[name].type
        if is_dataclass(inner):
            value = _build(inner, value)
        elif get_origin(inner) is Mapping and is_dataclass(get_args(inner)[1]):
            value = {each: _build(get_args(inner)[1], one) for each, one in value.items()}
        made[name] = value
    return kind(**made)
