"""The official JSON Schema test suite: our verdict is the suite's."""

import json
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from tests.corpus.conftest import Rows

from oneclaw.core.check.schema import Schema


@lru_cache
def read_documents(corpus: Path, draft: str) -> dict[str, Any]:
    """The documents the suite's schemas refer to.

    One that does not name its draft is of the draft that refers to it, unless its folder says otherwise.
    """
    documents = json.loads((corpus / "oracles" / "json_schema_suite_remotes.json").read_text("utf-8"))
    return {
        address: document
        for address, document in documents.items()
        if "/v1/" not in address
        and (f"/{draft}/" in address or "/draft" not in address or "$schema" in document)
    }


def judge(row: dict[str, Any], corpus: Path, formats: bool | None = None) -> bool | str:
    schema: Any = row["schema"]
    if row["draft"] == "draft7" and not isinstance(schema, bool):
        schema = {"$schema": "http://json-schema.org/draft-07/schema#", **schema}
    try:
        compiled = Schema(schema, read_documents(corpus, row["draft"]), formats)
    except Exception as error:  # a schema that does not compile is a wrong verdict, whatever the reason
        return str(error)
    valid = compiled.is_valid(row["data"])
    assert valid is not bool(compiled.problems(row["data"])), f"{row['id']}: problems and verdict disagree"
    return valid


def misjudged(rows: list[dict[str, Any]], corpus: Path, formats: bool | None = None) -> Iterator[str]:
    for row in rows:
        verdict = judge(row, corpus, formats)
        if verdict is not row["valid"]:
            yield f"{row['id']}: {verdict}"


def select(rows: Rows, draft: str, *, optional: bool) -> list[dict[str, Any]]:
    wanted = (draft, optional)
    return [row for row in rows("json_schema_suite") if (row["draft"], row["optional"]) == wanted]


def test_every_required_case_of_2020_12_is_judged_as_the_suite_does(rows: Rows, corpus: Path) -> None:
    required = select(rows, "draft2020-12", optional=False)
    assert len(required) > 500
    wrong = list(misjudged(required, corpus))
    assert len(wrong) <= len(required) * 0.006, wrong
    assert wrong == []


def test_every_required_case_of_draft_7_is_judged_as_the_suite_does(rows: Rows, corpus: Path) -> None:
    required = select(rows, "draft7", optional=False)
    assert len(required) > 300
    assert list(misjudged(required, corpus)) == []


@pytest.mark.parametrize("draft", ["draft2020-12", "draft7"])
def test_optional_cases_are_judged_as_the_suite_does_when_formats_are_asked_for(
    rows: Rows, corpus: Path, draft: str
) -> None:
    optional = select(rows, draft, optional=True)
    wrong = list(misjudged(optional, corpus, formats=True))
    counts = Counter(line.split(".json")[0] for line in wrong)
    assert len(wrong) <= len(optional) * 0.006, counts
