"""Names for completion, found without loading their modules."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from oneclaw.config import Config
from oneclaw.core.errors import OneClawError
from oneclaw.core.subschema import is_array, object_of

if TYPE_CHECKING:
    from oneclaw.providers.catalog import Catalog


def tool_names(config: Config) -> list[str]:
    """Our tools and those that manifests name."""
    from oneclaw.tools.builtin import NAMES

    return list(dict.fromkeys((*NAMES, *written_tools(config))))


def parameters(config: Config, tool: str) -> dict[str, tuple[str, ...]]:
    """The parameters of one of these tools, each with its values where they are few."""
    from oneclaw.tools.builtin import NAMES, load

    found = (
        load(tool).definition.parameters["properties"] if tool in NAMES else written_tools(config).get(tool)
    )
    return {name: _values(schema) for name, schema in (found or {}).items()}


def _values(schema: object) -> tuple[str, ...]:
    """The values that a schema lists; a manifest is not checked yet, and may hold anything."""
    fields = object_of(schema)
    if fields.get("type") == "boolean":
        return ("true", "false")
    values = fields.get("enum")
    return tuple(value for value in values if isinstance(value, str)) if is_array(values) else ()


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
    from oneclaw.config import user_folder
    from oneclaw.providers.catalog import Catalog
    from oneclaw.providers.local.models import LocalModels, LocalSettings
    from oneclaw.providers.packages import ProviderPackages

    local = LocalSettings(config.home, user_folder("cache") / "models", **config.under("local"))
    settings = config.settings
    return Catalog(settings.models, settings.providers, LocalModels(local), ProviderPackages())


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
