"""Finds the provider of a model by name, and opens each provider once."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from oneclaw.core.errors import InvalidConfig, MissingKey, ToolError
from oneclaw.core.session import Network
from oneclaw.core.subschema import is_object
from oneclaw.providers.base import Provider, ProviderError, Wire
from oneclaw.providers.catalog import LOCAL, Catalog, ProviderSettings
from oneclaw.providers.http.remote import RemoteProvider
from oneclaw.providers.packages import ProviderHost, ProviderPackage

if TYPE_CHECKING:
    from oneclaw.providers.local.processes import ModelProcesses

CHECK_SECONDS = 5.0
WINDOW_SECONDS = 2.0
SCRIPTED = "scripted"
"""The provider whose models are files: `scripted/replies.json` plays that script."""

# Where each format lists its models: the path, the field of the list, and the field of a name in it.
_LISTS = {
    "openai_chat": ("/models", "data", "id"),
    "openai_responses": ("/models", "data", "id"),
    "anthropic": ("/v1/models?limit=1000", "data", "id"),
    "gemini": ("/v1beta/models?pageSize=1000", "models", "name"),
    "gemini_parameters": ("/v1beta/models?pageSize=1000", "models", "name"),
}


class Providers:
    """The providers of the catalogue, and those an owner made in code: `made`, by name.

    `secrets` gives the value of a secret by its name and raises `ToolError` when it is not set.
    """

    def __init__(
        self,
        catalog: Catalog,
        *,
        secrets: Callable[[str], str],
        network: Network | None = None,
        extra: Mapping[str, Provider] | None = None,
    ) -> None:
        self.catalog = catalog
        self._secrets = secrets
        self._network = network or Network()
        self.made = dict(extra or {})
        self._opened: dict[str, RemoteProvider] = {}
        self._scripts: dict[str, Provider] = {}
        self._packaged: dict[ProviderPackage, Provider] = {}
        self._local: Provider | None = None
        self._processes: ModelProcesses | None = None
        self._asked: set[str] = set()  # models whose server was asked for their window

    def get(self, model: str) -> tuple[Provider, str]:
        """The provider of a model, and the name that it knows the model by; raises `InvalidConfig`."""
        name, _, bare = self.catalog.full_name(model).partition("/")
        if name in self.made:
            return self.made[name], bare
        package = self.catalog.package(f"{name}/{bare}")
        if package is not None:
            return self._open_package(package, name), bare
        if name == LOCAL and self.catalog.local is not None:
            from oneclaw.providers.local.provider import LocalProvider

            self._local = self._local or LocalProvider(self.catalog.local, self._model_processes())
            return self._local, bare
        return self._script(bare) if name == SCRIPTED else self._open(name), bare

    def check_key(self, model: str) -> None:
        """Raise `MissingKey` when the provider of a model needs a key that is not set."""
        name = self.catalog.full_name(model).partition("/")[0]
        secret = None if name in (*self.made, SCRIPTED) else self.catalog.provider(name).key
        try:
            _ = self._secrets(secret) if secret else None
        except ToolError as error:
            raise MissingKey(f"{name} has no key. {error.message}") from None

    async def list_models(self, name: str) -> list[str]:
        """The models a provider says it has, in order; raises `ProviderError` or `InvalidConfig`."""
        if name in self.made:
            return []
        if name == LOCAL and self.catalog.local is not None:
            from oneclaw.providers.local.engine import check_installed

            check_installed()
            split = (each.partition("/") for each in self.catalog.packages.names())
            packaged = (bare for provider, _, bare in split if provider == LOCAL)
            return sorted({*self.catalog.local.all(), *packaged})
        package = self.catalog.package(name)
        if package is not None:
            return sorted(model.name for model in package.models)
        provider = self._open(name)
        path, field, key = _LISTS[self.catalog.provider(name).wire]
        document = await provider.fetch(path, CHECK_SECONDS)
        rows: Any = document.get(field) if is_object(document) else None
        if not isinstance(rows, list):
            raise ProviderError(
                f"{name} answered, but not with a list of models. Check its base URL.", "stream"
            )
        names = (row.get(key) for row in cast("list[Any]", rows) if is_object(row))
        return sorted(each.removeprefix("models/") for each in names if isinstance(each, str))

    async def learn_windows(self, models: Iterable[str]) -> None:
        """Have servers of one's own say how much these models read, where nobody has said it yet."""
        names = {self.catalog.full_name(model) for model in models}
        async with asyncio.TaskGroup() as group:
            for name in names:
                if self._is_to_ask(name):
                    group.create_task(self._learn_window(name))

    def _is_to_ask(self, name: str) -> bool:
        provider = name.partition("/")[0]
        if name in self._asked or provider in (*self.made, SCRIPTED, LOCAL):
            return False
        with suppress(InvalidConfig):  # told when the model has its turn
            if self.catalog.package(name) is None and self.catalog.provider(provider).is_local:
                return not self.catalog.model(name).is_window_known
        return False

    async def _learn_window(self, name: str) -> None:
        from oneclaw.providers.server_window import ask_window

        provider, _, bare = name.partition("/")
        opened = self._open(provider)

        def fetch(path: str, body: Mapping[str, Any] | None) -> Awaitable[Any]:
            return opened.fetch(path, WINDOW_SECONDS, body)

        with suppress(ProviderError, TimeoutError):  # the request itself tells what is wrong
            async with asyncio.timeout(WINDOW_SECONDS):
                window = await ask_window(fetch, provider, bare)
            self._asked.add(name)
            if window is not None:
                self.catalog.learn_window(name, window)

    async def close(self) -> None:
        """Close every connection, and the providers that were given."""
        opened, self._opened = [*self._opened.values(), *self.made.values(), *self._packaged.values()], {}
        for provider in opened:
            await provider.close()
        if self._processes is not None:
            await self._processes.close()

    def _open_package(self, package: ProviderPackage, name: str) -> Provider:
        def key() -> str | None:
            secret = self.catalog.provider(name).key
            try:
                return self._secrets(secret) if secret else None
            except ToolError as error:
                raise ProviderError(f"{name} has no key. {error.message}", "key") from None

        if package not in self._packaged:
            processes = self._model_processes()
            self._packaged[package] = package.open(ProviderHost(key, processes.settings.cache, processes))
        return self._packaged[package]

    def _model_processes(self) -> "ModelProcesses":
        """The processes that the GGUF files of all providers share: one that starts ends idle ones."""
        from oneclaw.providers.local.processes import ModelProcesses

        if self._processes is None:
            assert self.catalog.local is not None
            self._processes = ModelProcesses(self.catalog.local.settings)
        return self._processes

    def _script(self, file: str) -> Provider:
        """The script of a file, which goes on where it was."""
        from oneclaw.providers.scripted import read_script

        if file not in self._scripts:
            self._scripts[file] = read_script(Path(file).expanduser())
        return self._scripts[file]

    def _open(self, name: str) -> RemoteProvider:
        if name in self._opened:
            return self._opened[name]
        settings = self.catalog.provider(name)
        secret = settings.key
        self._opened[name] = RemoteProvider(
            make_wire(settings),
            settings.base_url,
            key=lambda: self._secrets(secret) if secret else None,
            label=settings.name,
            network=self._network,
            attempts=settings.attempts,
            idle_seconds=settings.idle_seconds,
            total_seconds=settings.total_seconds,
        )
        return self._opened[name]


def make_wire(settings: ProviderSettings) -> Wire:
    """The wire format a provider speaks; only the file of that one is loaded."""
    match settings.wire:
        case "openai_responses":
            from oneclaw.providers.openai_responses.wire import OpenAIResponses

            return OpenAIResponses(strict=settings.strict)
        case "anthropic":
            from oneclaw.providers.anthropic.wire import Anthropic

            return Anthropic()
        case "gemini" | "gemini_parameters":
            from oneclaw.providers.gemini.wire import Gemini

            return Gemini(use_parameters=settings.wire == "gemini_parameters")
        case _:
            from oneclaw.providers.openai_chat.wire import OpenAIChat

            return OpenAIChat(strict=settings.strict, text_calls=settings.text_calls)
