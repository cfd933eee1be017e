"""Templates for new JavaScript tools and groups."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from oneclaw.core.errors import InvalidName
from oneclaw.core.tool import NAME

_LONGEST = 50  # what is put behind the name of a group must fit as well

_TEXT = {
    "type": "object",
    "properties": {"text": {"type": "string", "description": "The text to look at."}},
    "required": ["text"],
}

_TOOL_SOURCE = """\
// {name}: the function `execute` is the tool. It is given the arguments, and what it returns is the result:
// text as it is, anything else as JSON. Throw an Error to fail with a message.

async function execute({{ text }}) {{
  const words = text.split(/\\s+/).filter(Boolean);
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), "");
  return {{ words: words.length, longest }};
}}
"""

_GROUP_SOURCE = """\
// {name}: each tool of {name}.json names the function here that does its work. What they share stands here
// once. What a function returns is the result: text as it is, anything else as JSON. Throw an Error to fail.

function wordsOf(text) {{
  return text.split(/\\s+/).filter(Boolean);
}}

async function count({{ text }}) {{
  return {{ words: wordsOf(text).length }};
}}

async function longest({{ text }}) {{
  const words = wordsOf(text);
  if (words.length === 0) {{
    throw new Error("the text has no words");
  }}
  return words.reduce((best, word) => (word.length > best.length ? word : best));
}}
"""


def write_template(folder: Path, name: str, *, is_group: bool = False) -> tuple[Path, Path]:
    """Write a manifest and its source; gives their paths. Raises FileExistsError: nothing is overwritten."""
    if not NAME.match(name) or len(name) > _LONGEST:
        raise InvalidName(
            f"A tool cannot be named {name[:80]!r}: use lower-case letters, digits and _, starting with a"
            f" letter, at most {_LONGEST} characters."
        )
    manifest = _group(name) if is_group else _tool(name)
    source = (_GROUP_SOURCE if is_group else _TOOL_SOURCE).format(name=name)
    files = {
        folder / f"{name}.json": json.dumps(manifest, indent=2, ensure_ascii=False) + "\n",
        folder / f"{name}.js": source,
    }
    for path in files:
        if os.path.lexists(path):
            raise FileExistsError(f"{path} is there already; choose another name, or remove it first.")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path, text in files.items():
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    first, second = files
    return first, second


def _tool(name: str) -> Mapping[str, Any]:
    return {
        "name": name,
        "label": name.replace("_", " ").capitalize(),
        "description": "Count the words of a text and find the longest one.",
        "parameters": _TEXT,
        "requiredPermissions": [],
        "timeoutSeconds": 30,
        "effect": "read",
        "version": "1",
        "examples": [
            {"arguments": {"text": "a tool of my own"}, "result": {"words": 5, "longest": "tool"}},
            {"arguments": {}, "error": "validation_error"},
        ],
    }


def _group(name: str) -> list[Mapping[str, Any]]:
    return [
        {
            "name": f"{name}_count",
            "description": "Count the words of a text.",
            "function": "count",
            "parameters": _TEXT,
            "requiredPermissions": [],
            "effect": "read",
            "examples": [{"arguments": {"text": "a tool of my own"}, "result": {"words": 5}}],
        },
        {
            "name": f"{name}_longest",
            "description": "Find the longest word of a text.",
            "function": "longest",
            "parameters": _TEXT,
            "requiredPermissions": [],
            "effect": "read",
            "examples": [
                {"arguments": {"text": "a tool of my own"}, "result": "tool"},
                {"arguments": {"text": " "}, "error": "execution_error"},
            ],
        },
    ]
