"""Raw argument bytes of every shape: taken, repaired in a named way, or refused; never a crash."""

import base64
import json
import time
from typing import Any

from tests.corpus.conftest import Judged, Rows

from oneclaw.core.check.arguments import ArgumentCheck, Checked
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.tool import ToolDefinition

TAKES_ANYTHING = {"type": "object"}


def build(effect: Any = "read") -> ArgumentCheck:
    return ArgumentCheck(ToolDefinition(name="take", parameters=TAKES_ANYTHING, effect=effect))


def judge(check: ArgumentCheck, raw: bytes | str) -> Checked | ToolError:
    start = time.process_time()
    try:
        return check.check(raw)
    except ToolError as error:
        return error
    finally:
        assert time.process_time() - start < 1


def has_double_names(raw: bytes) -> bool:
    """Whether an object names a member twice, so that readers differ."""
    found = False

    def look(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal found
        found = found or len(dict(pairs)) < len(pairs)
        return dict(pairs)

    json.loads(raw, object_pairs_hook=look)
    return found


def is_object(raw: bytes) -> bool:
    try:
        return isinstance(json.loads(raw), dict)
    except (ValueError, RecursionError):
        return False


def test_every_row_is_answered_with_arguments_or_a_validation_error(rows: Rows, judged: Judged) -> None:
    for row in rows("json_parsing"):
        with judged(row["id"]):
            raw = base64.b64decode(row["b64"])
            for effect in ("read", "write"):
                answer = judge(build(effect), raw)
                if isinstance(answer, ToolError):
                    assert answer.kind is Kind.VALIDATION_ERROR
                    assert len(answer.message) < 500


def test_objects_that_are_json_are_taken_as_they_are(rows: Rows, judged: Judged) -> None:
    for row in rows("json_parsing"):
        with judged(row["id"]):
            raw = base64.b64decode(row["b64"])
            if row["expect"] == "accept" and is_object(raw) and not has_double_names(raw):
                assert judge(build("write"), raw) == Checked(json.loads(raw))


def test_what_is_not_json_is_refused_or_repaired_by_name(rows: Rows, judged: Judged) -> None:
    for row in rows("json_parsing"):
        with judged(row["id"]):
            if row["expect"] == "reject":
                raw = base64.b64decode(row["b64"])
                answer = judge(build(), raw)
                # Nothing is no arguments; everything else that is taken says what was done to it.
                assert isinstance(answer, ToolError) or answer.repairs or not raw.strip()


def test_what_is_json_but_no_object_is_refused(rows: Rows, judged: Judged) -> None:
    for row in rows("json_parsing"):
        with judged(row["id"]):
            raw = base64.b64decode(row["b64"])
            if row["expect"] == "accept" and not is_object(raw):
                answer = judge(build(), raw)
                # JSON inside a JSON string is what models write now and then.
                assert isinstance(answer, ToolError) or (raw.strip()[:1] == b'"' and answer.repairs)


def test_every_row_is_answered_inside_an_object_too(rows: Rows, judged: Judged) -> None:
    for row in rows("json_parsing"):
        with judged(row["id"]):
            inner = base64.b64decode(row["b64"])
            raw = b'{"value": ' + inner + b"}"
            answer = judge(build(), raw)
            if row["expect"] == "accept" and not has_double_names(inner):
                assert answer == Checked({"value": json.loads(inner)})
            elif isinstance(answer, Checked):
                json.dumps(answer.arguments, allow_nan=False).encode()


def test_every_row_cut_anywhere_is_never_taken_for_more_than_it_is(rows: Rows, judged: Judged) -> None:
    check = build()
    for row in rows("json_parsing"):
        with judged(row["id"]):
            raw = base64.b64decode(row["b64"])
            if row["expect"] == "accept" and is_object(raw) and len(raw) < 200:
                for end in range(1, len(raw.rstrip())):
                    if raw[:end].strip():
                        assert isinstance(judge(check, raw[:end]), ToolError), end
