"""`oneclaw completion`: shell completion for commands, options and names."""

import argparse
from typing import TYPE_CHECKING, TypeVar

from oneclaw.cli.parser import Parser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from oneclaw.config import Config

CompletionNames = TypeVar("CompletionNames")

EPILOG = """\
Put one of these where your shell starts:
  bash  eval "$(oneclaw completion bash)"
  zsh   eval "$(oneclaw completion zsh)"
  fish  oneclaw completion fish | source
"""

_ZSH_REGISTER = "        compdef _python_argcomplete oneclaw"
_ZSH_START = """\
        # Without a line `compinit` in ~/.zshrc there would be no completion at all.
        (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
"""


def configure(parser: Parser) -> None:
    parser.add("shell", choices=("bash", "zsh", "fish", "tcsh", "powershell"), help="your shell")


def run(arguments: argparse.Namespace) -> int:
    from argcomplete.shell_integration import shellcode

    code = shellcode(["oneclaw"], shell=arguments.shell)
    print(code.replace(_ZSH_REGISTER, f"{_ZSH_START}{_ZSH_REGISTER}") if arguments.shell == "zsh" else code)
    return 0


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer the shell that asks for the words that fit; does not return.

    Options are offered behind a dash; files only where a file or a folder is wanted.
    """
    import argcomplete
    from argcomplete.completers import BaseCompleter, DirectoriesCompleter, FilesCompleter

    class PathCompleter(BaseCompleter):
        def __call__(self, *, prefix: str, action: argparse.Action, **_: object) -> "Iterable[str]":
            kinds = {"FILE": FilesCompleter(), "FOLDER": DirectoriesCompleter()}
            kind = kinds.get(action.metavar) if isinstance(action.metavar, str) else None
            return kind(prefix) if kind else ()

    argcomplete.autocomplete(parser, always_complete_options=False, default_completer=PathCompleter())


def call_words(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """Completes the parameters of a tool (`path=`), and values where they are few (`order=newest`)."""
    from oneclaw.operations.names import parameters

    found: Mapping[str, tuple[str, ...]] = (
        _of_settings(parsed_args, lambda config: parameters(config, parsed_args.name)) or {}
    )
    given = {word.partition("=")[0].rstrip(":") for word in getattr(parsed_args, "words", ())}
    name, equals, _value = prefix.partition("=")
    if equals:
        return fitting(prefix, (f"{name}={value}" for value in found.get(name, ())))
    return fitting(prefix, (f"{name}=" for name in found if name not in given))


def help_topics(prefix: str, **_: object) -> list[str]:
    """The topics of the help, and the commands that have none."""
    from oneclaw.cli.main import COMMANDS
    from oneclaw.cli.topics import topics

    return fitting(prefix, dict.fromkeys((*topics(), *COMMANDS)))


def statuses(prefix: str = "", **_: object) -> list[str]:
    """How a call can have ended."""
    from oneclaw.operations.log import STATUSES

    return fitting(prefix, STATUSES)


def history_formats(prefix: str, **_: object) -> list[str]:
    """Formats of foreign histories."""
    from oneclaw.agent.foreign import FORMATS

    return fitting(prefix, FORMATS)


def tool_names(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The names Tab offers where a tool is wanted: from a list and manifests; no tool is loaded for it."""
    from oneclaw.operations import names

    return fitting(prefix, _of_settings(parsed_args, names.tool_names))


def setting_names(prefix: str, **_: object) -> list[str]:
    """The settings Tab offers; `*` stands for a name."""
    from oneclaw.core.settings.schema import SETTINGS

    return [setting.key for setting in SETTINGS if setting.key.startswith(prefix)]


