"""From the name of a model to a provider that answers."""

import json
import subprocess
import sys
from typing import Any

import pytest
from tests.conftest import Serve
from tests.providers.tiny import HEAD, KEY, REQUEST, WHOLE, ask_message, silence, status, tiny

from oneclaw.core.errors import InvalidConfig, MissingKey, OneClawError, ToolError
from oneclaw.core.settings.tree import ProviderTable
from oneclaw.providers import connect
from oneclaw.providers.base import ProviderError, Request
from oneclaw.providers.catalog import Catalog
from oneclaw.providers.connect import Providers

CHAT = (
    b'data: {"choices": [{"index": 0, "delta": {"content": "Hello"}}]}\n\n'
    b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
)


def providers(port: int, wire: str = "openai_chat", *, secret: str | None = KEY, **rest: Any) -> Providers:
    def secrets(name: str) -> str:
        if secret is None:
            raise ToolError(f"The secret {name} is not set: set the environment variable {name}.")
        assert name == "MINE_KEY"
        return secret

    fields: dict[str, Any] = {
        "wire": wire,
        "base_url": f"http://127.0.0.1:{port}/v1",
        "key": "MINE_KEY",
        **rest,
    }
    return Providers(Catalog(providers={"mine": ProviderTable(**fields)}), secrets=secrets)


async def why_not(every: Providers, name: str) -> str | None:
    """Why a provider does not list its models."""
    try:
        await every.list_models(name)
    except OneClawError as error:
        return str(error)
    return None


async def test_a_model_is_asked_by_its_full_name(serve: Serve) -> None:
    port, seen = await serve(HEAD + CHAT)
    every = providers(port)
    provider, name = every.get("mine/family/big")
    assert name == "family/big"
    message = await ask_message(provider, Request(name, REQUEST.messages))
    assert (message.text, message.model, message.wire) == ("Hello", "mine/family/big", "openai_chat")
    assert f"Bearer {KEY}".encode() in seen[0]
    assert json.loads(seen[0].partition(b"\r\n\r\n")[2])["model"] == "family/big"
    assert seen[0].startswith(b"POST /v1/chat/completions ")


async def test_a_provider_is_opened_once() -> None:
    every = providers(1)
    assert every.get("mine/a")[0] is every.get("mine/b")[0]
    assert every.get("claude-sonnet-4-5")[0] is every.get("anthropic/claude-opus-4-5")[0]
    await every.close()


async def test_a_provider_made_in_code_goes_before_the_catalogue(serve: Serve) -> None:
    port, _ = await serve(HEAD + WHOLE)
    own = tiny(port)
    every = Providers(Catalog(), secrets=str, extra={"own": own})
    assert every.get("own/x") == (own, "x")
    assert (await every.list_models("own"), await why_not(every, "own")) == ([], None)
    with pytest.raises(InvalidConfig, match="no provider 'other'"):
        every.get("other/x")
    await every.close()


async def test_a_missing_key_is_said_when_the_model_is_asked() -> None:
    every = providers(1, secret=None)
    provider, _ = every.get("mine/x")
    with pytest.raises(ProviderError, match=r"mine has no key\. The secret MINE_KEY is not set") as caught:
        await ask_message(provider)
    assert caught.value.trouble == "key"
    assert "MINE_KEY" in str(await why_not(every, "mine"))
    with pytest.raises(MissingKey, match=r"mine has no key\. The secret MINE_KEY is not set"):
        every.check_key("mine/x")
    providers(1).check_key("mine/x")


LISTS = [
    ("openai_chat", "/v1/models", {"data": [{"id": "b"}, {"id": "a"}, {"no": 1}, 7]}),
    ("openai_responses", "/v1/models", {"data": [{"id": "b"}, {"id": "a"}]}),
    ("anthropic", "/v1/v1/models?limit=1000", {"data": [{"id": "b"}, {"id": "a"}]}),
    ("gemini", "/v1/v1beta/models?pageSize=1000", {"models": [{"name": "models/b"}, {"name": "models/a"}]}),
]


@pytest.mark.parametrize(("wire", "path", "body"), LISTS)
async def test_the_models_of_a_provider_are_listed(serve: Serve, wire: str, path: str, body: Any) -> None:
    port, seen = await serve(status(200, json.dumps(body).encode()))
    every = providers(port, wire)
    assert await every.list_models("mine") == ["a", "b"]
    assert await why_not(every, "mine") is None
    await every.close()
    assert seen[0].startswith(f"GET {path} ".encode())
    assert KEY.encode() in seen[0]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (status(401, f'{{"error": {{"message": "bad key {KEY}"}}}}'.encode()), "bad key [redacted:key]"),
        (status(500), "answered 500"),
        (status(200, b"<html>"), "without JSON"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", "broke off"),
        (status(200, b"[]"), "not with a list of models"),
        (status(200, b'{"data": 7}'), "not with a list of models"),
    ],
)
async def test_what_is_wrong_with_a_provider_is_said_in_a_sentence(
    serve: Serve, answer: bytes, said: str
) -> None:
    port, seen = await serve(answer)
    every = providers(port)
    assert said in str(await why_not(every, "mine"))
    await every.close()
    assert len(seen) == 1  # a look is not worth a second try


async def test_a_silent_provider_is_not_looked_at_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect, "CHECK_SECONDS", 0.1)
    async with silence() as server:
        every = providers(server.port)
        assert "0.1 seconds" in str(await why_not(every, "mine"))
        await every.close()


async def test_a_provider_nobody_described_is_said_to_be_so() -> None:
    assert "no provider 'nobody'" in str(await why_not(providers(1), "nobody"))


def test_nothing_heavy_is_loaded_before_a_request_and_only_the_wire_that_is_spoken() -> None:
    program = """
import sys
from oneclaw.providers.catalog import Catalog
from oneclaw.providers.connect import Providers
every = Providers(Catalog(), secrets=str)
every.get("anthropic/claude-sonnet-4-5")
loaded = set(sys.modules)
assert "oneclaw.providers.anthropic.wire" in loaded
bad = {"httpx2", "httpcore2", "anyio", "oneclaw.providers.gemini.wire", "oneclaw.providers.openai_chat.wire"}
print(sorted(bad & loaded))
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (ended.stdout.strip(), ended.stderr) == ("[]", "")
