"""Outside test data: rows nobody here wrote, read where they lie; tests skip and say so without them.

The tests run on any file of the same form. A test names no row and no count of rows; it judges each row by
the row's own fields, inside `with judged(row["id"])`, so that one failure does not hide the next.
"""

import json
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests.journeys.obedient import outside as outside
from tests.journeys.obedient import thief as thief

from oneclaw.core.define.foreign import adopt
from oneclaw.core.errors import InvalidTool
from oneclaw.core.tool import ToolDefinition
from oneclaw.tools.builtin import load_all

Rows = Callable[[str], list[dict[str, Any]]]
Judged = Callable[[str], AbstractContextManager[None]]
T = TypeVar("T")


def corpus_folder() -> Path:
    named = os.environ.get("ONECLAW_CORPUS")
    return Path(named) if named else Path(__file__).parents[3] / "shared" / "corpus"


def read_rows(name: str) -> Iterator[dict[str, Any]]:
    if not has_rows(name):
        pytest.skip(
            f"the outside data set {name} is not here; name its folder in ONECLAW_CORPUS",
            allow_module_level=True,
        )
    with (corpus_folder() / f"{name}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def has_rows(name: str) -> bool:
    return (corpus_folder() / f"{name}.jsonl").exists()


@pytest.fixture
def rows() -> Rows:
    """The rows of one data set by name, as `rows("ssrf_urls")`."""
    return lambda name: list(read_rows(name))


@pytest.fixture
def judged(subtests: pytest.Subtests) -> Judged:
    """Judge one row: `with judged(row["id"]): assert …`. A failure is reported as a subtest of that name.

    A row that holds costs nothing; a subtest for each of ten thousand rows would cost a minute.
    """

    @contextmanager
    def judge(name: str) -> Generator[None]:
        try:
            yield
        except (Exception, pytest.fail.Exception) as error:
            with subtests.test(name):
                raise error

    return judge


def some(found: Sequence[T], kind: str) -> Sequence[T]:
    """The rows that were chosen; without any, the test has nothing to judge and says so."""
    if not found:
        pytest.skip(f"this file has no {kind}")
    return found


def spread(found: Sequence[T], most: int) -> Sequence[T]:
    """At most about so many of them, from first to last, for what takes long with each."""
    return found[:: -(-len(found) // most) or 1]


def as_read(text: str) -> str:
    """The text of a file with this content: the mark before a text tells its encoding, and is none of it."""
    return text[1:] if text.startswith("\ufeff") and len(text) > 1 else text


def texts_of(rows: Rows, name: str, field: str = "s") -> dict[str, str]:
    """A text of each row by the row's id; a text that stands there twice is taken once."""
    ids = {row[field]: row["id"] for row in reversed(rows(name))}
    return {each: text for text, each in reversed(ids.items())}


def attack_texts(row: dict[str, Any]) -> list[str]:
    """The texts a pattern is slow with; where a row has none, a long one."""
    given = row.get("attack")
    return [given] if isinstance(given, str) else list(given or ["a" * 3_000 + "!"])


@pytest.fixture
def corpus() -> Path:
    """The folder of the data sets."""
    folder = corpus_folder()
    if not folder.exists():
        pytest.skip("the outside data is not here; name its folder in ONECLAW_CORPUS")
    return folder


@pytest.fixture(scope="session")
def tools() -> tuple[ToolDefinition, ...]:
    """Every real tool of the data sets, as it would be registered beside our own."""
    found = {tool.name: tool.definition for tool in load_all()}
    if not has_rows("mcp_tools") and not has_rows("bfcl_functions"):
        pytest.skip("the outside data sets mcp_tools and bfcl_functions are not here")
    mcp = read_rows("mcp_tools") if has_rows("mcp_tools") else ()
    bfcl = read_rows("bfcl_functions") if has_rows("bfcl_functions") else ()
    documents = [{**row, "parameters": row["inputSchema"]} for row in mcp]
    for document in documents + [row["function"] for row in bfcl]:
        with suppress(InvalidTool):  # told by name in test_dialects; one tool does not hide the others
            adopted = adopt(document, taken=found).definition
            found[adopted.name] = adopted
    return tuple(found.values())
