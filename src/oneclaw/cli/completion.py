"""`oneclaw completion`: shell completion for commands, options and names."""

import argparse
from typing import TYPE_CHECKING, TypeVar

from oneclaw.cli.parser import Parser

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from oneclaw.config import Config
    from oneclaw.operations.reading import Store

CompletionNames = TypeVar("CompletionNames")

_MOST_OFFERED = 50

EPILOG = """\
Put one of these where your shell starts:
  bash, zsh:  eval "$(oneclaw completion bash)"
  fish:       oneclaw completion fish | source
"""


def configure(parser: Parser) -> None:
    parser.add("shell", choices=("bash", "zsh", "fish", "tcsh", "powershell"), help="your shell")


def run(arguments: argparse.Namespace) -> int:
    from argcomplete.shell_integration import shellcode

    print(shellcode(["oneclaw"], shell=arguments.shell))
    return 0


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer the shell that asks for the words that fit; does not return."""
    import argcomplete

    argcomplete.autocomplete(parser)


def call_words(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """Completes parameter names of a tool: `path=`."""
    from oneclaw.operations.names import parameter_names

    if "=" in prefix:
        return []
    names = _of_settings(parsed_args, lambda config: parameter_names(config, parsed_args.name))
    return [f"{name}=" for name in names if name.startswith(prefix)]


def help_topics(prefix: str, **_: object) -> list[str]:
    """The topics of the help, and the commands that have none."""
    from oneclaw.cli.help import topics
    from oneclaw.cli.main import COMMANDS

    return _fitting(prefix, dict.fromkeys((*topics(), *COMMANDS)))


def statuses(prefix: str = "", **_: object) -> list[str]:
    """How a call can have ended."""
    from oneclaw.operations.log import STATUSES

    return _fitting(prefix, STATUSES)


def history_formats(prefix: str, **_: object) -> list[str]:
    """Formats of foreign histories."""
    from oneclaw.agent.foreign import FORMATS

    return _fitting(prefix, FORMATS)


def tool_names(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The names Tab offers where a tool is wanted: from a list and manifests; no tool is loaded for it."""
    from oneclaw.operations import names

    return _fitting(prefix, _of_settings(parsed_args, names.tool_names))


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
    return _fitting(prefix, ("true", "false") if found[0].kind is bool else found[0].choices)


def feature_names(prefix: str, **_: object) -> list[str]:
    """The features Tab offers: ours."""
    from oneclaw.agent.features import FEATURES

    return _fitting(prefix, (feature.name for feature in FEATURES))


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

        return _fitting(prefix, _of_settings(parsed_args, written_tools))
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


def grant_ids(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The remembered answers that can be revoked."""
    if parsed_args.action != "revoke":
        return []
    grants = _read(parsed_args, lambda store: store.grants.all()) or ()
    return _fitting(prefix, (grant.id for grant in grants))


def plugin_names(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The plugins Tab offers: found, and not asked for their tools."""
    from oneclaw.operations import names

    return _fitting(prefix, _of_settings(parsed_args, names.plugin_names))


def skills_words(prefix: str, parsed_args: argparse.Namespace, **_: object) -> "Iterable[str]":
    """Completes arguments of `oneclaw skills` actions: names or folders."""
    action, names = parsed_args.action, list[str]()
    if action in ("show", "remove", "check"):
        from oneclaw.operations.skills import skill_names

        names = _fitting(prefix, _of_settings(parsed_args, skill_names))
    if action in ("add", "trust", "untrust") or (action == "check" and not names):
        from argcomplete.completers import DirectoriesCompleter

        return DirectoriesCompleter()(prefix)
    return names


def agent_names(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The agents Tab offers: those of the files and of the store."""
    from oneclaw.cli.opened import open_app

    roster = open_app(parsed_args).agents
    roster.saved = _read(parsed_args, lambda store: store.agents.all()) or {}
    return _fitting(prefix, roster.all())


def model_names(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The models Tab offers: those we know, and the providers whose models we do not."""
    from oneclaw.operations import names

    return _fitting(prefix, _of_settings(parsed_args, names.model_names))


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

    return _fitting(prefix, _of_settings(parsed_args, names.provider_names))


def keys_words(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The providers that need a key."""
    from oneclaw.operations import names

    return _fitting(prefix, _of_settings(parsed_args, names.keyed_providers))


def memory_words(prefix: str, parsed_args: argparse.Namespace, **_: object) -> "Iterable[str]":
    """Completes arguments of `oneclaw memory` actions: keys or files."""
    if parsed_args.action in ("export", "import"):
        from argcomplete.completers import FilesCompleter

        return FilesCompleter((".json",))(prefix)
    if parsed_args.action not in ("show", "forget"):
        return []
    found = _read(parsed_args, lambda store: store.memories.of(parsed_args.agent).all()) or ()
    return [memory.key for memory in found if memory.key.startswith(prefix)][:_MOST_OFFERED]


def session_ids(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The sessions Tab offers: the last ones, and `last`."""
    found = _read(parsed_args, lambda store: store.sessions.totals(limit=50))
    ids = [] if found is None else ["last", *(each.session.id for each in found)]
    return _fitting(prefix, ids)


def run_ids(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The runs Tab offers: those that were interrupted."""
    found = _read(parsed_args, lambda store: store.runs.list(state="interrupted")) or []
    return _fitting(prefix, (each.id for each in found))


def undo_words(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The calls and runs Tab offers: the last ones."""
    runs = _read(parsed_args, lambda store: store.runs.list()) or []
    calls = _read(parsed_args, lambda store: store.calls.history(limit=20)) or []
    changing = [str(call.key) for call in calls if call.effect != "read"]
    return _fitting(prefix, (*changing, *(run.id.rpartition("-")[2][:8] for run in runs)))


def _fitting(prefix: str, names: "Iterable[str]") -> list[str]:
    return [name for name in names if name.startswith(prefix)]


def _of_settings(
    parsed_args: argparse.Namespace, find: "Callable[[Config], Iterable[str]]"
) -> "Iterable[str]":
    """Names found through the settings; empty when they are invalid."""
    from oneclaw.cli.opened import read_config
    from oneclaw.core.errors import OneClawError

    try:
        return find(read_config(parsed_args))
    except OneClawError:
        return ()


def question_ids(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The questions Tab offers: those that wait for an answer."""
    found = _read(parsed_args, lambda store: store.questions.list()) or []
    return [each.question.id for each in found if each.question.id.startswith(prefix)]


def answer_words(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """Completes the answers of a question."""
    record = _read(parsed_args, lambda store: store.questions.find(parsed_args.name))
    if record is None or parsed_args.words:
        return []
    fields = (record.question.schema or {}).get("properties", {})
    yes = ("yes",) if record.question.kind == "permission" else ()
    offered = (*yes, *record.question.answers, *(f"{name}=" for name in fields))
    return [each for each in offered if each.startswith(prefix)]


def _read(
    parsed_args: argparse.Namespace, read: "Callable[[Store], Awaitable[CompletionNames]]"
) -> "CompletionNames | None":
    """Names found in the store; None without a store."""
    import asyncio

    from oneclaw.cli.opened import read_config
    from oneclaw.operations.reading import reading

    async def look() -> "CompletionNames | None":
        with reading(read_config(parsed_args)) as store:
            return None if store is None else await read(store)

    return asyncio.run(look())
