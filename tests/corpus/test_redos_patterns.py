"""Patterns that stall a backtracking engine, as the `pattern` of a schema: the check ends at once."""

import contextlib
import time
from typing import Any

import pytest
from tests.corpus.conftest import Rows

from oneclaw.core.check.arguments import ArgumentCheck
from oneclaw.core.errors import InvalidSchema, ToolError
from oneclaw.core.tool import ToolDefinition

FORMS = ["P", "^P$", "^(?:P)+$", "(?=P).", "(?!P).$", "^(?=P)(?!P).+$", r"(P)\1$", "(?:P){2,20}"]
"""The pattern as it is, and written so that an automaton cannot take it, or only a large one."""


def attacks(row: dict[str, Any]) -> list[str]:
    given = row.get("attack")
    texts = [given] if isinstance(given, str) else list(given or ()) or ["a" * 3_000 + "!"]
    return [longer for text in texts for longer in (text, text * 40 + "\x00")]


def build(schema: dict[str, Any]) -> ArgumentCheck | None:
    parameters = {
        "type": "object",
        "properties": {"text": schema, "texts": {"type": "array", "items": schema}},
    }
    try:
        return ArgumentCheck(ToolDefinition(name="match", parameters=parameters, effect="read"))
    except InvalidSchema:
        return None


def seconds(check: ArgumentCheck, raw: dict[str, Any]) -> float:
    start = time.process_time()
    with contextlib.suppress(ToolError):
        check.check(raw)
    return time.process_time() - start


@pytest.mark.parametrize("form", FORMS)
def test_every_row_ends_well_within_a_second(rows: Rows, form: str) -> None:
    compiled = 0
    for row in rows("redos"):
        start = time.process_time()
        check = build({"type": "string", "pattern": form.replace("P", row["pattern"])})
        assert time.process_time() - start < 0.5, row["id"]
        if check is None:
            continue
        compiled += 1
        for text in attacks(row):
            assert seconds(check, {"text": text}) < 0.8, row["id"]
            assert seconds(check, {"texts": [text] * 50}) < 0.8, row["id"]
    assert compiled > 5


def test_most_rows_are_taken_as_patterns(rows: Rows) -> None:
    patterns = [row["pattern"] for row in rows("redos")]
    refused = [pattern for pattern in patterns if build({"type": "string", "pattern": pattern}) is None]
    assert len(refused) <= len(patterns) * 0.2, refused


def test_every_row_as_a_pattern_of_names_ends_well_within_a_second(rows: Rows) -> None:
    for row in rows("redos"):
        check = build({"type": "object", "patternProperties": {row["pattern"]: {"type": "integer"}}})
        for text in attacks(row) if check else ():
            assert check is not None
            assert seconds(check, {"text": {text: "x"}}) < 0.8, row["id"]
