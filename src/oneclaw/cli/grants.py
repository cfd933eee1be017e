"""`oneclaw grants`: the answers that are remembered, and taking one back."""

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oneclaw.core.permit.grant import Grant


def configure(parser: argparse.ArgumentParser) -> None:
    from oneclaw.cli.completion import grant_ids

    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("action", nargs="?", choices=("list", "revoke"), default="list", help="default: list")
    ids = parser.add_argument("ids", nargs="*", metavar="ID", help="the grants to revoke")
    ids.completer = grant_ids  # pyright: ignore[reportAttributeAccessIssue]


async def run(arguments: argparse.Namespace) -> int:

    if arguments.action == "revoke":
        if not arguments.ids:
            print("oneclaw: name a grant: oneclaw grants revoke ID", file=sys.stderr)
            return 2
        return await revoke(arguments)
    return await show(arguments)


async def show(arguments: argparse.Namespace) -> int:
    from dataclasses import asdict

    from oneclaw.cli.opened import open_app
    from oneclaw.cli.terminal import STATE, print_json, print_table, time_text
    from oneclaw.operations.grants import list_grants

    async with open_app(arguments).looking() as app:
        grants = await list_grants(app)
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
                f"{grant.scope} {holder(grant)}".strip(),
                time_text(grant.expires) if grant.expires else "when revoked",
                " ".join(f"{name}={glob}" for name, glob in grant.pattern.items()) or grant.about or "any",
            )
            for grant in grants
        ]
        print_table(
            ("ID", "", "TOOL", "NEED", "FOR", "ENDS", "ARGUMENTS"), rows, ("bold", STATE, "bold"), wrapped=4
        )
        return 0


def holder(grant: "Grant") -> str:
    """For whom it is; a session on a terminal by the short id that its other lists show."""
    from oneclaw.cli.sessions import short_id
    from oneclaw.cli.terminal import is_terminal

    is_short = grant.scope == "session" and is_terminal(sys.stdout)
    return short_id(grant.holder) if is_short else grant.holder


async def revoke(arguments: argparse.Namespace) -> int:
    from oneclaw.cli.opened import open_app
    from oneclaw.cli.terminal import print_json
    from oneclaw.core.errors import NotFound
    from oneclaw.operations.grants import revoke_grant

    revoked: list[str] = []
    async with open_app(arguments) as app:
        for name in arguments.ids:
            try:
                await revoke_grant(app, name)
                revoked.append(name)
            except NotFound as error:
                print(f"oneclaw: {error}", file=sys.stderr)
    if arguments.json:
        print_json({"revoked": revoked})
    else:
        print("".join(f"Revoked {name}.\n" for name in revoked), end="")
    return 0 if len(revoked) == len(arguments.ids) else 1
