"""Keys of providers: found by name, sent to their server alone, and to be read nowhere else."""

import json
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.journeys.wire_servers import Answer, Broken, Raw, Refuse, WireServer, answer, call, talking
from tests.providers.formats.every import BY_LABEL, FORMATS, label_of
from tests.providers.formats.format import Call, Format, Text, Thought

from oneclaw import App, Config, Context, Kind, MissingKey, ToolCall, tool
from oneclaw.agent.keys import Keys
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.run_event import RunFinished
from oneclaw.guard.secret.secrets import Secrets

KEY = "qz-7Hf2mX9/vKpL+3nRt8w"
NAME = "LIGHTHOUSE_ACCESS"
"""Not a name that looks like one of a secret: nothing but the settings says that it is one."""

KEYRING = f"""
def get_password(service, name):
    return {{("oneclaw", "{NAME}"): "{KEY}"}}.get((service, name))
"""

Put = Callable[[str], None]
keyed = [each for each in FORMATS if not each.is_local]


each_format = pytest.mark.parametrize("format", keyed, ids=label_of)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    return home


@pytest.fixture
def put(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Put]:
    """Put the key where the word says."""
    monkeypatch.setitem(sys.modules, "keyring", None)

    def put(place: str) -> None:
        if place == "environment":
            monkeypatch.setenv(NAME, KEY)
        elif place == "file":
            (home / "secrets.toml").touch(mode=0o600)
            (home / "secrets.toml").write_text(f'{NAME} = "{KEY}"\n')
        else:
            ring = tmp_path / "ring"
            ring.mkdir()
            (ring / "keyring.py").write_text(KEYRING)
            monkeypatch.setattr(sys, "path", [str(ring), *sys.path])
            monkeypatch.delitem(sys.modules, "keyring")

    yield put
    monkeypatch.delitem(sys.modules, "keyring", raising=False)


def app_of(home: Path, *servers: WireServer, **more: Any) -> App:
    """An app that knows the servers, and finds the key of each by the same name."""
    values: dict[str, Any] = {"models.default": servers[0].model}
    for server in servers:
        values |= server.settings()
        if not server.format.is_local:
            values[f"providers.{server.label}.key"] = NAME
    return App(Config(home=home, values={**values, **more.pop("values", {})}), **more)


def spelled(key: str = KEY) -> list[bytes]:
    """The key as it is, as JSON and an address spell it, and its larger part."""
    return [key.encode(), key.replace("/", "\\/").encode(), b"qz-7Hf2mX9%2FvKpL", key[:12].encode()]


def files(home: Path) -> dict[str, bytes]:
    """Every file of ours but the owner's own file of secrets."""
    found = (path for path in home.rglob("*") if path.is_file() and path.name != "secrets.toml")
    return {str(path.relative_to(home)): path.read_bytes() for path in found}


def leaks(found: dict[str, bytes]) -> list[str]:
    return [place for place, data in found.items() if any(each in data for each in spelled())]


def logged(caplog: pytest.LogCaptureFixture) -> bytes:
    """All that was logged, by the HTTP library too, but for the headers it was sent by the server."""
    told = [record.getMessage() for record in caplog.records]
    return "\n".join(each for each in told if not each.startswith("receive_response_headers")).encode()


# Where it comes from and where it goes


@each_format
@pytest.mark.parametrize("place", ["environment", "file", "keyring"])
async def test_the_key_goes_to_its_server_in_one_header(
    format: Format, place: str, home: Path, put: Put
) -> None:
    put(place)
    async with talking(format, [call("get_current_time"), answer("Late.")]) as server:
        async with app_of(home, server) as app:
            last = await app.ask("default", "What time is it?")
            assert last.reason == "done"
            assert leaks(files(home)) == []
        assert server.keys == [KEY, KEY]
        assert [raw.count(KEY.encode()) for raw in server.raw] == [1, 1]
        assert all(KEY not in heard.path for heard in server.heard)


