"""`oneclaw grants`: lists and revokes remembered answers."""

import argparse
import sys
from dataclasses import asdict

from oneclaw.cli.opened import open_app
from oneclaw.cli.parser import WrongUse
from oneclaw.cli.terminal import STATE, list_id, print_json, print_table, time_text
from oneclaw.core.errors import NotFound
from oneclaw.core.permit.grant import Grant
from oneclaw.operations.grants import list_grants, revoke_grant


async def run(arguments: argparse.Namespace) -> int:

    if arguments.action == "revoke":
        if not arguments.ids:
            raise WrongUse("name a grant: oneclaw grants revoke ID")
        return await revoke(arguments)
    return await show(arguments)


async def show(arguments: argparse.Namespace) -> int:
    async with open_app(arguments).looking() as app:
        grants = await list_grants(app)
        if arguments.json:
            return print_json([asdict(grant) for grant in grants])
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
        return print_table(
            ("ID", "", "TOOL", "NEED", "FOR", "ENDS", "ARGUMENTS"), rows, ("bold", STATE, "bold"), wrapped=4
        )


def holder(grant: Grant) -> str:
    """For whom it is; a session on a terminal by the short id that its other lists show."""
    return list_id(grant.holder) if grant.scope == "session" else grant.holder


async def revoke(arguments: argparse.Namespace) -> int:
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
