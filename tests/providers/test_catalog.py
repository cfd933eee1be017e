"""Providers and models: the tables, the families, and what the owner sets."""

import datetime
from pathlib import Path
from typing import Any, get_args

import pytest

from oneclaw.config import Config, read_settings
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.message import Usage
from oneclaw.core.settings.tree import ModelSettings, ModelTable, ProviderTable, WireName
from oneclaw.providers.catalog import SMALL_TOOLS, Catalog
from oneclaw.providers.connect import make_wire
from oneclaw.providers.model import Price


def settings(tmp_path: Path, text: str) -> Catalog:
    """The catalogue of a settings file, read as the program reads it."""
    file = tmp_path / "oneclaw.toml"
    file.write_text(text)
    read = Config(tmp_path, file, values=read_settings(file)).settings
    return Catalog(read.models, read.providers)


def with_model(name: str, **fields: Any) -> ModelSettings:
    return ModelSettings(named={name: ModelTable(**fields)})


@pytest.mark.parametrize(
    ("name", "window"),
    [
        ("anthropic/claude-sonnet-4-5", 200_000),
        ("anthropic/claude-sonnet-4-5-20250929", 200_000),
        ("anthropic/claude-sonnet-4-6", 1_000_000),
        ("anthropic/claude-next-99", 200_000),
        ("openrouter/anthropic/claude-sonnet-4.5", 200_000),
        ("gemini/gemini-2.5-pro", 1_048_576),
        ("gemini/gemini-2.5-flash-preview-05-20", 1_048_576),
        ("gemini/gemini-9-ultra", 1_048_576),
        ("openai/gpt-4o", 128_000),
        ("openai/gpt-4o-2024-08-06", 128_000),
        ("openai/gpt-4o-audio-preview", 128_000),
        ("openai/gpt-4.1-mini", 1_047_576),
        ("openai/gpt-4", 8_192),
        ("openai/gpt-5", 400_000),
        ("openai/gpt-5-chat-latest", 128_000),
        ("openai/gpt-5.9-turbo", 400_000),
        ("openai/o3", 200_000),
        ("groq/llama-3.3-70b-versatile", 128_000),
        ("somewhere/never-heard-of", 128_000),
        ("ollama/llama3.2", 32_768),
        ("ollama/qwen3:4b", 32_768),
        ("ollama/llama3:8b", 8_192),
        ("ollama/never-heard-of", 32_768),
        ("lmstudio/mistralai/mistral-7b", 32_768),
    ],
)
def test_the_window_of_a_model_is_known_or_taken_from_its_family(name: str, window: int) -> None:
    assert Catalog().model(name).window == window


@pytest.mark.parametrize(
    ("name", "price"),
    [
        ("openai/gpt-4o", Price(2.5, 10, 1.25)),
        ("openai/gpt-4o-2024-08-06", Price(2.5, 10, 1.25)),
        ("openai/gpt-4o-mini", Price(0.15, 0.6, 0.075)),
        ("openai/gpt-4o-audio-preview", None),
        ("openai/gpt-5-nano", Price(0.05, 0.4, 0.005)),
        ("anthropic/claude-opus-4-1-20250805", Price(15, 75, 1.5, 18.75)),
        ("anthropic/claude-opus-4-20250514", Price(15, 75, 1.5, 18.75)),
        ("anthropic/claude-opus-4-5", Price(5, 25, 0.5, 6.25)),
        ("anthropic/claude-3-5-haiku-latest", Price(0.8, 4, 0.08, 1)),
        ("anthropic/claude-opus-4-99", None),
        ("gemini/gemini-2.0-flash-001", Price(0.1, 0.4, 0.025)),
        ("openrouter/openai/gpt-4o", None),
        ("ollama/llama3.2", None),
    ],
)
def test_a_price_is_of_this_model_and_no_other(name: str, price: Price | None) -> None:
    assert Catalog().model(name).price == price


def test_usage_costs_what_each_kind_of_token_costs() -> None:
    usage = Usage(input=1_000_000, output=500_000, cached=400_000, cache_written=100_000)
    assert Price(3, 15, 0.3, 3.75).of(usage) == pytest.approx(0.5 * 3 + 0.4 * 0.3 + 0.1 * 3.75 + 0.5 * 15)
    assert Price(3, 15).of(usage) == pytest.approx(3 + 7.5)
    assert Price(3, 15, 0, 0).of(usage) == pytest.approx(1.5 + 7.5)
    # A provider that counts badly does not earn us money.
    assert Price(3, 15, 1).of(Usage(input=1, cached=1_000_000)) == pytest.approx(1)


def test_every_row_of_the_tables_is_sound() -> None:
    catalog = Catalog()
    assert datetime.date.fromisoformat(catalog.date) > datetime.date(2025, 1, 1)
    for name in catalog.known_models():
        model = catalog.model(name)
        assert name.partition("/")[0] in catalog.providers()
        assert model.window >= 8_192
        assert model.price is not None
        assert 0 < model.price.input <= model.price.output
        assert (
            (model.price.cached or 0) < model.price.input <= (model.price.cache_written or model.price.input)
        )
        assert 0 < (model.most_output or 1) < model.window


