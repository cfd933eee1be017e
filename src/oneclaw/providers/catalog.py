"""Catalogue of providers and models: shipped tables and the owner's settings."""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from oneclaw.core.errors import InvalidConfig, NotFound
from oneclaw.core.settings.tree import ModelSettings, ModelTable, ProviderTable
from oneclaw.providers.http.address import is_private, parse_base
from oneclaw.providers.model import Model, Price
from oneclaw.providers.packages import ProviderPackage, ProviderPackages

if TYPE_CHECKING:
    from oneclaw.providers.local.models import LocalModels

LOCAL = "local"
"""The provider whose models run on this machine, in processes of ours."""
SMALL_TOOLS = (
    *("edit_file", "execute_shell_command", "find_files", "get_current_time", "get_location_from_ip"),
    *("list_files", "memory_forget", "memory_reinforce", "memory_store", "open_url", "read_file"),
    *("search_text", "web_search", "write_file"),
)
"""Default tools of small models, unless `models.small_tools` is set."""

UNKNOWN_WINDOW = 128_000
UNKNOWN_LOCAL_WINDOW = 32_768
LEAST_WINDOW_OF_ALL_TOOLS = 8_192
"""A model that reads less, as its server says, is small: all tools would leave it no room."""

_UNSET, _NOTHING_SET = ModelTable(), ProviderTable()
_SECRET_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}\Z")
# What may follow the name of a model without making it another one: `-20250929`, `-2024-08-06`, `-001`.
_VERSION = re.compile(r"(?:[-@](?:\d{3,8}|\d\d-\d\d|0|latest|preview|exp))*\Z")


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """Address, wire format and limits of one provider; `key` names the secret that holds its key."""

    name: str
    wire: str
    base_url: str
    key: str | None = None
    text_calls: bool = _NOTHING_SET.text_calls
    strict: bool = False
    attempts: int = _NOTHING_SET.attempts
    idle_seconds: float = _NOTHING_SET.idle_seconds
    total_seconds: float = _NOTHING_SET.total_seconds
    is_local: bool = False


