"""Describes schema violations in plain words: place, value and expectation."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from oneclaw.core.text.display import quoted, visible

Path = tuple[str | int, ...]

SHOWN_CHARS = 80
"""The most characters of a value, a name or a list of choices that a message repeats."""


@dataclass(frozen=True, slots=True)
class SchemaViolation:
    """One keyword of a schema that a value breaks, as data.

    path          where in the value
    keyword       `type`, `required`, `minimum`, …
    detail        what the keyword says: the types, the name, the limit
    location      the keyword's own address in the schema
    alternatives  for `anyOf` and `oneOf`: the findings of each alternative
    """

    path: Path
    keyword: str
    detail: Any = None
    location: str = ""
    alternatives: tuple[tuple["SchemaViolation", ...], ...] = ()


@dataclass(frozen=True, slots=True)
class ArgumentProblem:
    """A finding in words: `text` is for the model; `is_unknown` marks a name the schema does not know."""

    path: str
    value: str
    expected: str
    text: str
    is_unknown: bool = False


def render_path(path: Sequence[str | int]) -> str:
    """`edits[0].old`: short, and safe to print whatever the names are."""
    parts: list[str] = []
    for step in path[:12]:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif step.removeprefix("$").isidentifier() and visible(clip(step)) == clip(step):
            parts.append(f".{clip(step)}" if parts else clip(step))
        else:
            parts.append(f"[{quote(step)}]")
    return "".join(parts) + ("…" if len(path) > 12 else "")


def json_path(path: Iterable[str | int]) -> str:
    """`$.properties.n.type`: a place in a document."""
    inner = render_path(tuple(path))
    return f"${inner}" if inner.startswith("[") else f"$.{inner}" if inner else "$"


def clip(text: str, chars: int = SHOWN_CHARS) -> str:
    return text if len(text) <= chars else text[:chars] + "…"


def quote(text: str, chars: int = SHOWN_CHARS) -> str:
    """The text in double quotes, cut, with everything that does not print escaped."""
    shown = text[:chars]
    if len(quoted(shown)) > 2 * chars:  # an escape is up to ten characters long
        shown = text[: chars // 6]
    return quoted(shown) if shown == text else f'{quoted(shown)[:-1]}…"'


def show(value: Any) -> str:
    """A value in a few characters, whatever its size."""
    match value:
        case str():
            return quote(value)
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() if value.bit_length() > 200:
            return f"an integer of about {value.bit_length() * 3 // 10:,} digits"
        case int() | float():
            return repr(value)
        case list():
            count = len(cast("list[Any]", value))
            return f"an array of {count:,} item{'' if count == 1 else 's'}"
        case dict():
            names = list(cast("dict[Any, Any]", value))
            listed = ", ".join(quote(str(name), 20) for name in names[:3])
            return f"an object with {listed}{' …' if len(names) > 3 else ''}" if names else "an empty object"
        case _:
            return f"a Python {type(value).__name__}"


def name_type(value: Any) -> str:
    """The JSON type and the value: `the string "ten"`, `the integer 5`, `an array of 2 items`."""
    match value:
        case str():
            return f"the string {show(value)}"
        case bool():
            return f"the boolean {show(value)}"
        case int() if value.bit_length() <= 200:
            return f"the integer {value}"
        case float():
            return f"the number {value!r}"
        case _:
            return show(value)


def look_up(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def explain(finding: SchemaViolation, root: Any) -> list[ArgumentProblem]:
    """The problems one finding stands for: most are one, a list of unknown names is several."""
    value = look_up(root, finding.path)
    match finding.keyword:
        case "required":
            where = render_path((*finding.path, str(finding.detail)))
            text = f"Missing required parameter: '{where}'"
            return [ArgumentProblem(where, "nothing", "is required", text)]
        case "additionalProperties" | "unevaluatedProperties":
            return [describe_unknown((*finding.path, str(name))) for name in finding.detail]
        case "anyOf" | "oneOf":
            return _explain_alternatives(finding, root, value)
        case _:
            return [_broken(finding.path, value, _expect(finding))]


def describe_problems(problems: Sequence[ArgumentProblem], most: int = 20) -> str:
    """The problems of a value in one line, with the field of each."""
    listed = "; ".join(map(_describe, problems[:most]))
    return f"{listed}; and {len(problems) - most:,} more" if len(problems) > most else listed


def _describe(problem: ArgumentProblem) -> str:
    if problem.is_unknown:
        return f"'{problem.path}' is not in the schema"
    where = f"'{problem.path}'" if problem.path else "it"
    return f"{where} {problem.expected} but got {problem.value}"


def describe_unknown(path: Path) -> ArgumentProblem:
    where = render_path(path)
    return ArgumentProblem(
        where, "given", "is not a parameter", f"Unknown parameter: '{where}'", is_unknown=True
    )


def _broken(path: Path, value: Any, expected: str) -> ArgumentProblem:
    where, got = render_path(path), name_type(value)
    subject = f"Parameter '{where}'" if where else "The arguments"
    return ArgumentProblem(where, got, expected, f"{subject} {expected} but got {got}")


def _explain_alternatives(finding: SchemaViolation, root: Any, value: Any) -> list[ArgumentProblem]:
    """The problems of the one alternative whose type and fixed values are right, or what all of them want."""
    near = [
        alternative
        for alternative in finding.alternatives
        if not any(_is_another_kind(each, finding.path) for each in alternative)
    ]
    if len(near) == 1:
        return [problem for each in near[0] for problem in explain(each, root)]
    wanted = dict.fromkeys(
        " and ".join(_want(each, finding.path) for each in alternative[:3])
        for alternative in finding.alternatives
    )
    return [_broken(finding.path, value, f"must fit one of: {clip('; '.join(wanted), 300)}")]


def _is_another_kind(finding: SchemaViolation, base: Path) -> bool:
    """Whether a value is of another type, or has another fixed value in a member, as `kind`."""
    if finding.path == base:
        return finding.keyword in ("type", "const")
    is_fixed = finding.keyword == "const" or (finding.keyword == "enum" and len(finding.detail) == 1)
    return is_fixed and len(finding.path) == len(base) + 1


def _want(finding: SchemaViolation, base: Path) -> str:
    where = render_path(finding.path[len(base) :])
    if finding.keyword == "required":
        return f"a value with '{render_path((*finding.path[len(base) :], str(finding.detail)))}'"
    if finding.keyword == "type" and not where:
        return _join_types(finding.detail)
    expected = _expect(finding)
    return f"'{where}' {expected}" if where else f"a value that {expected}"


def _join_types(types: Iterable[str]) -> str:
    return " or ".join(sorted(types, key=lambda name: (name == "null", name)))


_LIMITS = {
    "minimum": "must be at least {}",
    "maximum": "must be at most {}",
    "exclusiveMinimum": "must be more than {}",
    "exclusiveMaximum": "must be less than {}",
    "multipleOf": "must be a multiple of {}",
    "minLength": "must have at least {} characters",
    "maxLength": "must have at most {} characters",
    "minItems": "must have at least {} items",
    "maxItems": "must have at most {} items",
    "additionalItems": "must have at most {} items",
    "minProperties": "must have at least {} properties",
    "maxProperties": "must have at most {} properties",
    "format": "must be a valid {}",
    "pattern": "{}",
    "work": "{}",
    "json": "{}",
}

_PLAIN = {
    "uniqueItems": "must have no item twice",
    "contains": "must contain the right number of items of the kind its schema asks for",
    "not": "must not be of a form its schema rules out",
    "oneOfSeveral": "must fit exactly one form of its schema, but fits several,",
    "falseSchema": "must be left out",
    "unevaluatedItems": "has more items than its schema allows",
    "contentEncoding": "must be encoded as its schema says",
    "contentMediaType": "must be of the media type its schema says",
}


def _expect(finding: SchemaViolation) -> str:
    match finding.keyword:
        case "type":
            return f"expected type '{_join_types(finding.detail)}'"
        case "enum" if not finding.detail:
            return "must be left out (no value is allowed: its enum is empty)"
        case "enum":
            return f"must be one of: {_list_choices(finding.detail)}"
        case "const":
            return f"must be {show(finding.detail)}"
        case "propertyNames":
            return f"must not have the name {quote(str(finding.detail))}"
        case keyword if keyword in _LIMITS:
            return _LIMITS[keyword].format(finding.detail)
        case keyword:
            return _PLAIN.get(keyword, f"must fit the keyword {keyword}")


def _list_choices(choices: Sequence[Any]) -> str:
    shown: list[str] = []
    chars = 0
    for choice in choices:
        shown.append(show(choice))
        chars += len(shown[-1])
        if chars > 300:
            return f"{', '.join(shown)} and {len(choices) - len(shown):,} more"
    return ", ".join(shown)


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The known name most like this one, if any is like it."""
    return next(iter(difflib.get_close_matches(name[:200], list(names)[:500], n=1, cutoff=0.7)), None)
