"""`oneclaw config set`, `unset` and `edit`: changes the settings file."""

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from oneclaw.cli.parser import WrongUse
from oneclaw.cli.terminal import print_json, print_line, printable
from oneclaw.core.errors import InvalidConfig
from oneclaw.operations.settings import masked
from oneclaw.operations.settings_file import (
    SettingChange,
    read_text,
    set_setting,
    unset_setting,
    write_text,
)

EDITORS = ("sensible-editor", "nano", "vim", "vi")


def change_settings(arguments: argparse.Namespace) -> int:
    """Do what `set`, `unset` or `edit` says."""
    from oneclaw.config import settings_file

    file = settings_file(Path(arguments.config) if arguments.config else None)
    action, name, words = arguments.action, arguments.name, arguments.value
    if action == "edit":
        if name:
            raise WrongUse("edit opens the whole file: oneclaw config edit. To set one value: set KEY VALUE")
        return edit(file)
    if not name or (action == "set") != bool(words):
        value = " VALUE" if action == "set" else ""
        raise WrongUse(f"write it as: oneclaw config {action} SETTING{value}")
    changed = set_setting(file, name, words) if action == "set" else unset_setting(file, name)
    if arguments.json:
        print_json({"key": changed.key, "value": masked(changed.value), "file": str(changed.file)})
    else:
        tell(changed)
    return 0


def tell(changed: SettingChange) -> None:
    """Say what holds now, and where it was written."""
    if changed.value is not None:
        value = masked(changed.value)
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        print_line(printable(f"{changed.key} is {shown} ({changed.file})"))
    elif changed.has_changed:
        print_line(f"{changed.key} is unset; the default holds: {changed.default or 'none'} ({changed.file})")
    else:
        print_line(f"{changed.key} was not set in {changed.file}.")
    if changed.winner:
        print_line(
            f"The variable {changed.winner} is set in this shell and wins over the file.",
            "yellow",
            sys.stderr,
        )


def edit(file: Path) -> int:
    """Open the settings in the person's editor; what is wrong is said, and can be edited again."""
    if not sys.stdin.isatty():
        raise WrongUse("edit needs a terminal. Set one value with: oneclaw config set SETTING VALUE")
    command = editor()
    before = read_text(file)
    with tempfile.TemporaryDirectory(prefix="oneclaw-") as folder:
        copy = Path(folder) / file.name
        copy.write_text(before, encoding="utf-8")
        while True:
            if subprocess.run([*command, str(copy)]).returncode:
                print_line("The editor ended with an error; nothing was written.", "yellow")
                return 1
            after = copy.read_text(encoding="utf-8", errors="replace")
            if after == before:
                print_line("Nothing was changed.")
                return 0
            try:
                write_text(file, before, after)
            except InvalidConfig as error:
                print_line(printable(str(error)), "red", sys.stderr)
                if not is_again():
                    print_line("Your changes are dropped; the settings are as they were.", "yellow")
                    return 1
                continue
            print_line(f"Checked and written: {file}")
            return 0


def editor() -> list[str]:
    """The person's editor, as VISUAL or EDITOR names it, else one that is installed."""
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if named:
        return shlex.split(named)
    found = next((name for name in EDITORS if shutil.which(name)), None)
    if found is None:
        raise InvalidConfig(
            "No editor was found. Name yours in the variable EDITOR, or use: oneclaw config set SETTING VALUE"
        )
    return [found]


def is_again() -> bool:
    try:
        return input("Edit again? [Y/n] ").strip().lower() not in ("n", "no")
    except EOFError:
        return False
