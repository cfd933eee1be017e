"""Options of `oneclaw models`."""

from oneclaw.cli.completion import models_words, provider_names
from oneclaw.cli.parser import Parser

EPILOG = """\
Examples:
  oneclaw models                     what can be used now; a provider without a key is one line
  oneclaw models --all               every model that is known
  oneclaw models anthropic           of one provider
  oneclaw models ollama --check      ask the server whether it answers, and which models it has
  oneclaw models default NAME        let this model answer where none is named
  oneclaw models add FILE.gguf       run a model file of your own; --name calls it what you like
  oneclaw models remove NAME         take it off the list; the file stays

A key is kept with `oneclaw keys set PROVIDER`, or set by its name: export ANTHROPIC_API_KEY=…
"""


def configure(parser: Parser) -> None:
    parser.add(
        "provider",
        nargs="?",
        metavar="PROVIDER",
        help="of this provider only; or list, add, remove, default",
        complete=provider_names,
    )
    parser.add(
        "file",
        nargs="?",
        metavar="FILE",
        help="for add, a GGUF file; for remove and default, a name",
        complete=models_words,
    )
    parser.add("--name", help="for add: what to call it")
    parser.add("--check", action="store_true", help="ask the providers that are set up, 5 seconds at most")
    parser.add("--all", action="store_true", help="list the models of providers without a key, too")
    parser.add("--json", action="store_true", help="print JSON")