def test_the_built_in_providers_need_no_setting_but_a_key() -> None:
    catalog = Catalog()
    local = {"ollama", "lmstudio", "llamacpp", "vllm"}
    assert set(catalog.providers()) == local | {
        *("openai", "anthropic", "gemini", "openrouter", "groq", "mistral", "deepseek", "xai")
    }
    for name in catalog.providers():
        provider = catalog.provider(name)
        assert provider.is_local == (name in local)
        assert (provider.key is None) == (name in local)
        assert provider.base_url.startswith("http://127.0.0.1:" if name in local else "https://")
        assert provider.wire in get_args(WireName)
        wire = make_wire(provider)
        assert wire.name == provider.wire
        assert not catalog.model(f"{name}/some-model").is_small  # nobody has said so


def test_the_owner_sets_models(tmp_path: Path) -> None:
    catalog = settings(
        tmp_path,
        """
        [models]
        default = "ollama/llama3.2:3b"
        fallbacks = ["gpt-4o", "mine/big"]
        small_tools = ["read_file"]
        [models."ollama/llama3.2:3b"]
        window = 65536
        small = false
        [models."openai/gpt-4o"]
        output_price = 9.5
        [models."mine/big"]
        input_price = 1
        output_price = 2
        """,
    )
    assert catalog.default == "ollama/llama3.2:3b"
    assert catalog.fallbacks == ("openai/gpt-4o", "mine/big")
    assert catalog.small_tools == ("read_file",)
    mine = catalog.model("ollama/llama3.2:3b")
    assert (mine.window, mine.is_small) == (65_536, False)
    assert catalog.model("gpt-4o").price == Price(2.5, 9.5, 1.25)
    assert catalog.model("mine/big").price == Price(1, 2)
    assert "mine/big" in catalog.known_models()


def test_another_price_of_what_is_read_makes_the_cache_cost_the_same() -> None:
    assert Catalog(with_model("openai/gpt-4o", input_price=1)).model("gpt-4o").price == Price(1, 10)


def test_half_a_price_is_refused() -> None:
    with pytest.raises(InvalidConfig, match="mine/big is half set"):
        Catalog(with_model("mine/big", input_price=1)).model("mine/big")


def test_without_settings_there_is_no_default_model() -> None:
    assert (Catalog().default, Catalog().fallbacks, Catalog().small_tools) == (None, (), SMALL_TOOLS)


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"),
        ("gpt-5", "openai/gpt-5"),
        ("o3-mini", "openai/o3-mini"),
        ("gemini-2.5-flash", "gemini/gemini-2.5-flash"),
        ("openrouter/a/b", "openrouter/a/b"),
    ],
)
def test_a_model_without_a_provider_is_found_by_its_family(name: str, full: str) -> None:
    assert Catalog().full_name(name) == full


@pytest.mark.parametrize("name", ["", "llama3.2", "/model", "provider/", "olympus"])
def test_a_name_that_means_nothing_is_refused_with_how_to_write_it(name: str) -> None:
    with pytest.raises(InvalidConfig, match="provider/model"):
        Catalog().full_name(name)


def test_the_owner_sets_providers(tmp_path: Path) -> None:
    catalog = settings(
        tmp_path,
        """
        [providers.openai]
        strict = false
        idle_seconds = 7
        [providers.mine]
        wire = "openai_chat"
        base_url = "http://192.168.1.5:9000/v1/"
        text_calls = true
        attempts = 2
        [providers.gateway]
        wire = "anthropic"
        base_url = "http://localhost:4000"
        key = "GATEWAY_KEY"
        [providers.ollama]
        key = "OLLAMA_KEY"
        """,
    )
    openai = catalog.provider("openai")
    assert (openai.wire, openai.strict, openai.idle_seconds) == ("openai_responses", False, 7)
    mine = catalog.provider("mine")
    assert (mine.base_url, mine.key, mine.text_calls) == ("http://192.168.1.5:9000/v1", None, True)
    assert (mine.attempts, mine.is_local) == (2, True)
    assert (catalog.model("mine/x").window, catalog.model("mine/x").is_small) == (32_768, False)
    # A server with a key may be a gateway to large models; one that is local by name stays so.
    assert catalog.provider("gateway").is_local is False
    assert catalog.provider("ollama").is_local is True
    assert {"mine", "gateway", "openai"} <= set(catalog.providers())


def test_an_unknown_provider_is_refused_with_the_nearest_names() -> None:
    with pytest.raises(InvalidConfig, match=r"no provider 'antropic'\. Did you mean anthropic\?"):
        Catalog().provider("antropic")
    with pytest.raises(InvalidConfig, match="There are anthropic, deepseek"):
        Catalog().provider("zzz")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"wire": "openai_chat"}, "mine has no base_url"),
        ({"base_url": "http://x.test/v1"}, "mine has no wire"),
        ({"attempts": 3}, "mine has no wire and no base_url"),
        ({"wire": "gemini", "base_url": "x.test"}, "providers.mine.base_url"),
        ({"wire": "gemini", "base_url": "http://x.test?a=b"}, "without [?] and #"),
    ],
)
def test_a_provider_that_is_half_described_is_refused(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidConfig, match=said):
        Catalog(providers={"mine": ProviderTable(**fields)}).provider("mine")


@pytest.mark.parametrize("name", ["ollama/llama3.2", "ollama/gemma3:0.5b", "mine/x", "openai/gpt-4o"])
def test_a_model_is_small_only_where_the_owner_says_so(name: str) -> None:
    server = {"mine": ProviderTable(wire="openai_chat", base_url="http://127.0.0.1:9/v1")}
    assert not Catalog(providers=server).model(name).is_small
    assert Catalog(with_model(name, small=True), server).model(name).is_small