class Catalog:
    """The providers and models of the shipped tables, and of the settings `models` and `providers`.

    The tables are read when the first thing is asked that is in them. `local` has the GGUF files of this
    machine, `packages` the providers of other packages; a name in a table or a setting comes before these.
    """

    def __init__(
        self,
        models: ModelSettings | None = None,
        providers: Mapping[str, ProviderTable] | None = None,
        local: "LocalModels | None" = None,
        packages: ProviderPackages | None = None,
    ) -> None:
        self.local = local
        self.packages = packages or ProviderPackages(())
        self._settings = models or ModelSettings()
        self._set_providers = providers or {}
        self._learned: dict[str, int] = {}

    def take_up(self, models: ModelSettings) -> None:
        """Have these settings for models from now on."""
        self._settings = models

    @property
    def default(self) -> str | None:
        """The model that answers when an agent names none."""
        named = self._settings.default
        return self.full_name(named) if named else None

    @property
    def fallbacks(self) -> tuple[str, ...]:
        return tuple(self.full_name(name) for name in self._settings.fallbacks)

    @property
    def small_tools(self) -> tuple[str, ...]:
        """The tools that small models get."""
        return SMALL_TOOLS if self._settings.small_tools is None else self._settings.small_tools

    @property
    def date(self) -> str:
        """The day of the tables, as `2026-01-31`."""
        return str(self._models["date"])

    def full_name(self, name: str) -> str:
        """`provider/model` of a name that may lack its provider; raises `InvalidConfig`."""
        provider, slash, model = name.partition("/")
        if slash and provider and model:
            return name
        home = None if slash else _longest(self._models["homes"], name.lower())
        if home is None:
            raise InvalidConfig(
                f"The model is named {name[:80]!r}: write it as provider/model, as ollama/llama3.2 or"
                " anthropic/claude-sonnet-4-5. `oneclaw models` lists the providers."
            )
        return f"{home}/{name}"

    def model(self, name: str) -> Model:
        """Looks a model up: the owner's settings, then the table, then its family."""
        name = self.full_name(name)
        package, own = self.package(name), self._set_models.get(name, _UNSET)
        if package is not None:
            return self._packaged_model(name, package)
        if self.local is not None and name.startswith(f"{LOCAL}/"):
            known = self.local.get(name.removeprefix(f"{LOCAL}/"))
            window = own.window or self.local.window_of(known)
            return Model(name, window, None, _price(name, own, {}), bool(own.small))
        provider = name.partition("/")[0]
        is_known = provider in self._providers or provider in self._set_providers
        is_local = is_known and self.provider(provider).is_local
        rows: Mapping[str, Any] = self._models["models"]
        versions = (row for row in rows if name.startswith(row) and _VERSION.match(name, len(row)))
        table: Mapping[str, Any] = rows.get(max(versions, key=len, default=""), {})
        learned = self._learned.get(name)
        known = own.window or table.get("window") or learned
        is_tight = learned is not None and known == learned < LEAST_WINDOW_OF_ALL_TOOLS
        return Model(
            name,
            known or self._family_window(name, is_local),
            table.get("most_output"),
            _price(name, own, table),
            is_tight if own.small is None else own.small,
            is_window_known=bool(known),
        )

    def learn_window(self, name: str, tokens: int) -> None:
        """Take what the server of a model says that it reads, where nobody said otherwise."""
        self._learned[self.full_name(name)] = tokens

    def known_models(self) -> tuple[str, ...]:
        """The full names of all models in the table and in the settings, in order."""
        local = () if self.local is None else (f"{LOCAL}/{name}" for name in self.local.all())
        packaged = (name for name in self.packages.names() if "/" in name)
        return tuple(sorted({*self._models["models"], *self._set_models, *local, *packaged}))

    def providers(self) -> tuple[str, ...]:
        """The names of all providers, in order."""
        local = () if self.local is None else (LOCAL,)
        packaged = (name.partition("/")[0] for name in self.packages.names())
        return tuple(sorted({*self._providers, *self._set_providers, *local, *packaged}))

    def package(self, name: str) -> ProviderPackage | None:
        """The package whose provider answers for a model, or for a provider; None where no package does.

        Raises `InvalidConfig` for one that cannot be loaded, and for one that is known and not installed.
        """
        provider, _, bare = name.partition("/")
        own = self._set_providers.get(provider)
        is_table = provider in self._providers or (own is not None and bool(own.base_url))
        is_file = provider == LOCAL and self.local is not None and bare in self.local.all()
        return None if is_table or is_file else self.packages.get(name)

    def holder(self, secret: str) -> str | None:
        """The provider, in the table or the settings, whose key this secret is; None where it is no key."""
        return self._holders.get(secret.casefold())

    def provider(self, name: str) -> ProviderSettings:
        """The settings of a provider; raises `InvalidConfig` for an unknown one."""
        if name == LOCAL and self.local is not None:
            return ProviderSettings(LOCAL, wire="", base_url="", is_local=True)
        own, table, package = self._set_providers.get(name), self._providers.get(name), self.package(name)
        if package is not None:
            key = (own.key if own else None) or package.key
            return ProviderSettings(name, wire="", base_url="", key=key, is_local=package.is_local)
        if own is None and table is None:
            raise self._unknown_provider(name)
        said, shipped = own or _NOTHING_SET, table or _NOTHING_SET
        wire, base_url, key = said.wire or shipped.wire, said.base_url or shipped.base_url, said.key
        if not wire or not base_url:
            missing = [field for field, value in (("wire", wire), ("base_url", base_url)) if not value]
            raise InvalidConfig(
                f"The provider {name} has no {' and no '.join(missing)}: set it below [providers.{name}]."
            )
        key = key or shipped.key
        _check_key(name, key)
        # A server on this machine that the owner gave a key may be a gateway to anything.
        needs_no_key = not (key if table is None else shipped.key)
        return ProviderSettings(
            name,
            wire,
            base_url.rstrip("/"),
            key,
            said.text_calls,
            bool(shipped.strict if said.strict is None else said.strict),
            said.attempts,
            said.idle_seconds,
            said.total_seconds,
            is_local=needs_no_key and is_private(parse_base(base_url, name).host),
        )

    def _unknown_provider(self, name: str) -> NotFound:
        from difflib import get_close_matches

        near = get_close_matches(name, self.providers(), n=3, cutoff=0.5)
        hint = f"Did you mean {' or '.join(near)}?" if near else f"There are {', '.join(self.providers())}."
        add = f"To add one, set its wire and base_url below [providers.{name[:80]}]."
        return NotFound("provider", name[:80], "models", hint=f"{hint} {add}")

    def _packaged_model(self, name: str, package: ProviderPackage) -> Model:
        """The model as its package and the owner describe it; one that is not listed is like any other."""
        own, bare = self._set_models.get(name, _UNSET), name.partition("/")[2]
        known = next((model for model in package.models if model.name == bare), None)
        known = known or Model(bare, self._family_window(name, package.is_local))
        return replace(
            known,
            name=name,
            window=own.window or known.window,
            price=_price(name, own, {}) or known.price,
            is_small=known.is_small if own.small is None else own.small,
            tools=known.tools if self._settings.small_tools is None else (),
        )

    def _family_window(self, name: str, is_local: bool) -> int:
        bare = name.rpartition("/")[2].lower()
        if is_local:
            return _longest(self._models["local_families"], bare) or UNKNOWN_LOCAL_WINDOW
        return _longest(self._models["families"], bare) or UNKNOWN_WINDOW

    @cached_property
    def _holders(self) -> dict[str, str]:
        """Providers by the names of their keys: case does not tell the variables of every system apart."""
        rows = [*self._providers.items(), *self._set_providers.items()]
        found = {table.key.casefold(): name for name, table in rows if table.key}
        for name in self.packages.names():
            with suppress(InvalidConfig):  # a package that cannot be loaded can use no key
                package = self.package(name)
                if package is not None and package.key:
                    found.setdefault(package.key.casefold(), name)
        return found

    @cached_property
    def _set_models(self) -> dict[str, ModelTable]:
        """The owner's model settings, by full name."""
        return {self.full_name(name): own for name, own in self._settings.named.items()}

    @cached_property
    def _models(self) -> dict[str, Any]:
        return _read("models.toml")

    @cached_property
    def _providers(self) -> dict[str, ProviderTable]:
        return {name: ProviderTable(**row) for name, row in _read("providers.toml")["providers"].items()}


