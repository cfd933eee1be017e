"""Servers of one's own say how much a model reads, each at its own place; where none says it, all is sent."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.loopback import Asked, answering

from oneclaw import Agent, App, Config
from oneclaw.providers.base import ProviderError
from oneclaw.providers.catalog import LEAST_WINDOW_OF_ALL_TOOLS, UNKNOWN_LOCAL_WINDOW
from oneclaw.providers.server_window import ask_window

Documents = Mapping[str, Any]
OLLAMA: Documents = {
    "//api/ps": {"models": []},
    "//api/show": {"model_info": {"general.architecture": "llama", "llama.context_length": 131_072}},
}


def served(documents: Documents) -> Callable[[str, Mapping[str, Any] | None], Any]:
    async def fetch(path: str, body: Mapping[str, Any] | None) -> Any:
        if path not in documents:
            raise ProviderError("There is no such page.", "request", status=404)
        return documents[path]

    return fetch


@pytest.mark.parametrize(
    ("provider", "documents", "window"),
    [
        ("vllm", {"/models": {"data": [{"id": "m", "max_model_len": 40_960}]}}, 40_960),
        ("lmstudio", {"//api/v0/models": {"data": [{"id": "m", "max_context_length": 8192}]}}, 8_192),
        (
            "lmstudio",
            {
                "//api/v0/models": {
                    "data": [{"id": "m", "max_context_length": 9000, "loaded_context_length": 4096}]
                }
            },
            4_096,
        ),
        ("llamacpp", {"//props": {"default_generation_settings": {"n_ctx": 16_384}}}, 16_384),
        ("ollama", OLLAMA, 32_768),
        ("ollama", {**OLLAMA, "//api/show": {"parameters": "stop x\nnum_ctx   12000\n"}}, 12_000),
        ("ollama", {"//api/ps": {"models": [{"name": "m:latest", "context_length": 4_096}]}}, 4_096),
        ("mine", {"//props": {"default_generation_settings": {"n_ctx": 16_384}}}, 16_384),
        ("mine", OLLAMA, 32_768),
        ("mine", {"/models": {"data": [{"id": "m"}]}}, None),
        ("mine", {"/models": {"data": [{"id": "other", "max_model_len": 5000}]}}, None),
        ("mine", {}, None),
        ("vllm", {"/models": {"data": [{"id": "m", "max_model_len": True}]}}, None),
        ("vllm", {"/models": {"data": [{"id": "m", "max_model_len": 3}]}}, None),
        ("vllm", {"/models": [["id", "m"]]}, None),
        ("ollama", {"//api/ps": "x", "//api/show": {"parameters": 7, "model_info": []}}, None),
    ],
)
async def test_each_kind_of_server_says_it_at_its_own_place(
    provider: str, documents: Documents, window: int | None
) -> None:
    assert await ask_window(served(documents), provider, "m") == window


class Server:
    """A chat server on loopback whose `/v1/models` says this of the window."""

    def __init__(self, window: int | None) -> None:
        self.window = window
        self.paths: list[str] = []
        self.tools: list[str] = []

    def __call__(self, asked: Asked) -> bytes:
        self.paths.append(asked.path)
        if asked.path == "/v1/models":
            row = {"id": "x"} | ({"max_model_len": self.window} if self.window else {})
            return json.dumps({"data": [row]}).encode()
        if not asked.path.endswith("/chat/completions"):
            return b"not found"
        self.tools = [tool["function"]["name"] for tool in json.loads(asked.body).get("tools", ())]
        told = {"choices": [{"index": 0, "delta": {"content": "Hello."}, "finish_reason": "stop"}]}
        return f"data: {json.dumps(told)}\n\ndata: [DONE]\n\n".encode()


@pytest.mark.parametrize(("window", "is_small"), [(None, False), (8_192, False), (4_096, True)])
async def test_the_first_message_is_answered_with_the_shell_on_whatever_the_server_says(
    tmp_path: Path, window: int | None, is_small: bool
) -> None:
    server = Server(window)
    with answering(server, "text/event-stream") as port:
        values = {
            "features.shell": True,
            "providers.mine": {"wire": "openai_chat", "base_url": f"http://127.0.0.1:{port}/v1"},
        }
        async with App(Config(home=tmp_path, values=values)) as app:
            for _ in range(2):
                finished = await app.ask(Agent(model="mine/x"), "hi")
                assert (finished.text, finished.error) == ("Hello.", "")
            model = app.catalog.model("mine/x")
    assert model.window == (window or UNKNOWN_LOCAL_WINDOW)
    assert (model.is_window_known, model.is_small) == (window is not None, is_small)
    assert server.paths.count("/v1/models") == 1  # asked once
    assert ("execute_shell_command" in server.tools) is True
    assert ("http_request" in server.tools) is not is_small


async def test_what_the_owner_says_comes_first_and_nobody_is_asked(tmp_path: Path) -> None:
    server = Server(4_096)
    with answering(server, "text/event-stream") as port:
        values = {
            "models": {"mine/x": {"window": 50_000}},
            "providers.mine": {"wire": "openai_chat", "base_url": f"http://127.0.0.1:{port}/v1"},
        }
        async with App(Config(home=tmp_path, values=values)) as app:
            assert (await app.ask(Agent(model="mine/x"), "hi")).text == "Hello."
            assert app.catalog.model("mine/x").window == 50_000
    assert server.paths == ["/v1/chat/completions"]


async def test_a_known_window_that_is_too_small_for_the_tools_is_told_with_both_remedies(
    tmp_path: Path,
) -> None:
    server = Server(None)
    with answering(server, "text/event-stream") as port:
        values = {
            "models": {"mine/x": {"window": LEAST_WINDOW_OF_ALL_TOOLS // 2}},
            "providers.mine": {"wire": "openai_chat", "base_url": f"http://127.0.0.1:{port}/v1"},
        }
        async with App(Config(home=tmp_path, values=values)) as app:
            finished = await app.ask(Agent(model="mine/x"), "hi", check=False)
    assert "raise the context length of its server, or give it fewer tools with" in finished.error
    assert """`oneclaw config set 'models."mine/x".small' true`""" in finished.error
