"""The groups of JavaScript tools that come with us, and the example that asks a service with a key."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.marked import unmark

from oneclaw.app import App
from oneclaw.config import Config
from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.errors import Kind

BUILTIN = Path(__file__).parents[2] / "src" / "oneclaw" / "js" / "builtin"
EXAMPLES = Path(__file__).parents[2] / "examples"
TEXT = ("extract_matches", "compare_texts", "fill_template")
MOST_CHARS = 16_800
Serve = Callable[..., Awaitable[tuple[int, list[bytes]]]]
Ask = Callable[..., Awaitable[ToolResult]]


def entries() -> list[tuple[str, dict[str, Any]]]:
    tools = [tool for file in sorted(BUILTIN.glob("*.json")) for tool in json.loads(file.read_text())]
    return [(tool["name"], example) for tool in tools for example in tool["examples"]]


@pytest.fixture
async def ask(tmp_path: Path) -> AsyncIterator[Ask]:
    switches = {f"switches.{name}": True for name in TEXT}
    async with App(Config(home=tmp_path / "home", workspace=tmp_path / "work", values=switches)) as app:
        (tmp_path / "work").mkdir(exist_ok=True)

        async def call(tool: str, **arguments: Any) -> ToolResult:
            return await app.engine.call(ToolCall(tool, arguments))

        yield call


async def value(asked: Awaitable[ToolResult]) -> Any:
    result = await asked
    assert result.ok, result.message
    try:
        return json.loads(result.text)
    except ValueError:
        return result.text


@pytest.mark.parametrize(("tool", "example"), entries())
async def test_every_example_holds(ask: Ask, tool: str, example: dict[str, Any]) -> None:
    result = await ask(tool, **example["arguments"])
    if "error" in example:
        assert result.kind == example["error"]
    else:
        assert result.ok, result.message
        wanted = example["result"]
        assert (result.text if isinstance(wanted, str) else json.loads(result.text)) == wanted


def test_every_tool_of_ours_has_examples_and_every_parameter_says_what_it_is() -> None:
    for file in sorted(BUILTIN.glob("*.json")):
        for tool in json.loads(file.read_text()):
            assert len(tool["examples"]) >= 3, tool["name"]
            for name, schema in tool["parameters"]["properties"].items():
                assert schema.get("description"), f"{tool['name']}.{name}"


async def test_a_model_is_offered_few_words_and_tables_but_no_texts(tmp_path: Path) -> None:
    async with App(Config(home=tmp_path)) as app:
        offered = {one.name: one for one in app.engine.available()}
        assert {"query_csv", "query_json", "compute_statistics", "compute_date"} <= offered.keys()
        assert offered.keys().isdisjoint(TEXT)
        told = [
            {"name": one.name, "description": one.description, "input_schema": dict(one.parameters)}
            for one in offered.values()
        ]
        assert len(json.dumps(told, separators=(",", ":"))) <= MOST_CHARS, "every round of every run pays it"


# ---------------------------------------------------------------------- texts


async def test_matches_are_found_in_a_file_of_the_workspace(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "work" / "log.txt").write_text("ok\nERROR disk 7\nerror net 12\n")
    found = await value(
        ask("extract_matches", path="log.txt", pattern=r"error (\w+) (\d+)", ignore_case=True)
    )
    assert found == {
        "found": 2,
        "matches": [
            {"text": "ERROR disk 7", "line": 2, "groups": ["disk", "7"]},
            {"text": "error net 12", "line": 3, "groups": ["net", "12"]},
        ],
    }


async def test_a_file_outside_the_workspace_is_refused(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("canary")
    for tool, arguments in (
        ("extract_matches", {"path": "../secret.txt", "pattern": "."}),
        ("query_csv", {"path": "../secret.txt"}),
        ("query_json", {"path": str(tmp_path / "secret.txt"), "query": "$"}),
        ("compare_texts", {"before_path": "../secret.txt", "after": ""}),
        ("fill_template", {"template_path": "../secret.txt"}),
    ):
        result = await ask(tool, **arguments)
        assert not result.ok
        assert "canary" not in result.to_json()


async def test_more_matches_than_asked_for_are_counted(ask: Ask) -> None:
    found = await value(ask("extract_matches", text="a" * 150, pattern="a"))
    assert found["found"] == 150
    assert len(found["matches"]) == 100
    assert "50 more" in found["more"]


@pytest.mark.slow
async def test_a_pattern_that_never_ends_is_stopped_and_the_next_call_works(ask: Ask) -> None:
    slow = asyncio.ensure_future(ask("extract_matches", text="a" * 40 + "b", pattern="^(a+)+$"))
    assert (await value(ask("extract_matches", text="abc", pattern="b")))["found"] == 1
    assert (await slow).kind is Kind.TIMEOUT


async def test_texts_are_compared_with_files(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "work" / "new.txt").write_text("one\n2\nthree\n")
    shown = await value(ask("compare_texts", before="one\ntwo\nthree\n", after_path="new.txt"))
    assert "-two\n+2\n" in shown
    assert "+++ new.txt" in shown


async def test_a_template_escapes_what_it_is_given(ask: Ask) -> None:
    filled = await value(ask("fill_template", template="q={{q}}", values={"q": "a b&c"}, escape="url"))
    assert filled == "q=a%20b%26c"
    shell = await value(
        ask("fill_template", template="echo {{x}}", values={"x": "'; rm -rf /"}, escape="shell")
    )
    assert shell == "echo ''\\''; rm -rf /'"


# ---------------------------------------------------------------------- tables


async def test_numbers_in_a_table_sort_and_compare_as_numbers(ask: Ask) -> None:
    table = "n\n10\n9\n-1\n2e3\n"
    found = await value(ask("query_csv", text=table, sort=[{"column": "n"}]))
    assert [row["n"] for row in found["rows"]] == ["-1", "9", "10", "2e3"]
    found = await value(ask("query_csv", text=table, where=[{"column": "n", "is": "<=", "value": "9"}]))
    assert found["rows_matched"] == 2


async def test_a_table_is_read_in_pages(ask: Ask) -> None:
    table = "n\n" + "".join(f"{number}\n" for number in range(120))
    first = await value(ask("query_csv", text=table, limit=100))
    assert first["more"] == "20 more; go on with offset 100"
    rest = await value(ask("query_csv", text=table, limit=100, offset=100))
    assert [row["n"] for row in rest["rows"]] == [str(number) for number in range(100, 120)]
    assert "more" not in rest


async def test_quoted_cells_and_other_delimiters_are_understood(ask: Ask) -> None:
    found = await value(ask("query_csv", text='name;note\n"A; B";"said ""hi"""\n'))
    assert found["rows"] == [{"name": "A; B", "note": 'said "hi"'}]


