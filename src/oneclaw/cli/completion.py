"""`oneclaw completion`: the line that teaches a shell to complete our words."""

import argparse
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping

    from oneclaw.store.store import Store

Found = TypeVar("Found")

_MOST_OFFERED = 50

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
    """What Tab offers behind a tool: the names of its parameters, as `path=`."""
    from oneclaw.tools.builtin import NAMES, load

    if "=" in prefix:
        return []
    if parsed_args.name in NAMES:
        names = list(load(parsed_args.name).definition.parameters["properties"])
    else:
        names = list(written_tools(parsed_args).get(parsed_args.name, ()))
    return [f"{name}=" for name in names if name.startswith(prefix)]


def statuses(prefix: str = "", **_: object) -> list[str]:
    """How a call can have ended."""
    from oneclaw.core.errors import Kind

    names = ("open", "success", "error", *(kind.value for kind in Kind))
    return [name for name in names if name.startswith(prefix)]


def history_formats(prefix: str, **_: object) -> list[str]:
    """What a history of another agent can be written in."""
    from oneclaw.agent.foreign import FORMATS

    return [name for name in FORMATS if name.startswith(prefix)]


def tool_names(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The names Tab offers where a tool is wanted: from a list and manifests; no tool is loaded for it."""
    from oneclaw.tools.builtin import NAMES

    names = dict.fromkeys((*NAMES, *written_tools(parsed_args)))
    return [name for name in names if name.startswith(prefix)]


def setting_names(prefix: str, **_: object) -> list[str]:
    """The settings Tab offers; `*` stands for a name."""
    from oneclaw.core.settings.schema import SETTINGS

    return [setting.key for setting in SETTINGS if setting.key.startswith(prefix)]


def feature_names(prefix: str, **_: object) -> list[str]:
    """The features Tab offers: ours."""
    from oneclaw.agent.features import FEATURES

    return [feature.name for feature in FEATURES if feature.name.startswith(prefix)]


def tools_words(prefix: str, parsed_args: argparse.Namespace, **_: object) -> "Iterable[str]":
    """What Tab offers behind an action of `oneclaw tools`."""
    action = parsed_args.action
    if action in ("check", "trust", "untrust"):
        from argcomplete.completers import DirectoriesCompleter, FilesCompleter

        endings = FilesCompleter((".json", ".js")) if action == "check" else DirectoriesCompleter()
        return endings(prefix)
    if action in ("new", "reload"):
        return []
    if action == "test":
        return [name for name in written_tools(parsed_args) if name.startswith(prefix)]
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
    return [grant.id for grant in grants if grant.id.startswith(prefix)]


def written_tools(parsed_args: argparse.Namespace) -> "dict[str, Mapping[str, object]]":
    """The tools that manifests name, with their parameters, as they are written: nothing is checked."""
    from oneclaw.cli.opened import read_config
    from oneclaw.core.errors import OneClawError
    from oneclaw.js.loader import BUILTIN, list_parameters

    try:
        config = read_config(parsed_args)
        folders = (BUILTIN, config.tools_folder, config.project_folder / "tools")
        return {name: found for folder in folders for name, found in list_parameters(folder)}
    except (OneClawError, OSError):
        return {}


def plugin_names(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The plugins Tab offers: found, and not asked for their tools."""
    import sys

    from oneclaw.cli.opened import read_config
    from oneclaw.plugins.found import find_files, find_packages

    found = [*find_files(read_config(parsed_args).tools_folder), *find_packages(sys.path)]
    return sorted({each.name for each in found if each.name.startswith(prefix)})


def agent_names(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The agents Tab offers: those of the files and of the store."""
    from oneclaw.cli.opened import open_app

    roster = open_app(parsed_args).agents
    roster.saved = _read(parsed_args, lambda store: store.agents.all()) or {}
    return [name for name in roster.all() if name.startswith(prefix)]


def model_names(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The models Tab offers: those we know, and the providers whose models we do not."""
    from oneclaw.cli.opened import read_config
    from oneclaw.providers.catalog import Catalog

    config = read_config(parsed_args)
    catalog = Catalog(config.under("models"), config.under("providers"))
    known = catalog.known_models()
    bare = [
        f"{name}/" for name in catalog.providers() if not any(one.startswith(f"{name}/") for one in known)
    ]
    return [name for name in (*known, *bare) if name.startswith(prefix)]


def provider_names(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The providers Tab offers."""
    from oneclaw.cli.opened import read_config
    from oneclaw.providers.catalog import Catalog

    config = read_config(parsed_args)
    catalog = Catalog(config.under("models"), config.under("providers"))
    return [name for name in catalog.providers() if name.startswith(prefix)]


def memory_words(prefix: str, parsed_args: argparse.Namespace, **_: object) -> "Iterable[str]":
    """What Tab offers behind an action of `oneclaw memory`: keys, or files."""
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
    return [each for each in ids if each.startswith(prefix)]


def run_ids(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The runs Tab offers: those that were interrupted."""
    found = _read(parsed_args, lambda store: store.runs.list(state="interrupted")) or []
    return [each.id for each in found if each.id.startswith(prefix)]


def _read(parsed_args: argparse.Namespace, read: "Callable[[Store], Awaitable[Found]]") -> "Found | None":
    """What `read` finds in the store; None where there is no store."""
    import asyncio

    from oneclaw.cli.opened import read_config
    from oneclaw.store.store import Store

    file = read_config(parsed_args).store_file
    if not file.exists():
        return None

    async def look() -> "Found":
        with Store(file, read_only=True) as store:
            return await read(store)

    return asyncio.run(look())