def _check_key(provider: str, key: str | None) -> None:
    """Refuse a key that stands where its name belongs, without a word of it."""
    from oneclaw.guard.secret.shapes import mask

    if key and (not _SECRET_NAME.match(key) or mask(key) != key):
        raise InvalidConfig(
            f"providers.{provider}.key is no name of a secret but looks like a key itself. Write a name,"
            f" as {provider.upper().replace('-', '_')}_API_KEY, and the key into that environment variable or"
            " into the secrets file."
        )


def _price(name: str, own: ModelTable, table: Mapping[str, Any]) -> Price | None:
    known = None
    if "input" in table:
        known = Price(table["input"], table["output"], table.get("cached"), table.get("cache_written"))
    read, written = own.input_price, own.output_price
    if read is None and written is None:
        return known
    if known is None:
        if read is None or written is None:
            raise InvalidConfig(f"The price of {name} is half set: set both input_price and output_price.")
        return Price(read, written)
    written = known.output if written is None else written
    # With another price for what is read, those of the cache are not known any more.
    return replace(known, output=written) if read is None else Price(read, written)


def _longest(table: Mapping[str, Any], name: str) -> Any:
    """The value of the longest key that `name` begins with, or None."""
    return table.get(max((start for start in table if name.startswith(start)), key=len, default=""))


def _read(name: str) -> dict[str, Any]:
    import tomllib
    from importlib.resources import files

    text = files("oneclaw.providers.data").joinpath(name).read_text(encoding="utf-8")
    return tomllib.loads(text)
