"""Patterns that stall a backtracking engine, as the `pattern` of a schema: the check ends at once."""

import contextlib
import math
import re
import time
from typing import Any

import pytest
from tests.corpus.conftest import Judged, Rows, attack_texts

from oneclaw.core.check.arguments import ArgumentCheck
from oneclaw.core.errors import InvalidSchema, ToolError
from oneclaw.core.tool import ToolDefinition

FORMS = ["P", "^P$", "^(?:P)+$", "(?=P).", "(?!P).$", "^(?=P)(?!P).+$", r"(P)\1$", "(?:P){2,20}"]
"""The pattern as it is, and written so that an automaton cannot take it, or only a large one."""


def attacks(row: dict[str, Any]) -> list[str]:
    return [longer for text in attack_texts(row) for longer in (text, text * 40 + "\x00")]


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
def test_every_row_ends_well_within_a_second(rows: Rows, form: str, judged: Judged) -> None:
    for row in rows("redos"):
        with judged(row["id"]):
            start = time.process_time()
            check = build({"type": "string", "pattern": form.replace("P", row["pattern"])})
            assert time.process_time() - start < 0.5
            if check is None:
                continue
            for text in attacks(row):
                assert seconds(check, {"text": text}) < 0.8
                assert seconds(check, {"texts": [text] * 50}) < 0.8


def test_a_pattern_without_looking_around_or_back_is_taken(rows: Rows, judged: Judged) -> None:
    for row in rows("redos"):
        with judged(row["id"]):
            if is_regular(row["pattern"]):
                assert build({"type": "string", "pattern": row["pattern"]}) is not None


def is_regular(pattern: str) -> bool:
    """Whether Python reads the pattern, and it has no groups with a mark, no back references, no octals.

    Nor counts so high, or groups so deep, that an automaton of it would be too large: it may be refused.
    """
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return False
    counts = math.prod(max(1, int(most)) for most in re.findall(r"(\d+)\}", pattern))
    return (
        counts < 1_000
        and pattern.count("(") <= 50
        and not re.search(r"\\[0-9AZ]|\(\?(?!:)|[*+?}]\+", pattern)
    )


def test_every_row_as_a_pattern_of_names_ends_well_within_a_second(rows: Rows, judged: Judged) -> None:
    for row in rows("redos"):
        with judged(row["id"]):
            check = build({"type": "object", "patternProperties": {row["pattern"]: {"type": "integer"}}})
            for text in attacks(row) if check else ():
                assert check is not None
                assert seconds(check, {"text": {text: "x"}}) < 0.8
