"""Outside test data: rows nobody here wrote, read where they lie; tests skip and say so without them."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.journeys.obedient import outside as outside
from tests.journeys.obedient import thief as thief

from oneclaw.core.make.foreign import adopt
from oneclaw.core.tool import ToolDefinition
from oneclaw.tools.builtin import load_all

Rows = Callable[[str], list[dict[str, Any]]]


def corpus_folder() -> Path:
    named = os.environ.get("ONECLAW_CORPUS")
    return Path(named) if named else Path(__file__).parents[3] / "shared" / "corpus"


def read_rows(name: str) -> Iterator[dict[str, Any]]:
    path = corpus_folder() / f"{name}.jsonl"
    if not path.exists():
        pytest.skip(
            f"the outside data set {name} is not here; name its folder in ONECLAW_CORPUS",
            allow_module_level=True,
        )
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


@pytest.fixture
def rows() -> Rows:
    """The rows of one data set by name, as `rows("ssrf_urls")`."""
    return lambda name: list(read_rows(name))


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
    documents = [{**row, "parameters": row["inputSchema"]} for row in read_rows("mcp_tools")]
    for document in documents + [row["function"] for row in read_rows("bfcl_functions")]:
        adopted = adopt(document, taken=found).definition
        found[adopted.name] = adopted
    return tuple(found.values())
