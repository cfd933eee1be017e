"""`oneclaw doctor`: checks this machine and names the remedy for each problem."""

import argparse
from dataclasses import asdict

from oneclaw.cli.opened import read_config
from oneclaw.cli.terminal import print_json, print_line, printable
from oneclaw.core.errors import OneClawError
from oneclaw.operations.doctor import diagnose
from oneclaw.operations.machine import Checkup, check_python


async def run(arguments: argparse.Namespace) -> int:
    try:
        checks = await diagnose(read_config(arguments))
    except OneClawError as error:
        checks = [check_python(), Checkup("settings", "bad", str(error))]
    if arguments.json:
        print_json([asdict(check) for check in checks])
    else:
        for check in checks:
            mark, style = {"ok": ("✓", "green"), "warn": ("!", "yellow"), "bad": ("✗", "red")}[check.state]
            print_line(f"{mark} {check.topic:<12}{printable(check.text)}", style, indent=14)
            if check.remedy:
                print_line(f"  {'':<12}→ {check.remedy}", indent=2)
    return 1 if any(check.state == "bad" for check in checks) else 0
