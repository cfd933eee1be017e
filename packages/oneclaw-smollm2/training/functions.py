"""Functions and questions of PyPI's bfcl-eval (Apache-2.0): real tools of many makers, for variety.

What is trained on is not measured on: no score on that benchmark may be quoted for the adapter.
"""

import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oneclaw.core.tool import ToolDefinition

KEPT_BACK = re.compile(
    r"weather|forecast|temperature|calc|math|comput|area|e?mail|translat|remind|delet|remove|list_|shell"
    r"|command|directory|taxi|lock|wallpaper|parking|plant|shell",
    re.IGNORECASE,
)
"""Concepts of the tools that are kept back for measuring."""

_TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": "string"}
_SETS = ("simple_python", "multiple", "live_simple", "live_multiple")
_MOST_CHARS = 220


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its functions; `answer` is None where none of them fits."""

    text: str
    functions: tuple[ToolDefinition, ...]
    answer: tuple[str, dict[str, Any]] | None


def read_questions(wheel: Path) -> Iterator[Question]:
    with zipfile.ZipFile(wheel) as archive:
        for name in _SETS:
            answers = {
                each["id"]: each["ground_truth"] for each in _rows(archive, f"possible_answer/BFCL_v4_{name}")
            }
            for row in _rows(archive, f"BFCL_v4_{name}"):
                yield from _question(row, answers[row["id"]][0])
        for name in ("irrelevance", "live_irrelevance"):
            for row in _rows(archive, f"BFCL_v4_{name}"):
                yield from _question(row, None)


def _rows(archive: zipfile.ZipFile, name: str) -> list[dict[str, Any]]:
    lines = archive.read(f"bfcl_eval/data/{name}.json").decode().splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def _question(row: dict[str, Any], truth: dict[str, Any] | None) -> Iterator[Question]:
    turns = row["question"][0]
    text = turns[-1]["content"]
    functions = [each for each in map(_definition, row["function"]) if each is not None]
    if len(turns) > 1 or len(text) > _MOST_CHARS or len(functions) < len(row["function"]):
        return
    if truth is None:
        yield Question(text, tuple(functions), None)
        return
    name, given = next(iter(truth.items()))
    arguments = {key: values[0] for key, values in given.items() if values and values[0] != ""}
    if any(isinstance(value, dict | list) for value in arguments.values()):
        return
    yield Question(text, tuple(functions), (_name(name), arguments))


def _name(name: str) -> str:
    return re.sub(r"[^a-z0-9_]", "_", name.split(".")[-1].lower())


def _definition(function: dict[str, Any]) -> ToolDefinition | None:
    name = _name(function["name"])
    if KEPT_BACK.search(f"{function['name']} {function['description']}") or not re.match(r"[a-z]", name):
        return None
    return ToolDefinition(
        name=name[:64], description=function["description"], parameters=_schema(function["parameters"])
    )


def _schema(node: Any) -> Any:
    """Their type names are Python's, ours JSON's."""
    if isinstance(node, dict):
        made = {key: _schema(value) for key, value in node.items() if key not in ("default", "optional")}
        if isinstance(made.get("type"), str):
            made["type"] = _TYPES.get(made["type"], made["type"])
        return made
    return [_schema(each) for each in node] if isinstance(node, list) else node
