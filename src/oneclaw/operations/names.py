"""Names for completion, found without loading their modules."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from oneclaw.config import Config
from oneclaw.core.errors import OneClawError

if TYPE_CHECKING:
    from oneclaw.providers.catalog import Catalog


def tool_names(config: Config) -> list[str]:
    """Our tools and those that manifests name."""
    from oneclaw.tools.builtin import NAMES

    return list(dict.fromkeys((*NAMES, *written_tools(config))))


def parameter_names(config: Config, tool: str) -> list[str]:
    """The parameters of one of these tools."""
    from oneclaw.tools.builtin import NAMES, load

    if tool in NAMES:
        return list(load(tool).definition.parameters["properties"])
    return list(written_tools(config).get(tool, ()))


def written_tools(config: Config) -> dict[str, Mapping[str, object]]:
    """The tools that manifests name, with their parameters, as they are written: nothing is checked."""
    from oneclaw.js.loader import BUILTIN, list_parameters

    try:
        folders = (BUILTIN, *config.tool_folders, config.project_folder / "tools")
        return {name: found for folder in folders for name, found in list_parameters(folder)}
    except (OneClawError, OSError):
        return {}


def plugin_names(config: Config) -> list[str]:
    """The plugins, found and not asked for their tools."""
    from oneclaw.plugins.discovery import find_files, find_packages

    found = [
        *(file for folder in config.tool_folders for file in find_files(folder)),
        *find_packages(sys.path),
    ]
    return sorted({each.name for each in found})


def _catalog(config: Config) -> "Catalog":
    from oneclaw.providers.catalog import Catalog
    from oneclaw.providers.packages import ProviderPackages

    packages = ProviderPackages()
    return Catalog(config.settings.models, config.settings.providers, packages=packages)


def provider_names(config: Config) -> tuple[str, ...]:
    return tuple(_catalog(config).providers())


def model_names(config: Config) -> list[str]:
    """The models that are known, and the providers whose models are not."""
    catalog = _catalog(config)
    known = catalog.known_models()
    bare = [name for name in catalog.providers() if not any(one.startswith(f"{name}/") for one in known)]
    return [*known, *(f"{name}/" for name in bare)]


def keyed_providers(config: Config) -> list[str]:
    """The providers that need a key."""
    catalog = _catalog(config)
    return [name for name in catalog.providers() if catalog.provider(name).key]
