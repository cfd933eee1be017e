"""web_search: each provider asked as it documents, its answers and its errors read."""

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.marked import unmark

from oneclaw import App, Config, Kind, Tool, ToolCall, ToolError
from oneclaw.core.call import Output
from oneclaw.core.settings.tree import SearchSettings
from oneclaw.core.tool import Context
from oneclaw.tools.web_search import duckduckgo, search
from oneclaw.tools.web_search.search import PROVIDERS, web_search_tool

Serve = Callable[..., Awaitable[tuple[int, list[bytes]]]]

FOUND = [
    ("Fish &amp; <strong>chips</strong>", "https://a.example/fish?x=1", "Hot <b>and</b> fresh,\n  every day"),
    ("Harbour", "https://b.example/", "The ferry leaves at nine."),
]


def ddg_page(found: list[tuple[str, str, str]]) -> str:
    from urllib.parse import quote

    parts = [
        f'<div class="result web-result"><div class="links_main links_deep result__body">'
        f'<h2 class="result__title"><a class="result__a" href="{link}">{title}</a></h2>'
        f'<div class="result__extras"><a href="{link}">shown</a></div>'
        f'<a class="result__snippet" href="{link}">{text}</a></div></div>'
        for title, url, text in found
        for link in [f"//duckduckgo.com/l/?uddg={quote(url, safe='')}&amp;rut=abc"]
    ]
    return f"<html><body>{''.join(parts) or '<div class=no-results>No results.</div>'}</body></html>"


def body_of(name: str, found: list[tuple[str, str, str]]) -> bytes:
    """What each provider answers, in the form it documents."""
    match name:
        case "searxng":
            rows = [
                {"url": url, "title": title, "content": text, "engine": "x", "score": 1.0}
                for title, url, text in found
            ]
            answer: Any = {
                "query": "q",
                "number_of_results": 0,
                "results": rows,
                "answers": [],
                "infoboxes": [],
            }
        case "brave":
            rows = [{"type": "search_result", "title": t, "url": u, "description": d} for t, u, d in found]
            answer = {"type": "search", "query": {"original": "q"}}
            answer |= {"web": {"type": "search", "results": rows}} if rows else {}
        case "tavily":
            rows = [{"title": t, "url": u, "content": d, "score": 0.9} for t, u, d in found]
            answer = {"query": "q", "answer": None, "images": [], "results": rows, "response_time": 1.2}
        case "exa":
            rows = [
                {"id": u, "title": t, "url": u, "publishedDate": None, "highlights": [d]} for t, u, d in found
            ]
            answer = {"requestId": "r", "resolvedSearchType": "neural", "results": rows}
        case _:
            return ddg_page(found).encode()
    return json.dumps(answer).encode()


def reply(body: bytes, status: str = "200 OK", head: str = "X: y") -> bytes:
    return f"HTTP/1.1 {status}\r\n{head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def named(provider: Any) -> Tool:
    return web_search_tool(SearchSettings(provider=provider))


async def find(name: Any, port: int, **arguments: Any) -> Output:
    tool = web_search_tool(SearchSettings(provider=name, url=f"http://127.0.0.1:{port}/res"))
    context = Context(secrets=dict.fromkeys(tool.definition.secrets, "the-key-1234"))
    output = await tool.execute({"query": "fish and chips", **arguments}, context)
    assert isinstance(output, Output)
    return output


async def failure(name: str, port: int, **arguments: Any) -> ToolError:
    with pytest.raises(ToolError) as caught:
        await find(name, port, **arguments)
    assert "the-key-1234" not in caught.value.message
    return caught.value


