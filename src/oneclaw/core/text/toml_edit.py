"""Changes one value of a TOML text; comments and layout stay."""

import tomllib
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any, cast

from oneclaw.core.errors import InvalidConfig

_UNSET: Any = object()


def set_value(text: str, path: Sequence[str], value: Any) -> str:
    """The text with `value` at `path`. A key that is there in another spelling, as `"a.b"`, is kept so."""
    return _changed(text, path, value)


def remove_value(text: str, path: Sequence[str]) -> str:
    """The text without the value at `path`; the same text where it is not set."""
    return _changed(text, path, _UNSET)


def _changed(text: str, path: Sequence[str], value: Any) -> str:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    wanted, key = _flat(tomllib.loads(text)), ".".join(path)
    if value is _UNSET:
        if key not in wanted:
            return text
        del wanted[key]
    else:
        wanted[key] = value
    try:
        document = cast("MutableMapping[str, Any]", tomlkit.parse(text))
        place = _find(document, key)
        if value is _UNSET:
            assert place is not None
            del place[0][place[1]]
        elif place is not None:
            place[0][place[1]] = value
        else:
            _add(document, path, value)
        made = tomlkit.dumps(document)
        is_right = _flat(tomllib.loads(made)) == wanted
    except (TOMLKitError, tomllib.TOMLDecodeError, AttributeError, KeyError, TypeError, ValueError):
        is_right, made = False, ""
    if not is_right:
        # Nothing else may change: where the library cannot do that, a person does it.
        raise InvalidConfig(
            f"{key} cannot be changed in the layout of this file; change it with an editor:"
            " oneclaw config edit"
        )
    return made


def remove_table(text: str, path: Sequence[str]) -> str:
    """The text without the table at `path` and all its values; the same text where there is none."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    start = ".".join(path) + "."
    wanted = {key: value for key, value in _flat(tomllib.loads(text)).items() if not key.startswith(start)}
    try:
        document = cast("MutableMapping[str, Any]", tomlkit.parse(text))
        table = document
        for name in path[:-1]:
            table = cast("MutableMapping[str, Any]", table.get(name, {}))
        if path[-1] in table:
            del table[path[-1]]
        made = tomlkit.dumps(document)
        is_right = _flat(tomllib.loads(made)) == wanted
    except (TOMLKitError, tomllib.TOMLDecodeError, AttributeError, KeyError, TypeError, ValueError):
        is_right, made = False, ""
    if not is_right:
        raise InvalidConfig(
            f"{'.'.join(path)} cannot be removed in the layout of this file; remove it with an editor:"
            " oneclaw config edit"
        )
    return made


def _flat(table: Mapping[str, Any], start: str = "") -> dict[str, Any]:
    """The values by their full key; the tables that have none are left out."""
    values: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, Mapping):
            values |= _flat(cast("Mapping[str, Any]", value), f"{start}{name}.")
        else:
            values[start + name] = value
    return values


def _find(table: MutableMapping[str, Any], key: str) -> tuple[MutableMapping[str, Any], str] | None:
    """The table that has the value of a full key, and its name there, however the key is split."""
    for name, value in table.items():
        if name == key and not isinstance(value, Mapping):
            return table, name
        if isinstance(value, MutableMapping) and key.startswith(f"{name}."):
            found = _find(cast("MutableMapping[str, Any]", value), key[len(name) + 1 :])
            if found is not None:
                return found
    return None


def _add(document: MutableMapping[str, Any], path: Sequence[str], value: Any) -> None:
    """Put a new value into the deepest table there is, with the tables that lack below it."""
    import tomlkit
    from tomlkit.items import InlineTable

    table = document
    *tables, last = path
    for number, name in enumerate(tables):
        below = table.get(name)
        if not isinstance(below, MutableMapping):
            is_last, is_inline = number == len(tables) - 1, isinstance(table, InlineTable)
            table[name] = tomlkit.inline_table() if is_inline else tomlkit.table(is_super_table=not is_last)
            below = table[name]
        table = cast("MutableMapping[str, Any]", below)
    table[last] = value
