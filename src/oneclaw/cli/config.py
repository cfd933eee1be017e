"""`oneclaw config`: where the settings are and what they say."""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--all", action="store_true", help="list every setting with its meaning")


def run(arguments: argparse.Namespace) -> int:
    from oneclaw.cli.opened import read_config
    from oneclaw.cli.terminal import print_json, print_line, print_table
    from oneclaw.config import ENVIRONMENT, SETTINGS
    from oneclaw.operations.settings import read_settings

    found = read_settings(read_config(arguments))
    places, values = dict(found.places), found.values
    if arguments.json:
        listed = [
            {"key": s.key, "type": s.type, "default": s.default, "meaning": s.meaning} for s in SETTINGS
        ]
        print_json(places | {"set": values} | ({"settings": listed} if arguments.all else {}))
        return 0
    for name, place in places.items():
        print_line(f"{name:<15}{place}", indent=15)
    for key, value in values.items():
        print(f"{key} = {value!r}")
    if arguments.all:
        print_line("\nSettings", "bold")
        print_table(
            ("SETTING", "DEFAULT", "MEANING"), [(s.key, s.default, s.meaning) for s in SETTINGS], wrapped=2
        )
        print_line("\nEnvironment", "bold")
        print_table(("VARIABLE", "MEANING"), list(ENVIRONMENT.items()))
    return 0
