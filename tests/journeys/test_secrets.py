"""Secrets: given to the tool that declared them, and to be found nowhere afterwards."""

import base64
import json
import logging
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from oneclaw import App, Config, Context, Kind, Output, ToolCall, ToolError, ToolResult, tool
from oneclaw.core.event import Event
from oneclaw.core.hook import Hooks
from oneclaw.core.session import Session
from oneclaw.core.tool import Isolation
from oneclaw.guard.secret.redactor import SecretRedactor

NAME = "HARBOUR_TOKEN"
VALUE = "tide-7f3Q/xW+9zK=ebb&flow"


@tool(effect="read", secrets=[NAME])
async def use_inline(context: Context, how: str) -> Any:
    """Use the secret, and let it slip in one way or another."""
    return slip(context, how)


@tool(effect="read", secrets=[NAME])
def use_thread(context: Context, how: str) -> Any:
    """The same in a thread."""
    return slip(context, how)


@tool(effect="read", secrets=[NAME], isolation="process")
def use_process(context: Context, how: str) -> Any:
    """The same in a process of its own."""
    return slip(context, how)


def slip(context: Context, how: str) -> Any:
    value = context.secrets["HARBOUR_TOKEN"]
    assert len(value) == 25
    if how == "value":
        return f"the token is {value}."
    if how == "parts":
        return {value: [{"nested": value}], "base64": base64.b64encode(f"ada:{value}".encode()).decode()}
    if how == "details":
        return Output("done", details={"header": f"Bearer {value}"})
    if how == "progress":
        context.progress(f"with {value}", 1.0)
        return "done"
    if how == "long":
        return f"{value}\n" * 2_000
    if how == "error":
        raise ValueError(f"{value} was refused")
    raise ToolError(f"{value} was refused", Kind.NETWORK_ERROR)


@tool(effect="read")
def echo(text: str) -> str:
    """Say what it was told, and know no secrets."""
    return text


@tool(effect="read")
def know_secrets(context: Context) -> dict[str, str]:
    """Say which secrets it was given."""
    return dict(context.secrets)


@tool(effect="read", isolation="process")
def show_environment() -> dict[str, str]:
    """Say what its process was given."""
    return dict(os.environ)


TOOLS = [use_inline, use_thread, use_process, echo, know_secrets, show_environment]
WAYS = ["value", "parts", "details", "progress", "long", "error", "tool error"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "secrets.toml").write_text(f'{NAME} = "{VALUE}"\n')
    (home / "secrets.toml").chmod(0o600)
    return home


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.DEBUG):
        yield caplog


def spellings() -> list[bytes]:
    """The secret as it is, and as JSON, base64 and an address would spell it."""
    plain = VALUE.encode()
    inside = base64.b64encode(b"ada:" + plain)[6:-6]
    return [plain, inside, b"tide-7f3Q%2FxW%2B9zK", plain.hex().encode()]


def places(home: Path) -> dict[str, bytes]:
    """Every file below the home but the owner's own file of secrets."""
    files = (path for path in home.rglob("*") if path.is_file() and path.name != "secrets.toml")
    return {str(path.relative_to(home)): path.read_bytes() for path in files}


def leaks(found: dict[str, bytes]) -> list[str]:
    return [place for place, data in found.items() if any(each in data for each in spellings())]


async def run_all(home: Path) -> tuple[list[str], list[Event]]:
    """Every tool in every way; the results as a model reads them and the events. The store is still open."""
    events: list[Event] = []
    async with App(Config(home=home), tools=TOOLS) as app:
        app.engine.subscribe(events.append)
        calls = [ToolCall(name, {"how": how}) for name in ("use_inline", "use_thread") for how in WAYS]
        calls += [ToolCall("use_process", {"how": how}) for how in WAYS]
        calls += [
            ToolCall("echo", {"text": f"I remember {VALUE}"}),
            ToolCall("echo", {"text": 5, "txet": VALUE}),
            ToolCall("echo", {"words": VALUE}),
            ToolCall("echo", f'{{"text": "{VALUE}'),
            ToolCall(f"say_{VALUE}", {}),
        ]
        results = await app.engine.call_all(calls)
        said = [f"{result.to_json()} {result.details}" for result in results]
        assert not leaks(places(home)), "while the log of the store is not yet in its tables"
        assert (home / "oneclaw.db-wal").stat().st_size > 0
    return said, events


async def test_a_secret_given_to_a_tool_is_found_nowhere(home: Path, logged: Any, capfd: Any) -> None:
    said, events = await run_all(home)
    worked = [text for text in said if '"status":"success"' in text]
    assert len(worked) >= 3 * 5 + 1, said
    assert sum("[redacted:HARBOUR_TOKEN]" in text for text in said) >= 3 * 5
    found = {
        **places(home),
        "results": "\n".join(said).encode(),
        "events": repr(events).encode(),
        "log": logged.text.encode(),
        "output": "".join(capfd.readouterr()).encode(),
    }
    assert any(name.startswith("sessions/") for name in found), "a long result was kept in a file"
    assert leaks(found) == []


async def test_without_the_redactor_it_would_be_found(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SecretRedactor, "redact", lambda self, text: text)  # pyright: ignore[reportUnknownArgumentType, reportUnknownLambdaType]
    monkeypatch.setattr(SecretRedactor, "redact_value", lambda self, value: value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownLambdaType]
    async with App(Config(home=home), tools=TOOLS) as app:
        result = await app.engine.call(ToolCall("use_inline", {"how": "value"}))
        assert VALUE in result.value
        assert leaks(places(home)) != []


