"""Providers of other packages, found by their entry points in the group `oneclaw.providers`.

The name of an entry point is that of a provider (`acme`, for every `acme/MODEL`) or of one model
(`local/smollm2`). It refers to a `ProviderPackage`. A package is imported when one of its models is named
or listed, not before.
"""

import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from oneclaw.core.errors import InvalidConfig, describe
from oneclaw.core.tool import ToolDefinition
from oneclaw.guard.entry_points import find_entry_points
from oneclaw.providers.base import Provider
from oneclaw.providers.model import Model

if TYPE_CHECKING:
    from oneclaw.providers.local.processes import ModelProcesses

GROUP = "oneclaw.providers"
KNOWN = {"local/smollm2": "oneclaw-smollm2"}
"""Models whose packages are named to whoever asks for one that is not installed."""

FetchProgress = Callable[[int, int], None]
"""Is told how many bytes have come, and of how many."""


@dataclass(frozen=True, slots=True)
class ProviderHost:
    """The services that OneClaw offers to a provider of a package.

    key        gives its key, None where it declares none; raises `ProviderError` when it is not set
    cache      a folder for files that can be fetched again
    processes  runs GGUF files with llama.cpp, each in a process of its own
    """

    key: Callable[[], str | None]
    cache: Path
    processes: "ModelProcesses"


@dataclass(frozen=True, slots=True)
class Download:
    """Files that a provider needs before it can answer; both functions are given the cache folder.

    bytes_missing  how much has to be fetched; 0 when all is there
    fetch          fetches it; raises `OneClawError`
    """

    bytes_missing: Callable[[Path], int]
    fetch: Callable[[Path, FetchProgress | None], Awaitable[object]]


@dataclass(frozen=True, slots=True, eq=False)
class ProviderPackage:
    """A provider that a package brings.

    open          makes the provider, once, when one of its models is first asked
    models        the models it has, each named by what stands after the slash; others may be asked for too
    key           the name of the secret that holds its key
    is_local      whether it runs on this machine
    introduction  what people are told before a conversation with it
    runs_gguf     whether it runs GGUF files: then llama.cpp has to be installed
    download      the files it needs before it can answer
    """

    open: Callable[[ProviderHost], Provider]
    models: tuple[Model, ...] = ()
    key: str | None = None
    is_local: bool = False
    introduction: str = ""
    runs_gguf: bool = False
    download: Download | None = None


@runtime_checkable
class WarmProvider(Protocol):
    """A provider that can get ready for a model and its tools before the first message."""

    async def warm(self, model: str, tools: Sequence[ToolDefinition]) -> None: ...


class ProviderPackages:
    """The provider packages that are installed."""

    def __init__(self, path: Sequence[str] | None = None) -> None:
        self._path = path
        self._loaded: dict[str, ProviderPackage] = {}

    def names(self) -> tuple[str, ...]:
        """The names of all entry points: providers, and models with their provider."""
        return tuple(self._references)

    def get(self, name: str) -> ProviderPackage | None:
        """The package that answers for a model or a provider; None where there is none.

        Raises `InvalidConfig` for one that cannot be loaded, and for a known one that is not installed.
        """
        found = next((each for each in (name, name.partition("/")[0]) if each in self._references), None)
        if found is None:
            if name in KNOWN:
                raise InvalidConfig(f"{name} is not installed: `pip install {KNOWN[name]}` installs it.")
            return None
        if found not in self._loaded:
            self._loaded[found] = _load(found, self._references[found])
        return self._loaded[found]

    @cached_property
    def _references(self) -> dict[str, str]:
        """The targets of the entry points by name; the first on the path wins."""
        found: dict[str, str] = {}
        for _, references in find_entry_points(GROUP, sys.path if self._path is None else self._path):
            found = references | found
        return found


def _load(name: str, reference: str) -> ProviderPackage:
    module, _, attributes = reference.partition(":")
    try:
        value: Any = import_module(module)
        for attribute in filter(None, attributes.split(".")):
            value = getattr(value, attribute)
    except Exception as error:
        raise InvalidConfig(
            f"The package of the provider {name} cannot be loaded ({describe(error)[:300]}); install it"
            " again, or use another model."
        ) from error
    if not isinstance(value, ProviderPackage):
        raise InvalidConfig(
            f"The entry point {name} = {reference} is no ProviderPackage; its package has to be mended."
        )
    return value
