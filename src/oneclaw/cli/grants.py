"""`oneclaw grants`: the answers that are remembered, and taking one back."""

import argparse
import sys


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("action", nargs="?", choices=("list", "revoke"), default="list", help="default: list")
    parser.add_argument("ids", nargs="*", metavar="ID", help="the grants to revoke")


def run(arguments: argparse.Namespace) -> int:
    import asyncio

    if arguments.action == "revoke":
        if not arguments.ids:
            print("oneclaw: name a grant: oneclaw grants revoke ID", file=sys.stderr)
            return 2
        return asyncio.run(revoke(arguments))
    return show(arguments)


def show(arguments: argparse.Namespace) -> int:
    from dataclasses import asdict

    from oneclaw.cli.opened import open_app
    from oneclaw.cli.terminal import STATE, print_json, print_table, time_text

    with open_app(arguments) as app:
        grants = app.grants.all()
        if arguments.json:
            print_json([asdict(grant) for grant in grants])
            return 0
        if not grants:
            print("No grants. Answers such as `always` and `never` are kept here.", file=sys.stderr)
            return 0
        rows = [
            (
                grant.id,
                grant.verdict,
                grant.tool,
                grant.need,
                f"{grant.scope} {grant.holder}".strip(),
                time_text(grant.expires) if grant.expires else "never",
                " ".join(f"{name}={glob}" for name, glob in grant.pattern.items()) or grant.about or "any",
            )
            for grant in grants
        ]
        print_table(
            ("ID", "", "TOOL", "NEED", "FOR", "ENDS", "ARGUMENTS"), rows, ("bold", STATE, "bold"), wrapped=4
        )
        return 0


async def revoke(arguments: argparse.Namespace) -> int:
    from oneclaw.cli.opened import open_app

    missing = 0
    async with open_app(arguments) as app:
        for name in arguments.ids:
            if await app.grants.revoke(name):
                print(f"Revoked {name}.")
            else:
                print(f"oneclaw: there is no grant {name!r}; `oneclaw grants` lists them.", file=sys.stderr)
                missing += 1
    return 1 if missing else 0
