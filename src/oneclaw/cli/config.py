"""`oneclaw config`: shows and changes settings."""

import argparse
import json
from typing import TYPE_CHECKING, Any

from oneclaw.cli.completion import setting_names, setting_values
from oneclaw.cli.opened import read_config
from oneclaw.cli.parser import Parser, WrongUse
from oneclaw.cli.terminal import print_json, print_line, print_table
from oneclaw.core.settings.schema import ENVIRONMENT, SETTINGS, explain
from oneclaw.operations.settings import masked, read_settings

if TYPE_CHECKING:
    from oneclaw.config import Config

EPILOG = """\
  oneclaw config                          the files and folders, and what is set
  oneclaw config list                     every setting, its default and meaning
  oneclaw config get permissions.mode     what holds now
  oneclaw config explain runs.cost        type, bounds, default and meaning of one
  oneclaw config set permissions.mode ask       set one, checked first; comments in the file stay
  oneclaw config set tools.deny "http_*" open_url
  oneclaw config unset tools.deny         let its default hold
  oneclaw config edit                     open the file in your editor, and check it
"""
ACTIONS = ("show", "list", "get", "explain", "set", "unset", "edit")
CHANGES = ("set", "unset", "edit")


def configure(parser: Parser) -> None:
    parser.add("action", nargs="?", default="show", choices=ACTIONS, metavar="ACTION")
    parser.add(
        "name",
        nargs="?",
        metavar="SETTING",
        help="get, explain, set, unset: a setting's full name",
        complete=setting_names,
    )
    parser.add(
        "value",
        nargs="*",
        default=[],
        metavar="VALUE",
        help="set: the new value; several for a list",
        complete=setting_values,
    )
    parser.add("--json", action="store_true", help="print JSON")
    parser.add("--all", action="store_true", help="as list: every setting with its meaning")


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
        print_json(rows)
        return 0
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
        print_json(places | {"set": values} | ({"settings": listed} if with_all else {}))
        return 0
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