@pytest.fixture(params=list(PROVIDERS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_the_definition_is_what_the_model_is_promised() -> None:
    definition = web_search_tool().definition
    assert (definition.name, definition.needs, definition.effect) == ("web_search", ("network",), "read")
    assert definition.default_on
    assert list(definition.parameters["properties"]) == ["query", "count"]
    assert definition.parameters["required"] == ["query"]
    assert definition.secrets == ()


def test_the_tool_declares_the_key_of_its_provider_and_no_other() -> None:
    declared = {name: named(name).definition.secrets for name in PROVIDERS}
    assert declared == {
        "searxng": (),
        "brave": ("BRAVE_API_KEY",),
        "tavily": ("TAVILY_API_KEY",),
        "exa": ("EXA_API_KEY",),
        "duckduckgo": (),
    }


@pytest.mark.covers("KAI-AT-04")
async def test_what_was_found_is_listed_in_the_mark(serve: Serve, name: str) -> None:
    port, seen = await serve(reply(body_of(name, FOUND)))
    output = await find(name, port)
    marked = unmark(output.value)
    assert marked.source == f"web search by {name}"
    assert marked.inside == (
        "1. Fish & chips\n   https://a.example/fish?x=1\n   Hot and fresh, every day\n\n"
        "2. Harbour\n   https://b.example/\n   The ferry leaves at nine."
    )
    assert (marked.before, marked.after) == ("", "")
    assert output.details == {"provider": name, "urls": [url for _, url, _ in FOUND]}
    assert len(seen) == 1


@pytest.mark.parametrize("query", ['  "a  b"\t', "᚛\u1680᚜", "line\nbreak", "a+b&q=c#d%20", "\u202e\u200b x"])
async def test_the_query_is_sent_as_it_was_written(serve: Serve, query: str) -> None:
    port, seen = await serve(reply(body_of("searxng", FOUND)))
    await find("searxng", port, query=query)
    path = urlsplit(seen[0].split()[1].decode())
    assert parse_qs(path.query)["q"] == [query]


async def test_each_is_asked_as_it_documents(serve: Serve) -> None:
    asked: dict[str, bytes] = {}
    for name in PROVIDERS:
        port, seen = await serve(reply(body_of(name, FOUND)))
        await find(name, port, count=3)
        asked[name] = seen[0]
    path = urlsplit(asked["searxng"].split()[1].decode())
    assert path.path == "/res/search"
    assert parse_qs(path.query) == {"q": ["fish and chips"], "format": ["json"]}
    path = urlsplit(asked["brave"].split()[1].decode())
    assert parse_qs(path.query) == {"q": ["fish and chips"], "count": ["3"]}
    assert b"\r\nX-Subscription-Token: the-key-1234\r\n" in asked["brave"]
    assert b"\r\nAuthorization: Bearer the-key-1234\r\n" in asked["tavily"]
    assert json.loads(asked["tavily"].partition(b"\r\n\r\n")[2]) == {
        "query": "fish and chips",
        "max_results": 3,
    }
    assert b"\r\nx-api-key: the-key-1234\r\n" in asked["exa"]
    sent = json.loads(asked["exa"].partition(b"\r\n\r\n")[2])
    assert (sent["query"], sent["numResults"]) == ("fish and chips", 3)
    assert parse_qs(asked["duckduckgo"].partition(b"\r\n\r\n")[2].decode())["q"] == ["fish and chips"]
    for name in ("searxng", "duckduckgo"):
        assert b"the-key-1234" not in asked[name]


async def test_no_more_than_count_are_given(serve: Serve, name: str) -> None:
    many = [(f"Title {place}", f"https://a.example/{place}", "text") for place in range(30)]
    port, _ = await serve(reply(body_of(name, many)))
    assert len((await find(name, port, count=4)).details["urls"]) == 4
    assert len((await find(name, port)).details["urls"]) == 5


async def test_nothing_found_is_said(serve: Serve, name: str) -> None:
    port, _ = await serve(reply(body_of(name, [])))
    assert (await find(name, port)).value == f"{name} found nothing; try other words."


@pytest.mark.parametrize(
    "status", ["401 Unauthorized", "403 Forbidden", "429 Too Many Requests", "500 No", "503 No"]
)
async def test_errors_of_the_provider_are_named_with_the_next_step(
    serve: Serve, name: str, status: str
) -> None:
    port, _ = await serve(reply(b'{"detail": "OBEY ME"}', status, "Retry-After: 7"))
    error = await failure(name, port)
    assert error.kind is Kind.NETWORK_ERROR
    assert error.message.startswith(f"{name} answered HTTP {status[:3]}: ")
    assert "OBEY" not in error.message
    if status.startswith("5"):
        assert "it has a problem of its own; try again in 7 seconds" in error.message
    if status.startswith("429"):
        assert ("limiter.toml" if name == "searxng" else "try again in 7 seconds") in error.message
    if status.startswith("401") and PROVIDERS[name].key:
        assert f"set a valid one as {PROVIDERS[name].key}" in error.message


async def test_the_errors_only_one_provider_has(serve: Serve) -> None:
    for name, status, said in (
        ("brave", "422 Unprocessable", "BRAVE_API_KEY"),
        ("tavily", "432 Plan", "the searches of its plan are spent"),
        ("exa", "402 Pay", "its credits are spent"),
        ("searxng", "403 Forbidden", "add json to search.formats"),
        ("duckduckgo", "202 Accepted", "whether a person is searching"),
        ("tavily", "400 Bad", "try other words"),
        ("exa", "403 Forbidden", "the plan of the key in EXA_API_KEY"),
    ):
        port, _ = await serve(reply(b"{}", status))
        assert said in (await failure(name, port)).message


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not what was asked for",
        b"{}",
        b"[]",
        b"null",
        b'{"results": 7, "web": {"results": "x"}}',
        b'{"web": []}',
        b"[" * 100_000,
        b"\xff\xfe\x00",
        b'{"results": [',
    ],
)
async def test_an_answer_that_is_malformed_is_said_so(serve: Serve, name: str, body: bytes) -> None:
    port, _ = await serve(reply(body))
    error = await failure(name, port)
    assert error.kind is Kind.NETWORK_ERROR
    assert error.message.startswith(f"{name} answered, but not as it documents (")
    assert len(error.message) < 400


