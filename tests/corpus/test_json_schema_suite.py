"""The official JSON Schema test suite: our verdict is the suite's."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from tests.corpus.conftest import Judged, Rows, some

from oneclaw.core.check.schema import CompiledSchema


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


def judge(row: dict[str, Any], corpus: Path) -> bool:
    schema: Any = row["schema"]
    if row["draft"] == "draft7" and not isinstance(schema, bool):
        schema = {"$schema": "http://json-schema.org/draft-07/schema#", **schema}
    # The suite's optional rows on formats are for those who check them; its required ones are for all.
    formats = True if row["optional"] and row["format"] else None
    compiled = CompiledSchema(schema, read_documents(corpus, row["draft"]), formats)
    valid = compiled.is_valid(row["data"])
    assert valid is not bool(compiled.problems(row["data"])), "problems and verdict disagree"
    return valid


@pytest.mark.parametrize("draft", ["draft2020-12", "draft7"])
@pytest.mark.parametrize("optional", [False, True], ids=["required", "optional"])
def test_every_case_is_judged_as_the_suite_does(
    rows: Rows, corpus: Path, judged: Judged, draft: str, optional: bool
) -> None:
    wanted = (draft, optional)
    found = [row for row in rows("json_schema_suite") if (row["draft"], row["optional"]) == wanted]
    for row in some(found, f"row of {draft}"):
        with judged(row["id"]):
            assert judge(row, corpus) is row["valid"], row["test"]
