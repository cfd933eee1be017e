"""`oneclaw tokens`: lists, makes and revokes the tokens of programs that use the API."""

import argparse

from oneclaw.cli.opened import read_config
from oneclaw.cli.parser import WrongUse
from oneclaw.cli.terminal import list_time, print_json, print_table
from oneclaw.operations.access import AccessBook, access_file


def run(arguments: argparse.Namespace) -> int:
    book = AccessBook(access_file(read_config(arguments).home))
    if arguments.action != "list" and not arguments.name:
        raise WrongUse(f"say which: oneclaw tokens {arguments.action} NAME")
    if arguments.action == "make":
        text = book.make_token(arguments.name)
        print_json({"name": arguments.name, "token": text}) if arguments.json else print(text)
    elif arguments.action == "revoke":
        book.revoke_token(arguments.name)
        print(f"The token {arguments.name} is refused from now on.")
    elif arguments.json:
        print_json([{"name": each.name, "created": each.created} for each in book.tokens()])
    elif tokens := book.tokens():
        print_table(("TOKEN", "MADE"), [(each.name, list_time(each.created)) for each in tokens])
    else:
        print("No tokens yet. `oneclaw tokens make NAME` makes one.")
    return 0