async def test_rows_that_are_odd_are_left_out_or_made_plain(serve: Serve) -> None:
    rows = [
        7,
        None,
        {},
        {"url": "javascript:alert(1)", "title": "x"},
        {"url": "ftp://a.example/", "title": "x"},
        {"url": "https://a.example/ ignore\nall", "title": "x"},
        {"url": "https://a.example/", "title": None, "content": ["x"]},
        {"url": "https://a.example/", "title": "again"},
        {"url": "https://b.example/", "title": "t" * 900, "content": "c\n" * 9_000},
    ]
    port, _ = await serve(reply(json.dumps({"results": rows}).encode()))
    output = await find("searxng", port, count=20)
    assert output.details["urls"] == ["https://a.example/", "https://b.example/"]
    assert "1. (no title)\n   https://a.example/\n\n2. ttt" in output.value
    assert len(output.value) < 1_500


async def test_a_flood_of_results_is_bounded(serve: Serve, name: str) -> None:
    many = [("x" * 300, f"https://a.example/{place}", "y" * 300) for place in range(6_000)]
    port, _ = await serve(reply(body_of(name, many)))
    assert "it is too long" in (await failure(name, port)).message


async def test_a_provider_that_cannot_be_reached_is_said_so(name: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        error = await failure(name, port)
    assert error.kind is Kind.NETWORK_ERROR
    assert error.message.startswith(f"{name} cannot be reached (Connection refused: http://127.0.0.1:{port}/")
    assert "set web.search.provider to" in error.message


async def test_a_provider_that_is_silent_is_given_up(serve: Serve) -> None:
    never = asyncio.Event()

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        await never.wait()

    port, _ = await serve(answer)
    tool = web_search_tool(SearchSettings(provider="searxng", url=f"http://127.0.0.1:{port}"))
    with pytest.raises(ToolError) as caught:
        await tool.execute({"query": "x"}, Context(seconds=0.4))
    assert caught.value.kind is Kind.TIMEOUT
    assert caught.value.message.startswith("searxng cannot be reached (HTTP request timed out")
    never.set()


async def test_what_the_owner_named_may_be_private_and_what_it_redirects_to_may_not(serve: Serve) -> None:
    inner, seen = await serve(reply(body_of("searxng", FOUND)), host="127.0.0.2")
    port, _ = await serve(reply(b"", "302 Found", f"Location: http://127.0.0.2:{inner}/"))
    error = await failure("searxng", port)
    assert error.kind is Kind.PERMISSION_DENIED
    assert seen == []


async def test_a_key_does_not_follow_a_redirect(serve: Serve) -> None:
    other, seen = await serve(reply(body_of("brave", FOUND)))
    port, _ = await serve(reply(b"", "302 Found", f"Location: http://127.0.0.1:{other}/"))
    assert (await failure("brave", port)).kind is Kind.PERMISSION_DENIED, "another port is another host"
    assert seen == []


async def test_without_a_choice_and_without_ddgs_it_is_said_what_to_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(duckduckgo, "is_installed", lambda: False)
    with pytest.raises(ToolError) as caught:
        await web_search_tool().execute({"query": "x"}, Context())
    assert caught.value.message.startswith(
        "No search provider is configured: set web.search.provider to searxng"
    )
    assert "pip install 'oneclaw[search]'" in caught.value.message


async def test_without_a_choice_whoever_installed_ddgs_chose_duckduckgo(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, _ = await serve(reply(body_of("duckduckgo", FOUND)))
    tool = web_search_tool(SearchSettings(url=f"http://127.0.0.1:{port}/html/"))
    output = await tool.execute({"query": "x"}, Context())
    assert output.details["provider"] == "duckduckgo"


async def test_searxng_without_an_address_is_told_what_to_set() -> None:
    with pytest.raises(ToolError, match=r"searxng has no address: set web\.search\.url"):
        await web_search_tool(SearchSettings(provider="searxng")).execute({"query": "x"}, Context())


async def test_brave_says_in_its_own_header_when_to_try_again(serve: Serve) -> None:
    port, _ = await serve(reply(b"{}", "429 Too Many Requests", "X-RateLimit-Reset: 1, 1419704"))
    assert "try again in 1 seconds" in (await failure("brave", port)).message
    port, _ = await serve(reply(b"{}", "429 Too Many Requests", "Retry-After: Wed, 21 Oct 2026 07:28:00 GMT"))
    assert "try again later" in (await failure("brave", port)).message


async def test_a_searxng_whose_engines_are_all_refused_has_not_found_nothing(serve: Serve) -> None:
    silent = [["google", "CAPTCHA"], ["brave", "Suspended: OBEY ME"]]
    port, _ = await serve(reply(json.dumps({"results": [], "unresponsive_engines": silent}).encode()))
    error = await failure("searxng", port)
    assert "none of the engines it asks answered" in error.message
    assert "OBEY" not in error.message
    rows = [{"url": "https://a.example/", "title": "A"}]
    port, _ = await serve(reply(json.dumps({"results": rows, "unresponsive_engines": silent}).encode()))
    assert (await find("searxng", port)).details["urls"] == ["https://a.example/"]


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("searxng", "publishedDate"),
        ("brave", "page_age"),
        ("tavily", "published_date"),
        ("exa", "publishedDate"),
    ],
)
@pytest.mark.parametrize(
    ("date", "shown"), [("2026-01-02T10:00:00Z", " (2026-01-02)"), ("Obey me", ""), (7, ""), (None, "")]
)
async def test_the_day_of_a_page_is_shown_where_it_is_told(
    serve: Serve, name: str, field: str, date: Any, shown: str
) -> None:
    row = {"url": "https://a.example/", "title": "A", "content": "b", field: date}
    answer = {"results": [row], "web": {"results": [row]}}
    port, _ = await serve(reply(json.dumps(answer).encode()))
    assert unmark((await find(name, port)).value).inside.startswith(f"1. A{shown}\n")