@pytest.mark.parametrize("isolation", ["inline", "process"])
async def test_a_long_message_is_not_cut_in_the_middle_of_a_secret(home: Path, isolation: Isolation) -> None:
    @tool(effect="read", secrets=[NAME], isolation=isolation)
    async def shout(context: Context, before: int) -> None:
        """Fail at length."""
        (secret,) = context.secrets.values()
        context.progress("x" * before + secret, 1.0)
        raise ValueError("x" * before + secret)

    events: list[Event] = []
    async with App(Config(home=home), tools=[shout]) as app:
        app.engine.subscribe(events.append)
        for before in (380, 390, 480, 490):
            result = await app.engine.call(ToolCall("shout", {"before": before}))
            assert result.kind is Kind.EXECUTION_ERROR
            assert len(result.message) <= 430
    assert VALUE[:6] not in repr(events)
    assert not any(VALUE[:6].encode() in data for data in places(home).values())


async def test_a_hook_that_tells_a_secret_is_not_heard(home: Path) -> None:
    def tell(call: ToolCall, result: ToolResult, session: Session) -> ToolResult:
        return replace(result, value=[VALUE], details={"why": VALUE})

    def fail(call: ToolCall, result: ToolResult, session: Session) -> None:
        raise ValueError(VALUE)

    for after in (tell, fail):
        async with App(Config(home=home), tools=TOOLS, hooks=Hooks(after=(after,))) as app:
            result = await app.engine.call(ToolCall("use_inline", {"how": "value"}))
            assert "[redacted:HARBOUR_TOKEN]" in result.to_json()
            assert VALUE not in repr(result)
            assert leaks(places(home)) == []


async def test_only_the_tool_that_declared_it_is_given_a_secret(home: Path) -> None:
    async with App(Config(home=home), tools=TOOLS) as app:
        assert (await app.engine.call(ToolCall("use_inline", {"how": "value"}))).ok
        assert (await app.engine.call(ToolCall("know_secrets"))).value == {}


async def test_a_secret_that_is_not_set_is_named_with_where_to_put_it(tmp_path: Path) -> None:
    async with App(Config(home=tmp_path), tools=TOOLS) as app:
        refused = await app.engine.call(ToolCall("use_inline", {"how": "value"}))
    assert refused.kind is Kind.TOOL_NOT_AVAILABLE
    assert f"The secret {NAME} is not set" in refused.message
    assert f"oneclaw keys set {NAME}" in refused.message
    assert refused.effects == "none"


KEYS = {
    "OPENAI_API_KEY": "oa-key-4hd83jd72hd",
    "ANTHROPIC_API_KEY": "an-key-93jd72jd8sh",
    "GITHUB_TOKEN": "gh-93jd8sh27dh3js8",
    "DATABASE_PASSWORD": "pw-28dj3hs8dj2hs7",
}


async def test_keys_of_the_environment_reach_neither_workers_nor_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    async with App(Config(home=tmp_path), tools=TOOLS) as app:
        result = await app.engine.call(ToolCall("show_environment"))
        assert result.ok, result.message
        assert "PATH" in result.value
        assert not KEYS.keys() & result.value.keys()
        for value in KEYS.values():
            said = await app.engine.call(ToolCall("echo", {"text": f"it is {value}"}))
            assert value not in said.to_json()
        found = places(tmp_path)
    for data in (*found.values(), *places(tmp_path).values()):
        assert not any(value.encode() in data for value in KEYS.values())


async def test_a_worker_given_our_environment_would_have_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from oneclaw.run import pool

    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(pool, "environment", lambda: dict(os.environ))
    async with App(Config(home=tmp_path), tools=TOOLS) as app:
        result = await app.engine.call(ToolCall("show_environment"))
    assert KEYS.keys() <= result.value.keys()


def test_the_command_line_shows_no_key(command_line: Any) -> None:
    command_line.environment = KEYS
    command_line.call("write_file", path="keys.txt", content="\n".join(KEYS.values()))
    read = command_line.call("read_file", path="keys.txt")
    assert read["result"].count("[redacted:") == len(KEYS)
    shown = json.dumps(read) + command_line.run("log", "--json").stdout
    stored = b"".join(data for name, data in places(command_line.home).items() if "workspace" not in name)
    for value in KEYS.values():
        assert value not in shown
        assert value.encode() not in stored


async def test_a_prompt_shows_no_secret(home: Path) -> None:
    shown: list[str] = []

    @tool(effect="write", needs=["mail"])
    async def send(context: Context, text: str) -> str:
        """Send."""
        await context.require("browser", f"To open {text}.")
        return "sent"

    async with App(Config(home=home), tools=[use_inline, send]) as app:
        await app.engine.call(ToolCall("use_inline", {"how": "value"}))
        app.broker.bind(lambda prompt: (shown.append(repr(prompt)), app.broker.answer(prompt.id, "always")))  # pyright: ignore[reportArgumentType]
        assert (await app.engine.call(ToolCall("send", {"text": VALUE}))).ok
        grants = repr(await app.grants.all())
    assert len(shown) == 2
    assert not any(VALUE in text for text in [*shown, grants])
    assert leaks(places(home)) == []