def setting_values(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The values that a setting can have, where they are few."""
    from oneclaw.core.settings.schema import find

    found = find(parsed_args.name or "")
    if found is None or parsed_args.action != "set":
        return []
    if found[0].key == "models.default":
        return model_names(prefix, parsed_args)
    return fitting(prefix, ("true", "false") if found[0].kind is bool else found[0].choices)


def feature_names(prefix: str, **_: object) -> list[str]:
    """The features Tab offers: ours."""
    from oneclaw.agent.features import FEATURES

    return fitting(prefix, (feature.name for feature in FEATURES))


def tools_words(prefix: str, parsed_args: argparse.Namespace, **_: object) -> "Iterable[str]":
    """Completes arguments of `oneclaw tools` actions."""
    action = parsed_args.action
    if action in ("check", "trust", "untrust"):
        from argcomplete.completers import DirectoriesCompleter, FilesCompleter

        endings = FilesCompleter((".json", ".js")) if action == "check" else DirectoriesCompleter()
        return endings(prefix)
    if action in ("new", "reload"):
        return []
    if action == "test":
        from oneclaw.operations.names import written_tools

        return fitting(prefix, _of_settings(parsed_args, written_tools))
    names = tool_names(prefix, parsed_args)
    if action not in ("on", "off", "reset"):
        return names
    groups = group_names(prefix, parsed_args) if prefix.startswith("g") else []
    return [*names, *feature_names(prefix), *groups]


def group_names(prefix: str, parsed_args: argparse.Namespace) -> list[str]:
    """The groups whose tools are switched together."""
    from oneclaw.cli.opened import open_app
    from oneclaw.core.permit.policy import GROUP

    registry = open_app(parsed_args).registry
    groups = {tool.definition.group for tool in registry if tool.definition.switchable}
    return sorted(f"{GROUP}{group}" for group in groups if group and f"{GROUP}{group}".startswith(prefix))


def plugin_names(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The plugins Tab offers: found, and not asked for their tools."""
    from oneclaw.operations import names

    return fitting(prefix, _of_settings(parsed_args, names.plugin_names))


def mcp_words(prefix: str, parsed_args: argparse.Namespace, **_: object) -> "Iterable[str]":
    """Completes arguments of `oneclaw mcp` actions: names of servers, or files."""
    if parsed_args.action == "import":
        from argcomplete.completers import FilesCompleter

        return FilesCompleter()(prefix)
    if parsed_args.action == "add":
        return []
    return fitting(prefix, _of_settings(parsed_args, lambda config: config.settings.mcp.servers))


def skills_words(prefix: str, parsed_args: argparse.Namespace, **_: object) -> "Iterable[str]":
    """Completes arguments of `oneclaw skills` actions: names or folders."""
    action, names = parsed_args.action, list[str]()
    if action in ("show", "remove", "check"):
        from oneclaw.operations.skills import skill_names

        names = fitting(prefix, _of_settings(parsed_args, skill_names))
    if action in ("add", "trust", "untrust") or (action == "check" and not names):
        from argcomplete.completers import DirectoriesCompleter

        return DirectoriesCompleter()(prefix)
    return names


def model_names(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The models Tab offers: those we know, and the providers whose models we do not."""
    from oneclaw.operations import names

    return fitting(prefix, _of_settings(parsed_args, names.model_names))


def models_words(prefix: str, parsed_args: argparse.Namespace, **_: object) -> "Iterable[str]":
    """Completes arguments of `oneclaw models` actions: models or files."""
    if parsed_args.provider == "add":
        from argcomplete.completers import FilesCompleter

        return FilesCompleter((".gguf",))(prefix)
    if parsed_args.provider not in ("default", "remove"):
        return []
    found = model_names(prefix, parsed_args)
    return found if parsed_args.provider == "default" else [name for name in found if "local/" in name]


def provider_names(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The providers Tab offers."""
    from oneclaw.operations import names

    return fitting(prefix, _of_settings(parsed_args, names.provider_names))


def keys_words(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The providers that need a key."""
    from oneclaw.operations import names

    return fitting(prefix, _of_settings(parsed_args, names.keyed_providers))


def token_names(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The tokens that can be revoked."""
    from oneclaw.operations.access import AccessBook, access_file

    if parsed_args.action != "revoke":
        return []
    found = _of_settings(parsed_args, lambda config: AccessBook(access_file(config.home)).tokens())
    return fitting(prefix, (token.name for token in found))


def fitting(prefix: str, names: "Iterable[str]") -> list[str]:
    return [name for name in names if name.startswith(prefix)]


def _of_settings(
    parsed_args: argparse.Namespace, find: "Callable[[Config], CompletionNames]"
) -> "CompletionNames | tuple[()]":
    """Names found through the settings; empty when they are invalid."""
    from oneclaw.cli.opened import read_config
    from oneclaw.core.errors import OneClawError

    try:
        return find(read_config(parsed_args))
    except OneClawError:
        return ()