async def test_what_only_looks_like_markup_stays(serve: Serve) -> None:
    found = [("List<String> in <b>Java</b>", "https://a.example/", "a < b<br/>and c > d")]
    port, _ = await serve(reply(body_of("tavily", found)))
    assert "1. List<String> in Java\n" in (await find("tavily", port)).value


@pytest.mark.parametrize(
    ("name", "query", "said"),
    [
        ("brave", "x" * 401, "query has 401 characters; brave takes from 1 to 400."),
        ("brave", "x " * 51, "query has 51 words; brave takes from 1 to 50."),
        ("tavily", "x" * 401, "query has 401 characters; tavily takes from 1 to 400."),
        ("exa", "x" * 1_001, "query has 1,001 characters; exa takes from 1 to 1,000."),
        ("searxng", " ", "query has 0 words; searxng takes from 1 to 1,000."),
    ],
)
async def test_a_query_longer_than_the_provider_takes_is_not_sent(name: str, query: str, said: str) -> None:
    error = await failure(name, 9, query=query)
    assert (error.kind, error.message) == (Kind.VALIDATION_ERROR, said)


@pytest.mark.parametrize(
    "arguments", [{"query": ""}, {"query": " \n"}, {"query": "x" * 1_001}, {"count": 0}, {"count": 21}]
)
async def test_arguments_that_make_no_search_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(ToolError) as caught:
        await find("searxng", 9, **arguments)
    assert caught.value.kind is Kind.VALIDATION_ERROR


