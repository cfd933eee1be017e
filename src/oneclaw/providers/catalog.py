"""Which providers and models there are: the tables that come with us, and what the owner set."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args

from oneclaw.core.errors import InvalidConfig, NotFound
from oneclaw.core.message import Usage
from oneclaw.core.settings.tree import ModelTable, ProviderTable, Wire
from oneclaw.providers.http.address import is_private, parse_base

if TYPE_CHECKING:
    from oneclaw.providers.local.models import LocalModels

LOCAL = "local"
"""The provider whose models run on this machine, in processes of ours."""
WIRES = get_args(Wire)
SMALL_TOOLS = (
    "edit_file",
    "execute_shell_command",
    "find_files",
    "get_current_time",
    "get_location_from_ip",
    "list_files",
    "memory_forget",
    "memory_reinforce",
    "memory_store",
    "open_url",
    "read_file",
    "search_text",
    "web_search",
    "write_file",
)
"""What small models get of what is on, unless `models.small_tools` says otherwise."""

UNKNOWN_WINDOW = 128_000
UNKNOWN_LOCAL_WINDOW = 8_192

_PLAIN = ProviderTable()
_SECRET_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}\Z")
# What may follow the name of a model without making it another one: `-20250929`, `-2024-08-06`, `-001`.
_VERSION = re.compile(r"(?:[-@](?:\d{3,8}|\d\d-\d\d|0|latest|preview|exp))*\Z")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens: read, written, read from a cache, read into one."""

    input: float
    output: float
    cached: float | None = None
    cache_written: float | None = None

    def of(self, usage: Usage) -> float:
        """What this usage costs."""
        plain = max(usage.input - usage.cached - usage.cache_written, 0)
        cached = self.input if self.cached is None else self.cached
        cache_written = self.input if self.cache_written is None else self.cache_written
        dollars = plain * self.input + usage.output * self.output
        return (dollars + usage.cached * cached + usage.cache_written * cache_written) / 1_000_000


@dataclass(frozen=True, slots=True)
class Model:
    """One model: its full name, `provider/model`, what it reads and writes at most, and what it costs.

    A small one gets `tools` only, or those for small models where it has none of its own.
    `asks` are the needs a person is asked for each time it calls a tool that has them.
    """

    name: str
    window: int
    most_output: int | None = None
    price: Price | None = None
    is_small: bool = False
    tools: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()

    @property
    def provider(self) -> str:
        return self.name.partition("/")[0]


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """How one provider is reached; `key` names the secret that holds its key."""

    name: str
    wire: str
    base_url: str
    key: str | None = None
    text_calls: bool = _PLAIN.text_calls
    strict: bool = False
    attempts: int = _PLAIN.attempts
    idle_seconds: float = _PLAIN.idle_seconds
    total_seconds: float = _PLAIN.total_seconds
    is_local: bool = False


