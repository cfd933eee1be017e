"""`oneclaw config`: where the settings are and what they say."""

import argparse
import json


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--all", action="store_true", help="list every setting with its meaning")


def run(arguments: argparse.Namespace) -> int:
    from oneclaw.cli.opened import read_config
    from oneclaw.cli.terminal import print_json, print_line, print_table
    from oneclaw.config import user_folder
    from oneclaw.core.settings.schema import ENVIRONMENT, SETTINGS
    from oneclaw.guard.secret.shapes import mask

    config = read_config(arguments)
    values = json.loads(mask(json.dumps(dict(config.values))))  # the proxy may have a password
    places = {
        "settings file": str(config.file or f"none ({user_folder('config') / 'oneclaw.toml'} would be read)"),
        "data folder": str(config.home),
        "workspace": str(config.workspace_folder),
        "store": str(config.store_file),
        "secrets": str(config.secrets_file),
        "mode": config.mode,
    }
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