async def test_a_local_server_is_sent_no_key_at_all(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    async with talking(BY_LABEL["ollama"], [answer("Hello.")]) as server:
        async with app_of(home, server) as app:
            assert (await app.ask("default", "Hi.")).reason == "done"
        assert server.keys == [None]
        assert KEY.encode() not in server.raw[0]


async def test_each_server_is_sent_its_own_key_only(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(talking(each, [answer("Hello.")])) for each in keyed]
        values: dict[str, Any] = {}
        for server in servers:
            monkeypatch.setenv(server.secret, server.key)
            values |= server.settings()
        async with App(Config(home=home, values=values)) as app:
            for server in servers:
                await app.ask("default", "Hi.", model=server.model)
        for server in servers:
            assert server.keys == [server.key]
            assert [each.key for each in servers if each.key.encode() in server.raw[0]] == [server.key]


@each_format
async def test_a_missing_key_is_one_sentence_that_names_the_variable(
    format: Format, home: Path, put: Put
) -> None:
    async with talking(format, []) as server, app_of(home, server) as app:
        with pytest.raises(MissingKey) as caught:
            await app.ask("default", "Hi.")
        error = str(caught.value)
        assert error.startswith(f"{server.label} has no key. ")
        assert f"set the environment variable {NAME}" in error
        assert "\n" not in error
        assert len(error) < 400
        put("file")  # and once it is there, the same app goes on
        server.replies.append(answer("Hello."))
        assert (await app.ask("default", "Hi.")).text == "Hello."


async def test_a_key_of_another_provider_is_not_needed(home: Path) -> None:
    async with talking(BY_LABEL["ollama"], [answer("Hello.")]) as server:
        values = {"providers.gemini.key": "NOBODY_HAS_IT", "models.fallbacks": ["gemini/gemini-2.5-pro"]}
        async with app_of(home, server, values=values) as app:
            assert (await app.ask("default", "Hi.")).reason == "done"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
async def test_a_secrets_file_that_others_can_read_is_refused(mode: int, home: Path, put: Put) -> None:
    put("file")
    (home / "secrets.toml").chmod(mode)
    async with talking(BY_LABEL["anthropic"], []) as server:
        with pytest.raises(InvalidConfig, match="chmod 600") as refused:
            async with app_of(home, server):
                pass
        assert KEY not in str(refused.value)


async def test_a_key_written_where_its_name_belongs_is_not_told(home: Path) -> None:
    async with talking(BY_LABEL["chat"], []) as server:
        values = {**server.settings(), f"providers.{server.label}.key": "sk-proj-4Hd8sK2mQ9vXz7Lp3nRt8wYb"}
        async with App(Config(home=home, values=values)) as app:
            try:
                told = (await app.ask("default", "Hi.", check=False, model=server.model)).error
            except InvalidConfig as error:
                told = str(error)
    assert told
    assert "4Hd8sK2mQ9vX" not in told
    assert f"providers.{server.label}.key" in told


# Where it must not be


REFUSALS = {
    "401": Refuse(401, f"Incorrect API key provided: {KEY}. Find yours at the site."),
    "400": Refuse(400, f"API key not valid: {KEY[:14]}"),
    "403 cut": Refuse(403, "x" * 390 + KEY),
    "429": Refuse(429, f"Too many requests for {KEY}", (("Retry-After", "0"),)),
    "500 page": Refuse(500, page=f"<html><title>No {KEY}</title><body>{KEY}</body></html>"),
    "502 plain page": Refuse(502, page=f"<html><body>Bearer {KEY} was refused</body></html>"),
    "page": Raw(f"<html><title>{KEY}</title></html>".encode(), "text/html"),
    "broken JSON": Raw(f'{{"error": "{KEY}'.encode(), "application/json"),
    "no event": Raw(f"data: {{{KEY}\n\n".encode()),
    "other text": Raw(f"Key {KEY} is wrong".encode(), KEY),
    "redirect": Refuse(307, "", (("Location", f"http://127.0.0.1:1/?key={KEY}"),)),
    "in a stream": Broken("fail", (Text("I"),), text=f"your key {KEY} has expired"),
}


@each_format
@pytest.mark.parametrize("said", REFUSALS.values(), ids=REFUSALS.keys())
async def test_a_server_that_tells_the_key_in_its_refusal_is_not_quoted(
    format: Format,
    said: Refuse | Raw | Broken,
    home: Path,
    put: Put,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    put("environment")
    caplog.set_level(logging.DEBUG)
    once = {f"providers.{format.label}.attempts": 1}
    async with talking(format, [said]) as server, app_of(home, server, values=once) as app:
        events = [event async for event in app.run("default", "Hi.")]
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert last.reason in ("failed", "cut")
    assert last.error
    assert "\n" not in last.error
    found = {
        **files(home),
        "events": repr(events).encode(),
        "log": logged(caplog),
        "output": "".join(capfd.readouterr()).encode(),
    }
    assert leaks(found) == []


@tool(effect="read", chars=500)
async def repeat(text: str, times: int = 1) -> str:
    """Say it again.

    text: What to say.
    times: How often.
    """
    return (text + " ") * times


TELLING: list[Answer] = [
    answer(Thought(f"The key is {KEY}.", "c2VhbA=="), Text(f"I know {KEY}! "), Call("repeat", {"text": KEY})),
    call("repeat", {"text": KEY, "times": 400}),
    call("repeat", {"text": [KEY]}),
    call("repeat", {KEY: 1}),
    call(f"say_{KEY}", {"text": "x"}),
    call("write_file", {"path": "note.txt"}),
    answer(f"So it is {KEY}."),
]


@each_format
async def test_a_model_that_tells_the_key_has_it_in_no_file_no_log_and_no_event_of_a_call(
    format: Format, home: Path, put: Put, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    put("file")
    caplog.set_level(logging.DEBUG)
    heard: list[Any] = []
    async with talking(format, TELLING) as server:
        async with app_of(home, server, tools=[repeat]) as app:
            app.listeners.add(heard.append)
            last = await app.ask("default", "Go.")
            assert (last.reason, last.calls) == ("done", 6)
            assert leaks(files(home)) == []  # while the log of the store is not yet in its tables
            assert (home / "oneclaw.db-wal").stat().st_size > 0
        assert all("sessions/" not in place or data for place, data in files(home).items())
        assert any(place.startswith("sessions/") for place in files(home)), "a long result was kept"
        assert KEY not in json.dumps([each.results for each in server.heard])  # nor does a result tell it
        server.replies.append(answer("Hello again."))
        async with app_of(home, server, tools=[repeat]) as app:  # and the session goes on without it
            assert (await app.ask("default", "And?", session=last.session)).reason == "done"
    found = {
        **files(home),
        "events": repr(heard).encode(),
        "log": logged(caplog),
        "output": "".join(capfd.readouterr()).encode(),
    }
    assert leaks(found) == []


# Tools


def spending_tool(name: str, isolation: Any = None) -> Any:
    @tool(effect="read", secrets=[name], isolation=isolation)
    async def spend(context: Context) -> dict[str, str]:
        """Say which secrets it was given."""
        return dict(context.secrets)

    return spend


@pytest.mark.parametrize("name", [NAME, NAME.lower(), "ANTHROPIC_API_KEY", "OPENAI_API_KEY"])
async def test_a_tool_that_declares_the_key_of_a_provider_is_refused(
    name: str, home: Path, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("environment")
    monkeypatch.setenv(name, KEY)
    replies = [call("spend"), answer("I may not.")]
    async with talking(BY_LABEL["gemini"], replies) as server:
        async with app_of(home, server, tools=[spending_tool(name)]) as app:
            await app.ask("default", "Go.")
            refused = await app.engine.call(ToolCall("spend"))
        assert refused.kind is Kind.PERMISSION_DENIED
        assert name in refused.message
        assert "under another name" in refused.message
        assert server.heard[1].values == ["permission_denied"]
        assert leaks(files(home)) == []


async def test_without_the_guard_a_tool_would_be_given_the_key(
    home: Path, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("environment")
    monkeypatch.setattr(Keys, "give", lambda self, names: Secrets().given(names))  # pyright: ignore[reportUnknownArgumentType, reportUnknownLambdaType]
    async with (
        talking(BY_LABEL["gemini"]) as server,
        app_of(home, server, tools=[spending_tool(NAME)]) as app,
    ):
        assert NAME in (await app.engine.call(ToolCall("spend"))).value