class Catalog:
    """The providers and models, given the settings below `models` and `providers` by the rest of their keys.

    The tables are read when the first thing is asked that is in them; `local` has the models of this machine.
    """

    def __init__(
        self,
        models: Mapping[str, Any] | None = None,
        providers: Mapping[str, Any] | None = None,
        local: "LocalModels | None" = None,
    ) -> None:
        self.local = local
        self._settings = dict(models or {})
        self._set_providers = _by_name(providers or {}, ProviderTable)

    @property
    def default(self) -> str | None:
        """The model that answers when an agent names none."""
        named = self._settings.get("default")
        return self.full_name(named) if named else None

    @property
    def fallbacks(self) -> tuple[str, ...]:
        return tuple(self.full_name(name) for name in self._settings.get("fallbacks", ()))

    @property
    def small_tools(self) -> tuple[str, ...]:
        """The tools that small models get."""
        return tuple(self._settings.get("small_tools", SMALL_TOOLS))

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
        """What is known of a model: the owner's settings, then the table, then its family."""
        name = self.full_name(name)
        if self.local is not None and name.startswith(f"{LOCAL}/"):
            return self._local_model(name, self.local)
        is_local = self._is_local(name.partition("/")[0])
        table = self._entry(name)
        own = self._set_models.get(name, {})
        return Model(
            name,
            own.get("window") or table.get("window") or self._family_window(name, is_local),
            table.get("most_output"),
            _price(name, own, table),
            own.get("small", False),
        )

    def known_models(self) -> tuple[str, ...]:
        """The full names of all models in the table and in the settings, in order."""
        local = () if self.local is None else (f"{LOCAL}/{name}" for name in self.local.all())
        return tuple(sorted({*self._models["models"], *self._set_models, *local}))

    def providers(self) -> tuple[str, ...]:
        """The names of all providers, in order."""
        local = () if self.local is None else (LOCAL,)
        return tuple(sorted({*self._providers, *self._set_providers, *local}))

    def holder(self, secret: str) -> str | None:
        """The provider, in the table or the settings, whose key this secret is; None where it is no key."""
        return self._holders.get(secret.casefold())

    def provider(self, name: str) -> ProviderSettings:
        """How a provider is reached; raises `InvalidConfig` for one that nobody described."""
        if self.local is not None and name == LOCAL:
            return ProviderSettings(LOCAL, wire="", base_url="", is_local=True)
        own, table = self._set_providers.get(name, {}), self._providers.get(name)
        if not own and table is None:
            from difflib import get_close_matches

            near = get_close_matches(name, self.providers(), n=3, cutoff=0.5)
            every = f"There are {', '.join(self.providers())}."
            hint = f"Did you mean {' or '.join(near)}?" if near else every
            add = f"To add one, set its wire and base_url below [providers.{name[:80]}]."
            raise NotFound("provider", name[:80], "models", hint=f"{hint} {add}")
        fields = {**(table or {}), **own}
        missing = [field for field in ("wire", "base_url") if not fields.get(field)]
        if missing:
            raise InvalidConfig(
                f"The provider {name} has no {' and no '.join(missing)}: set it below [providers.{name}]."
            )
        if fields["wire"] not in WIRES:
            raise InvalidConfig(
                f"providers.{name}.wire is {fields['wire']!r}; it must be one of {', '.join(WIRES)}."
            )
        _check_key(name, fields.get("key"))
        host = parse_base(fields["base_url"], name).host
        fields["base_url"] = fields["base_url"].rstrip("/")
        # A server on this machine that the owner gave a key may be a gateway to anything.
        needs_no_key = "key" not in (fields if table is None else table)
        return ProviderSettings(name, **fields, is_local=needs_no_key and is_private(host))

    def _local_model(self, name: str, local: "LocalModels") -> Model:
        own = self._set_models.get(name, {})
        known = local.get(name.removeprefix(f"{LOCAL}/"))
        window = own.get("window") or local.window_of(known)
        tools = () if "small_tools" in self._settings else known.tools
        return Model(
            name, window, None, _price(name, own, {}), own.get("small", known.is_embedded), tools, known.asks
        )

    def _is_local(self, provider: str) -> bool:
        if provider not in self._providers and provider not in self._set_providers:
            return False
        return self.provider(provider).is_local

    def _entry(self, name: str) -> Mapping[str, Any]:
        """The row of the longest name that this one is a version of."""
        rows = self._models["models"]
        fitting = (row for row in rows if name.startswith(row) and _VERSION.match(name, len(row)))
        return rows.get(max(fitting, key=len, default=""), {})

    def _family_window(self, name: str, is_local: bool) -> int:
        bare = name.rpartition("/")[2].lower()
        if is_local:
            return _longest(self._models["local_families"], bare) or UNKNOWN_LOCAL_WINDOW
        return _longest(self._models["families"], bare) or UNKNOWN_WINDOW

    @cached_property
    def _holders(self) -> dict[str, str]:
        """Providers by the names of their keys: case does not tell the variables of every system apart."""
        rows = [*self._providers.items(), *self._set_providers.items()]
        return {str(fields["key"]).casefold(): name for name, fields in rows if fields.get("key")}

    @cached_property
    def _set_models(self) -> dict[str, dict[str, Any]]:
        """What is set of models, by full name."""
        return {self.full_name(name): own for name, own in _by_name(self._settings, ModelTable).items()}

    @cached_property
    def _models(self) -> dict[str, Any]:
        return _read("models.toml")

    @cached_property
    def _providers(self) -> dict[str, dict[str, Any]]:
        return _read("providers.toml")["providers"]


def _check_key(provider: str, key: str | None) -> None:
    """Refuse a key that stands where its name belongs, without a word of it."""
    from oneclaw.guard.secret.shapes import mask

    if key and (not _SECRET_NAME.match(key) or mask(key) != key):
        raise InvalidConfig(
            f"providers.{provider}.key is no name of a secret but looks like a key itself. Write a name,"
            f" as {provider.upper().replace('-', '_')}_API_KEY, and the key into that environment variable or"
            " into the secrets file."
        )


def _price(name: str, own: Mapping[str, Any], table: Mapping[str, Any]) -> Price | None:
    known = None
    if "input" in table:
        known = Price(table["input"], table["output"], table.get("cached"), table.get("cache_written"))
    read, written = own.get("input_price"), own.get("output_price")
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


def _by_name(
    settings: Mapping[str, Any], table: type[ModelTable | ProviderTable]
) -> dict[str, dict[str, Any]]:
    """`{"a/b.c.window": 1}` as `{"a/b.c": {"window": 1}}`: names may have dots, fields have none."""
    found: dict[str, dict[str, Any]] = {}
    for key, value in settings.items():
        name, dot, field = key.rpartition(".")
        if dot and field in table.__dataclass_fields__:
            found.setdefault(name, {})[field] = value
    return found


def _read(name: str) -> dict[str, Any]:
    import tomllib
    from importlib.resources import files

    text = files("oneclaw.providers.data").joinpath(name).read_text(encoding="utf-8")
    return tomllib.loads(text)