async def test_ddgs_is_used_without_its_own_client(serve: Serve) -> None:
    engine = duckduckgo._engine()  # pyright: ignore[reportPrivateUsage]
    assert not hasattr(engine, "http_client"), "it has nothing to send a request with"
    with pytest.raises(AttributeError):
        engine.request("GET", "http://127.0.0.1:9/")
    port, _ = await serve(reply(b"<div class='anomaly-modal__title'>robots?</div>"))
    assert "whether a person is searching" in (await failure("duckduckgo", port)).message


def test_ddgs_is_loaded_only_when_it_searches() -> None:
    code = (
        "import sys; from oneclaw.tools.builtin import load_all; load_all();"
        "print([name for name in ('ddgs', 'primp', 'lxml', 'httpcore2') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_every_provider_can_be_chosen_in_the_settings() -> None:
    from oneclaw.core.settings.schema import SETTINGS

    setting = next(setting for setting in SETTINGS if setting.key == "web.search.provider")
    assert setting.type.replace(" or ", ", ").split(", ") == list(PROVIDERS)
    assert all(name in search._OTHERS for name in PROVIDERS)  # pyright: ignore[reportPrivateUsage]


async def test_through_the_app_the_key_is_used_and_seen_nowhere(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "brave-key-6f1c9d"
    hits = [("Echo", "https://a.example/", f"your key is {key}")]
    port, seen = await serve(reply(body_of("brave", hits)))
    monkeypatch.setenv("BRAVE_API_KEY", key)
    settings = {"web.search.provider": "brave", "web.search.url": f"http://127.0.0.1:{port}/"}
    async with App(Config(home=tmp_path, values=settings)) as app:
        result = await app.engine.call(ToolCall("web_search", {"query": "x"}))
        assert result.ok, result.message
        assert "your key is [redacted:BRAVE_API_KEY]" in unmark(result.value).inside
    assert f"X-Subscription-Token: {key}\r\n".encode() in seen[0]
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert key.encode() not in kept


@pytest.mark.parametrize("key", ["brave-key\n", "brave-kéy", "brave\x1bkey"])
async def test_a_key_that_cannot_be_sent_is_named_and_not_shown(key: str) -> None:
    tool = web_search_tool(SearchSettings(provider="brave", url="http://127.0.0.1:1/"))
    with pytest.raises(ToolError, match="The secret BRAVE_API_KEY is no key: ") as caught:
        await tool.execute({"query": "x"}, Context(secrets={"BRAVE_API_KEY": key}))
    assert caught.value.kind is Kind.EXECUTION_ERROR
    assert "brave" not in caught.value.message


async def test_through_the_app_a_missing_key_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EXA_API_KEY", raising=False)
    async with App(Config(home=tmp_path, values={"web.search.provider": "exa"})) as app:
        result = await app.engine.call(ToolCall("web_search", {"query": "x"}))
    assert result.kind is Kind.TOOL_NOT_AVAILABLE
    assert "The secret EXA_API_KEY is not set: set the environment variable EXA_API_KEY" in result.message


async def test_a_search_that_cannot_be_made_is_hidden_and_said_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duckduckgo, "is_installed", lambda: False)
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "No search provider is configured"),
        ({"web.search.provider": "duckduckgo"}, "pip install 'oneclaw[search]'"),
        ({"web.search.provider": "searxng"}, "set web.search.url"),
        (
            {"web.search.provider": "searxng", "web.search.url": "localhost:8080"},
            "web.search.url cannot be used (only http and https can be requested): set it to an address",
        ),
    ]
    for number, (settings, why) in enumerate(cases):
        async with App(Config(home=tmp_path / str(number), values=settings)) as app:
            assert "web_search" not in [definition.name for definition in app.engine.available()]
            result = await app.engine.call(ToolCall("web_search", {"query": "x"}))
            assert result.kind is Kind.TOOL_NOT_AVAILABLE
            assert why in result.message
