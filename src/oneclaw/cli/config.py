"""`oneclaw config`: shows and changes settings."""

import argparse
import json
from typing import TYPE_CHECKING, Any

from oneclaw.cli.opened import read_config
from oneclaw.cli.parser import WrongUse
from oneclaw.cli.terminal import print_json, print_line, print_table
from oneclaw.core.settings.schema import ENVIRONMENT, SETTINGS, explain
from oneclaw.operations.settings import masked, read_settings

if TYPE_CHECKING:
    from oneclaw.config import Config

CHANGES = ("set", "unset", "edit")


def run(arguments: argparse.Namespace) -> int:
    if arguments.action in CHANGES:
        from oneclaw.cli.config_change import change_settings

        return change_settings(arguments)
    if arguments.value:
        raise WrongUse(f"a value goes with set: oneclaw config set {arguments.name} VALUE")
    config = read_config(arguments)
    if arguments.action in ("get", "explain"):
        if not arguments.name:
            raise WrongUse(f"say which: oneclaw config {arguments.action} SETTING")
        return (print_value if arguments.action == "get" else print_setting)(
            config, arguments.name, arguments.json
        )
    return show(config, arguments.all or arguments.action == "list", arguments.json)


def print_value(config: "Config", name: str, as_json: bool) -> int:
    """Print what holds for a setting now."""
    value = masked(config.get(name))
    if as_json:
        print_json(value)
    else:
        print(
            explain(name).default if value is None else value if isinstance(value, str) else json.dumps(value)
        )
    return 0


def print_setting(config: "Config", name: str, as_json: bool) -> int:
    """Print all there is to know of a setting."""
    setting = explain(name)
    rows = described(setting) | {"environment": setting.environment}
    if name in config.values:
        rows["set to"] = masked(config.values[name])
    if as_json:
        return print_json(rows)
    for word, said in rows.items():
        if said != "":
            print_line(f"{word:<13}{said if isinstance(said, str) else json.dumps(said)}", indent=13)
    return 0


def show(config: "Config", with_all: bool, as_json: bool) -> int:
    """Print where things are and what is set; and with all, every setting."""
    found = read_settings(config)
    places, values = dict(found.places), found.values
    if as_json:
        listed = [described(setting) for setting in SETTINGS]
        return print_json(places | {"set": values} | ({"settings": listed} if with_all else {}))
    for name, place in places.items():
        print_line(f"{name:<15}{place}", indent=15)
    for key, value in values.items():
        print(f"{key} = {value!r}")
    if with_all:
        print_line("\nSettings", "bold")
        print_table(
            ("SETTING", "DEFAULT", "MEANING"), [(s.key, s.default, s.meaning) for s in SETTINGS], wrapped=2
        )
        print_line("\nEnvironment", "bold")
        print_table(("VARIABLE", "MEANING"), list(ENVIRONMENT.items()))
    return 0


def described(setting: Any) -> dict[str, Any]:
    return {name: getattr(setting, name) for name in ("key", "type", "bounds", "default", "meaning")}
