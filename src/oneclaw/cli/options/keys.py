"""Options of `oneclaw keys`."""

from oneclaw.cli.completion import keys_words, model_names
from oneclaw.cli.parser import Parser

EPILOG = """\
Examples:
  oneclaw keys                      which providers have a key, and where it was found
  oneclaw keys set anthropic        asks for the key; it is not shown while you type or paste it
  pass show anthropic | oneclaw keys set anthropic
  oneclaw keys test anthropic       six real requests: stream, call, parallel calls, image, structured
                                    answer, error
  oneclaw keys remove anthropic
  oneclaw keys set BRAVE_API_KEY    a secret of a tool, by its name

Keys are kept in the secrets file, which only you may read. A variable of the environment of the same name
wins. Exit codes: 0 done, 1 a test failed or no key is set, 2 wrong use or settings.
"""
ACTIONS = ("list", "set", "remove", "test")


def configure(parser: Parser) -> None:
    parser.add("action", nargs="?", choices=ACTIONS, default="list", metavar="ACTION", help="default: list")
    parser.add(
        "name", nargs="?", metavar="PROVIDER", help="a provider, or the name of a secret", complete=keys_words
    )
    # Taken, to be refused without being shown: argparse would repeat it in its error.
    parser.add("words", nargs="*", default=[], metavar="", help=None)
    parser.add("--model", metavar="NAME", help="test: with this model", complete=model_names)
    parser.add("--json", action="store_true", help="print JSON")
