"""Examples in a manifest: calls with their expected results."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from oneclaw.core.call import ToolResult
from oneclaw.core.errors import Kind
from oneclaw.core.subschema import is_array, is_object
from oneclaw.js.fields import quote

FIELDS = ("arguments", "result", "error")


@dataclass(frozen=True, slots=True)
class Example:
    """A call and what must come of it: this result, an error of this kind, or just success."""

    arguments: Mapping[str, Any]
    result: Any = None
    has_result: bool = False
    error: Kind | None = None

    def judge(self, result: ToolResult) -> str:
        """Compares the result with the promise; empty when it holds."""
        if self.error is not None:
            if result.kind is self.error:
                return ""
            return f"it should fail with {self.error.value}, but it gave {_shown(result)}"
        if result.kind is not None:
            return f"it gave {_shown(result)}"
        if self.has_result and not _is_same(self.result, result.value):
            return f"it should give {quote(self.result)}, but it gave {_shown(result)}"
        return ""


def read_examples(given: Any) -> tuple[tuple[Example, ...], list[str]]:
    """The examples that can be run, and what is wrong with the others: a tool is none the worse for them."""
    if not is_array(given):
        return (), ["examples is not an array; they are left out."]
    found: list[Example] = []
    odd: list[str] = []
    for number, each in enumerate(given):
        wrong = _fault(each)
        if wrong:
            odd.append(f"examples[{number}] is left out: {wrong}.")
            continue
        error = Kind(each["error"]) if "error" in each else None
        found.append(Example(each.get("arguments", {}), each.get("result"), "result" in each, error))
    return tuple(found), odd


def _fault(given: Any) -> str:
    if not is_object(given):
        return 'it is not an object, as {"arguments": {}, "result": "…"}'
    unknown = [field for field in given if field not in FIELDS]
    if unknown:
        return f"the field {quote(unknown[0])} is none of {', '.join(FIELDS)}"
    if not is_object(given.get("arguments", {})):
        return "its arguments are not an object"
    if "result" in given and "error" in given:
        return "it promises both a result and an error"
    kinds = [kind.value for kind in Kind]
    if "error" in given and given["error"] not in kinds:
        return f"its error must be one of {', '.join(kinds)}"
    return ""


def _is_same(wanted: Any, value: Any) -> bool:
    """Whether the value is the promised one: what JavaScript returns comes as text, of JSON or as it is."""
    if wanted == value and type(wanted) is type(value):
        return True
    if wanted is None:
        return value == ""
    if isinstance(wanted, str) or not isinstance(value, str):
        return False
    try:
        return json.dumps(json.loads(value), sort_keys=True) == json.dumps(wanted, sort_keys=True)
    except (ValueError, RecursionError):
        return False


def _shown(result: ToolResult) -> str:
    if result.kind is not None:
        return f"{result.kind.value}: {result.message}"
    return quote(result.value)