async def test_a_table_without_rows_still_has_columns(ask: Ask) -> None:
    found = await value(ask("query_csv", text="a,b\n", columns=["a"]))
    assert (found["columns"], found["rows"]) == (["a", "b"], [])


async def test_all_rows_can_be_summed_without_a_group(ask: Ask) -> None:
    aggregate = [{"column": "n", "function": name} for name in ("sum", "mean", "median", "min", "max")]
    found = await value(ask("query_csv", text="n\n1\n2\n6\n", aggregate=aggregate))
    assert found["rows"] == [{"count": 3, "sum_n": 9, "mean_n": 3, "median_n": 2, "min_n": 1, "max_n": 6}]


async def test_a_wrong_column_names_those_there_are(ask: Ask) -> None:
    result = await ask("query_csv", text="a,b\n1,2\n", where=[{"column": "c", "is": "=", "value": "1"}])
    assert 'There is no column "c"; there are: a, b.' in result.message


# ---------------------------------------------------------------------- JSON

STORE = {
    "store": {
        "book": [
            {"title": "A", "price": 8.95, "tags": ["x", "y"]},
            {"title": "B", "price": 12.99, "isbn": "1"},
            {"title": "C's", "price": 8.99, "isbn": "2"},
        ],
        "bike": {"price": 399, "new price": 1},
    }
}


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("$.store.book[*].title", ["A", "B", "C's"]),
        ("store.book[0].title", ["A"]),
        ("$..price", [8.95, 12.99, 8.99, 399]),
        ("$.store.book[-1].title", ["C's"]),
        ("$.store.book[0:2].title", ["A", "B"]),
        ("$.store.book[::-1].title", ["C's", "B", "A"]),
        ("$.store.book[0,2].title", ["A", "C's"]),
        ("$.store.bike['new price']", [1]),
        ('$.store["bike"].price', [399]),
        ("$.store.book[?(@.price < 9)].title", ["A", "C's"]),
        ("$.store.book[?@.isbn].title", ["B", "C's"]),
        ("$.store.book[?!@.isbn].title", ["A"]),
        ("$.store.book[?(@.price < 9 && @.isbn == '2')].title", ["C's"]),
        ("$.store.book[?@.title == 'A' || @.title == 'B'].price", [8.95, 12.99]),
        ("$.store.book[?@.title == 'C\\'s'].price", [8.99]),
        ("$.store.book[?length(@.tags) == 2].title", ["A"]),
        ("$.store.book[?count(@.tags[*]) > 1].title", ["A"]),
        ("$.store.book[?@.price > $.store.bike['new price']].title", ["A", "B", "C's"]),
        ("$.store.nothing", []),
        ("$.store.book[9]", []),
        ("$.constructor", []),
        ("$", [STORE]),
    ],
)
async def test_a_path_finds_what_the_standard_says(ask: Ask, query: str, wanted: list[Any]) -> None:
    assert (await value(ask("query_json", text=json.dumps(STORE), query=query)))["values"] == wanted


