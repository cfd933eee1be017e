"""`oneclaw completion`: the line that teaches a shell to complete our words."""

import argparse

EPILOG = """\
Put one of these where your shell starts:
  bash, zsh:  eval "$(oneclaw completion bash)"
  fish:       oneclaw completion fish | source
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish", "tcsh", "powershell"), help="your shell")


def run(arguments: argparse.Namespace) -> int:
    from argcomplete.shell_integration import shellcode

    print(shellcode(["oneclaw"], shell=arguments.shell))
    return 0


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer the shell that asks for the words that fit; does not return."""
    import argcomplete

    argcomplete.autocomplete(parser)


def call_words(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """What Tab offers behind a built-in tool: the names of its parameters, as `path=`."""
    from oneclaw.tools.builtin import NAMES, load

    if parsed_args.name not in NAMES or "=" in prefix:
        return []
    names = load(parsed_args.name).definition.parameters["properties"]
    return [f"{name}=" for name in names if name.startswith(prefix)]


def statuses(prefix: str = "", **_: object) -> list[str]:
    """How a call can have ended."""
    from oneclaw.core.errors import Kind

    names = ("open", "success", "error", *(kind.value for kind in Kind))
    return [name for name in names if name.startswith(prefix)]


def tool_names(prefix: str, **_: object) -> list[str]:
    """The names Tab offers where a tool is wanted: from a list, so that no tool is loaded for it."""
    from oneclaw.tools.builtin import NAMES

    return [name for name in NAMES if name.startswith(prefix)]
