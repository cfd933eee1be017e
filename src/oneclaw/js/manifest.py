"""Parses manifests: an object is one tool, an array is a group.

What is wrong with one entry is reported with its index, and the other entries are taken all the same.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from oneclaw.core.check.plain import ArgumentsRefused, inspect
from oneclaw.core.load import LoadProblem
from oneclaw.core.subschema import is_array, is_object
from oneclaw.core.tool import ToolDefinition
from oneclaw.js.example import Example, read_examples
from oneclaw.js.fields import Fields, quote

ENTRY = "execute"
"""The function of a file that holds one tool."""
MOST_TOOLS = 50
"""The most tools of one group: a file with more is refused whole."""


@dataclass(frozen=True, slots=True)
class ManifestTool:
    """One tool of a manifest: what it is, the function that does its work, and where it stands in a group."""

    definition: ToolDefinition
    function: str
    examples: tuple[Example, ...] = ()
    index: int | None = None


def read_manifest(
    text: str, base_name: str, file: str, digest: str
) -> tuple[list[ManifestTool], list[LoadProblem]]:
    """The tools of a manifest, and what is wrong with it; never raises.

    `base_name` is the name of the file without `.json`, `file` how problems name it, and `digest` the hash of
    the source: a changed source is another version of its tools, so that nobody's yes to the old one counts.
    """
    try:
        document, problems = _decode(text, file)
        inspect(document)
    except ArgumentsRefused as refused:
        said = str(refused).replace("The arguments are", "it is").replace("The arguments hold", "it holds")
        return [], [LoadProblem(file, said)]
    except (ValueError, RecursionError) as error:
        return [], [LoadProblem(file, f"it is not JSON: {_say(error)}.")]
    if is_object(document):
        entry, found = _read_entry(document, file, digest, None, base_name)
        return ([entry] if entry else []), problems + found
    if is_array(document):
        entries, found = _read_group(document, base_name, file, digest)
        return entries, problems + found
    reason = "its top level is neither: write an object for one tool, or an array for a group of tools."
    return [], [*problems, LoadProblem(file, reason)]


def _read_group(
    documents: Sequence[Any], base_name: str, file: str, digest: str
) -> tuple[list[ManifestTool], list[LoadProblem]]:
    if not documents:
        return [], [LoadProblem(file, "the group is empty: it has no tools.", is_warning=True)]
    if len(documents) > MOST_TOOLS:
        reason = f"the group has {len(documents)} tools, and at most {MOST_TOOLS} are taken: split the file."
        return [], [LoadProblem(file, reason)]
    found: dict[str, ManifestTool] = {}
    problems: list[LoadProblem] = []
    for index, document in enumerate(documents):
        if not is_object(document):
            problems.append(
                LoadProblem(file, "it is not an object with name, description and function.", index)
            )
            continue
        name = document.get("name")
        if isinstance(name, str) and name in found:
            reason = f"the name {name} stands twice in the group; the first one is taken."
            problems.append(LoadProblem(file, reason, index))
            continue
        entry, said = _read_entry(document, file, digest, index, base_name)
        problems += said
        if entry is not None:
            found[entry.definition.name] = entry
    return list(found.values()), problems


def _read_entry(
    document: Mapping[str, Any], file: str, digest: str, index: int | None, base_name: str
) -> tuple[ManifestTool | None, list[LoadProblem]]:
    """One tool, or why it cannot be taken; `index` is None for the only one of its file."""
    fields = Fields(document)
    is_alone = index is None
    name = fields.name(base_name if is_alone else None)
    function = ENTRY if is_alone else fields.function()
    definition = fields.definition(name, function, "" if is_alone else base_name, digest)
    examples, odd = read_examples(document.get("examples", []))
    fields.odd += odd
    if is_alone and document.get("function", ENTRY) != ENTRY:
        fields.odd.append(f"the field function is for groups; {ENTRY} is called.")
    fields.warn_of_unknown()
    about = f"{name}: " if name else ""
    problems = [LoadProblem(file, about + reason, index) for reason in fields.wrong]
    problems += [LoadProblem(file, about + reason, index, is_warning=True) for reason in fields.odd]
    if definition is None or fields.wrong:
        return None, problems
    return ManifestTool(definition, function, examples, index), problems


def _decode(text: str, file: str) -> tuple[Any, list[LoadProblem]]:
    twice: dict[str, None] = {}

    def pair(members: list[tuple[str, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name, value in members:
            if name in made:
                twice[name] = None
            made[name] = value
        return made

    document = json.loads(
        text,
        object_pairs_hook=pair,
        parse_constant=_refuse_constant,
        parse_float=_read_float,
        parse_int=_read_whole,
    )
    reason = "the field {} stands twice in one object; the last one counts."
    names = list(twice)[:MOST_TOOLS]
    return document, [LoadProblem(file, reason.format(quote(name)), is_warning=True) for name in names]


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is no number that JSON has")


def _read_float(digits: str) -> float:
    value = float(digits)
    if not isfinite(value):
        raise ValueError(f"{digits[:40]} is too large a number")
    return value


def _read_whole(digits: str) -> int:
    _read_float(digits)  # what no float holds, JavaScript does not either
    return int(digits)


def _say(error: ValueError | RecursionError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}, column {error.colno}: {error.msg[0].lower()}{error.msg[1:]}"
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