@pytest.mark.parametrize(
    "query", ["$.", "$[", "$['a", "$[?]", "$[?(@.a <)]", "$ x", "$[?eval('1')]", "$..", "$[1:2:3:4]"]
)
async def test_a_path_that_is_none_says_where(ask: Ask, query: str) -> None:
    result = await ask("query_json", text="{}", query=query)
    assert "The query is not understood at character" in result.message


# ---------------------------------------------------------------------- dates and numbers


async def test_days_are_counted_back_and_forth(ask: Ask) -> None:
    back = await value(ask("compute_date", date="2026-03-01", add={"days": -1}, until="2026-01-01"))
    assert (back["date"], back["days"]) == ("2026-02-28", -58)


async def test_today_is_a_date(ask: Ask) -> None:
    today = await value(ask("compute_date", date="today"))
    assert len(today["date"]) == 10


async def test_percentiles_are_computed_on_request(ask: Ask) -> None:
    found = await value(ask("compute_statistics", numbers=list(range(101)), percentiles=[95]))
    assert found["p95"] == 95


# ---------------------------------------------------------------------- a service with a key


async def test_the_example_asks_a_service_with_a_key_it_is_given_by_name(
    tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        body = b'{"number": 8, "title": "Tea is out"}'
        if request.startswith(b"GET"):
            body = b'[{"number": 7, "title": "No milk"}]'
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)

    port, seen = await serve(answer)
    home = tmp_path / "home"
    (home / "tools").mkdir(parents=True)
    for name in ("tracker.json", "tracker.js"):
        shutil.copy(EXAMPLES / name, home / "tools")
    monkeypatch.setenv("TRACKER_URL", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("TRACKER_KEY", "tk-canary-98765")
    monkeypatch.setenv("OTHER_KEY", "ok-canary-12345")
    config = Config(home=home, values={"network.private_hosts": ["127.0.0.1"]})
    async with App(config) as app:
        listed = await app.engine.call(ToolCall("tracker_list_issues", {}))
        added = await app.engine.call(ToolCall("tracker_add_issue", {"title": "Tea is out"}))
        kept = str(await app.store.calls.history())
    assert unmark(listed.value).inside == "#7 No milk"
    assert json.loads(unmark(added.text).inside) == {"number": 8, "title": "Tea is out"}
    assert "made issue 8" in (added.details or {})["log"]
    assert seen[0].startswith(b"GET /issues?state=open ")
    assert b"Bearer tk-canary-98765" in seen[0]
    assert b'{"title":"Tea is out"}' in seen[1]
    assert "canary" not in kept


async def test_without_its_key_the_example_says_which_is_missing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "tools").mkdir(parents=True)
    for name in ("tracker.json", "tracker.js"):
        shutil.copy(EXAMPLES / name, home / "tools")
    async with App(Config(home=home)) as app:
        result = await app.engine.call(ToolCall("tracker_list_issues", {}))
    assert not result.ok
    assert "TRACKER_URL" in result.message
