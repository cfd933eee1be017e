"""Calls that are made only after another one has looked: which file is meant, and how a file ends."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from oneclaw import ToolCall, ToolResult
from oneclaw_smollm2.named import ENDING, choose_file, named_in, pattern_for

Done = Sequence[tuple[ToolCall, ToolResult]]
Arguments = Mapping[str, Any]
Fill = Callable[[Done], Arguments | str]
"""Makes the arguments of a call out of the calls before it; words where it cannot be made."""
Look = tuple[str, Arguments, Fill | None]
"""A call that looks something up: the tool, its arguments, and what fills them."""


def look_first(tool: str, arguments: Arguments, tools: set[str]) -> tuple[list[Look], Fill | None]:
    """The calls to make before this one, and what fills its arguments then."""
    named = named_in(arguments)
    is_added = tool == "write_file" and (arguments.get("mode") == "append" or named is not None)
    is_text = is_added and bool(arguments.get("content")) and "read_file" in tools
    looks: list[Look] = []
    fill: Fill | None = None
    if tool == "memory_forget" and "memory_search" in tools:
        key = str(arguments.get("key", ""))
        return [("memory_search", {"query": key}, None)], _remembered(key)
    if named is not None and "find_files" in tools:
        parameter, word = named
        looks.append(("find_files", {"pattern": pattern_for(word)}, None))
        fill = _found(parameter, word, {**arguments, "mode": "append"} if is_added else arguments)
    if is_text:
        given = {"path": arguments.get("path")}
        looks.append(
            ("read_file", given, None if fill is None else _found("path", named[1] if named else "", given))
        )
        fill = _on_a_line(arguments)
    return looks, fill


def _found(parameter: str, word: str, arguments: Arguments) -> Fill:
    """Fill in the file that the call before has found."""

    def fill(done: Done) -> Arguments | str:
        call, result = done[-1]
        chosen = choose_file(result.text, word) if call.name == "find_files" and result.ok else []
        if isinstance(chosen, str):
            folder, _, name = str(arguments.get("destination", "")).rpartition("/")
            is_inside = folder and name.endswith(ENDING)  # it keeps the name that it has
            there = {"destination": f"{folder}/{chosen.rpartition('/')[2]}"} if is_inside else {}
            return {**arguments, **there, parameter: chosen}
        said = word.replace("_", " ")
        if chosen:
            return f"Which file do you mean: {', '.join(chosen[:8])}? Please name it."
        return f"I do not see a file with “{said}” in its name. “List the files” shows what there is."

    return fill


def _remembered(word: str) -> Fill:
    """Fill in the key of the memory that the call before has found: only one that is meant beyond doubt."""

    def fill(done: Done) -> Arguments | str:
        value: Any = done[-1][1].value
        rows = (
            cast("list[Arguments]", cast(Arguments, value).get("memories", []))
            if isinstance(value, Mapping)
            else []
        )
        keys = [str(row.get("key")) for row in rows]
        same = [key for key in keys if key.lower() == word.lower()]
        if len(same) == 1 or len(keys) == 1:
            return {"key": (same or keys)[0]}
        if keys:
            return f"Which memory do you mean: {', '.join(keys[:8])}? Please name it."
        return f"I remember nothing about “{word}”, so there is nothing to forget."

    return fill


def _on_a_line(arguments: Arguments) -> Fill:
    """Add to a file on a line of its own: one that ends within a line gets a line end first."""

    def fill(done: Done) -> Arguments | str:
        call, result = done[-1]
        given: Any = call.arguments
        is_open = result.ok and bool(result.text) and not result.text.endswith("\n")
        content = str(arguments.get("content", ""))
        return {
            **arguments,
            "path": given["path"],
            "content": ("\n" if is_open else "") + content,
            "mode": "append",
        }

    return fill
